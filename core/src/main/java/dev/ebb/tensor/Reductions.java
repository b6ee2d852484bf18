package dev.ebb.tensor;

import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;

import java.util.List;

/** Ops that combine elements along axes. */
final class Reductions {
    private Reductions() {}

    /** A fold of the elements themselves over sorted axes, which leave the shape. */
    interface Folding extends Differentiable {
        List<Integer> axes();

        Kernel.Combine combine();

        @Override
        default List<Type> infer(List<Type> in) {
            return List.of(in.getFirst().with(in.getFirst().shape().reduce(axes(), false)));
        }

        @Override
        default Kernel kernel(List<Type> in) {
            var shape = in.getFirst().shape();
            return new Kernel.Fold(
                    shape, axes(), combine(), List.of(View.contiguous(shape)), Scalar.arg(0));
        }
    }

    record Sum(List<Integer> axes) implements Folding {
        Sum {
            axes = List.copyOf(axes);
        }

        @Override
        public String name() {
            return "sum" + axes;
        }

        @Override
        public Kernel.Combine combine() {
            return Kernel.Combine.SUM;
        }

        @Override
        public List<Type> infer(List<Type> in) {
            if (in.getFirst().dtype().isTruth()) {
                throw new ShapeException(
                        "sum of " + in.getFirst() + "; cast to an integer type first, to count");
            }
            return Folding.super.infer(in);
        }

        @Override
        public void vjp(Rule rule) {
            var shape = rule.in(0).shape();
            rule.add(0, rule.dout(0).reshape(shape.reduce(axes, true)).broadcastTo(shape));
        }
    }

    /** The largest (or least) element; ties share the cotangent equally. */
    record Extreme(List<Integer> axes, Kernel.Combine combine) implements Folding {
        Extreme {
            axes = List.copyOf(axes);
        }

        @Override
        public String name() {
            return (combine == Kernel.Combine.MAX ? "amax" : "amin") + axes;
        }

        @Override
        public List<Type> infer(List<Type> in) {
            for (int a : axes) {
                if (in.getFirst().shape().dim(a) == 0) {
                    throw new ShapeException(
                            name()
                                    + " of "
                                    + in.getFirst()
                                    + ": axis "
                                    + a
                                    + " is empty and has none");
                }
            }
            return Folding.super.infer(in);
        }

        @Override
        public void vjp(Rule rule) {
            var x = rule.in(0);
            if (!x.dtype().isFloat()) return;
            var kept = x.shape().reduce(axes, true);
            var hit = x.eq(rule.out(0).reshape(kept)).cast(x.dtype());
            var share = rule.dout(0).reshape(kept).div(hit.sum(axes, true));
            rule.add(0, hit.mul(share));
        }
    }
}
