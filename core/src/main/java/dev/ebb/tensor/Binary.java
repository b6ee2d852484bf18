package dev.ebb.tensor;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;

import java.util.List;

/**
 * An elementwise op of two operands. Broadcasting, and its reversal in the derivative, are done
 * here for all.
 */
public interface Binary extends Differentiable {

    /** The cotangents of both operands. */
    record Pair(Tensor dx, Tensor dy) {}

    /**
     * The value at one element; literals made with {@link Literals#lit} take the operands' type.
     */
    Scalar at(Scalar x, Scalar y);

    Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz);

    /** Whether operands of this type make sense; floats unless said otherwise. */
    default boolean accepts(DType type) {
        return type.isFloat();
    }

    /** An op of floats and integers, not of truth values. */
    interface OfNumbers extends Binary {
        @Override
        default boolean accepts(DType type) {
            return !type.isTruth();
        }
    }

    /** The cast of either operand that loses less: to floats, and to the wider of two. */
    private static String cast(DType x, DType y) {
        boolean toFirst = x.isFloat() == y.isFloat() ? x.bytes(8) >= y.bytes(8) : x.isFloat();
        return toFirst ? "y.cast(DType." + x.name() + ")" : "x.cast(DType." + y.name() + ")";
    }

    @Override
    default List<Type> infer(List<Type> inputs) {
        Type x = inputs.getFirst();
        Type y = inputs.getLast();
        if (x.dtype() != y.dtype()) {
            throw new ShapeException(
                    ("%s of %s and %s: element types differ and nothing is converted silently; cast"
                                    + " one of them, for example %s")
                            .formatted(name(), x, y, cast(x.dtype(), y.dtype())));
        }
        if (!accepts(x.dtype())) {
            throw new ShapeException(
                    name() + " does not take " + x.dtype() + "; cast first, for example to f32");
        }
        try {
            var shape = Shape.broadcast(x.shape(), y.shape());
            return List.of(shape.equals(x.shape()) ? x : x.with(shape));
        } catch (ShapeException e) {
            throw new ShapeException(name() + ": " + e.getMessage(), e);
        }
    }

    @Override
    default Kernel kernel(List<Type> inputs) {
        Type x = inputs.getFirst();
        Type y = inputs.getLast();
        var shape = Shape.broadcast(x.shape(), y.shape());
        var body = Literals.typed(at(Scalar.arg(0), Scalar.arg(1)), x.dtype());
        return Kernel.Map.of(
                shape,
                List.of(View.broadcast(x.shape(), shape), View.broadcast(y.shape(), shape)),
                body);
    }

    @Override
    default void vjp(Rule rule) {
        if (!rule.in(0).dtype().isFloat()) return;
        var d = vjp(rule.in(0), rule.in(1), rule.out(0), rule.dout(0));
        if (rule.wants(0)) rule.add(0, d.dx());
        if (rule.wants(1)) rule.add(1, d.dy());
    }
}
