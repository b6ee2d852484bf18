package dev.ebb.tensor.op;

import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.ZeroDerivative;

import java.util.List;
import java.util.Locale;

/** A choice between elements. */
public final class Selection {
    private Selection() {}

    static Shape common(String op, List<Type> in) {
        Type x = in.getFirst();
        Type y = in.getLast();
        if (x.dtype() != y.dtype()) {
            throw new ShapeException(
                    op + " of " + x + " and " + y + ": element types differ; cast one of them");
        }
        return broadcast(op, x.shape(), y.shape());
    }

    private static Shape broadcast(String op, Shape x, Shape y) {
        try {
            return Shape.broadcast(x, y);
        } catch (ShapeException e) {
            throw new ShapeException(op + ": " + e.getMessage(), e);
        }
    }

    /** A function of the elements of two operands, named after it. */
    interface OfTwo extends ZeroDerivative {
        Scalar.Fn2 fn();

        @Override
        default String name() {
            return fn().name().toLowerCase(Locale.ROOT);
        }

        @Override
        default Kernel kernel(List<Type> in) {
            var shape = common(name(), in);
            var views = in.stream().map(t -> View.broadcast(t.shape(), shape)).toList();
            return Kernel.Map.of(shape, views, Scalar.arg(0).apply(fn(), Scalar.arg(1)));
        }
    }

    /** {@code condition ? x : y}, elementwise; all three broadcast. */
    public record Where() implements Differentiable {
        @Override
        public List<Type> infer(List<Type> in) {
            if (!in.get(0).dtype().isTruth()) {
                throw new ShapeException(
                        "where: the condition must be bool, not "
                                + in.get(0)
                                + "; compare it with something, for example x.gt(0)");
            }
            return List.of(new Type(in.get(1).dtype(), shape(in)));
        }

        private static Shape shape(List<Type> in) {
            return broadcast("where", in.get(0).shape(), common("where", in.subList(1, 3)));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var shape = shape(in);
            var views = in.stream().map(t -> View.broadcast(t.shape(), shape)).toList();
            return Kernel.Map.of(shape, views, Scalar.arg(0).select(Scalar.arg(1), Scalar.arg(2)));
        }

        @Override
        public void vjp(Rule rule) {
            var dz = rule.dout(0);
            if (!dz.dtype().isFloat()) return;
            rule.add(1, Tensors.where(rule.in(0), dz, dz.literal(0)));
            rule.add(2, Tensors.where(rule.in(0), dz.literal(0), dz));
        }
    }
}
