package dev.ebb.tensor;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;

import java.util.List;

/** An elementwise op of one operand. Its author writes two lines: the value and the derivative. */
public interface Unary extends Differentiable {

    /**
     * The value at one element; literals made with {@link Literals#lit} take the operand's type.
     */
    Scalar at(Scalar x);

    /** {@code dx}, given the operand, the result and the result's cotangent. */
    Tensor vjp(Tensor x, Tensor y, Tensor dy);

    /** Whether operands of this type make sense; floats unless said otherwise. */
    default boolean accepts(DType type) {
        return type.isFloat();
    }

    /** An op of floats and integers, not of truth values. */
    interface OfNumbers extends Unary {
        @Override
        default boolean accepts(DType type) {
            return !type.isTruth();
        }
    }

    @Override
    default List<Type> infer(List<Type> inputs) {
        var x = inputs.getFirst();
        if (!accepts(x.dtype())) {
            throw new ShapeException(
                    name() + " does not take " + x + "; cast it first, for example to f32");
        }
        return List.of(x);
    }

    @Override
    default Kernel kernel(List<Type> inputs) {
        var x = inputs.getFirst();
        var body = Literals.typed(at(Scalar.arg(0)), x.dtype());
        return Kernel.Map.of(x.shape(), List.of(View.contiguous(x.shape())), body);
    }

    @Override
    default void vjp(Rule rule) {
        if (rule.in(0).dtype().isFloat()) rule.add(0, vjp(rule.in(0), rule.out(0), rule.dout(0)));
    }
}
