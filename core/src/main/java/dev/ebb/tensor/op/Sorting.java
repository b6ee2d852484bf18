package dev.ebb.tensor.op;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;

import java.util.List;

/** Sorting along an axis. */
final class Sorting {
    private Sorting() {}

    /**
     * The indices that put an axis in order. Equal elements stay in the order they are in, in
     * either direction; NaN counts as larger than every number.
     */
    record Argsort(int axis, boolean descending) implements Differentiable {
        @Override
        public String name() {
            return "argsort(" + axis + (descending ? ", descending)" : ")");
        }

        @Override
        public List<Type> infer(List<Type> in) {
            if (in.getFirst().dtype() == DType.BIT) {
                throw new ShapeException("argsort of " + in.getFirst() + "; cast to bool first");
            }
            return List.of(in.getFirst().with(DType.I64));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var shape = in.getFirst().shape();
            return new Kernel.Sort(
                    Cumulations.outer(shape, axis),
                    shape.dim(axis),
                    Cumulations.inner(shape, axis),
                    descending);
        }

        @Override
        public void vjp(Rule rule) {
            // piecewise constant
        }
    }
}
