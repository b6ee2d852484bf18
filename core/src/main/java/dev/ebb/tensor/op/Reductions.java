package dev.ebb.tensor.op;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.network.Moments;

import java.util.ArrayList;
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

    /** The sum, in the type {@code to}: that of the elements, or a wider one. */
    record Sum(List<Integer> axes, DType to) implements Folding {
        Sum {
            axes = List.copyOf(axes);
        }

        @Override
        public String name() {
            return "sum" + axes;
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return folded(in.getFirst(), axes, combine(), to);
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
            return List.of(Folding.super.infer(in).getFirst().with(to));
        }

        @Override
        public void vjp(Rule rule) {
            var x = rule.in(0).type();
            if (!x.dtype().isFloat()) return;
            var dy = rule.dout(0).cast(x.dtype()).reshape(x.shape().reduce(axes, true));
            rule.add(0, dy.broadcastTo(x.shape()));
        }
    }

    /** A fold of elements that are converted to the compute type of {@code to}. */
    private static Kernel folded(Type x, List<Integer> axes, Kernel.Combine combine, DType to) {
        var shape = x.shape();
        boolean same = x.dtype().compute() == to.compute();
        var body = same ? Scalar.arg(0) : Scalar.arg(0).cast(to.compute());
        return new Kernel.Fold(shape, axes, combine, List.of(View.contiguous(shape)), body);
    }

    /**
     * The largest or least element, NaN if there is one; ties share the cotangent equally, and so
     * do NaNs.
     */
    record Extreme(List<Integer> axes, Kernel.Combine combine) implements Folding {
        Extreme {
            axes = List.copyOf(axes);
        }

        @Override
        public String name() {
            return (combine == Kernel.Combine.MAX ? "amax" : "amin") + axes;
        }

        /** Of no truth values none is true and all are; no number is the largest of none. */
        @Override
        public List<Type> infer(List<Type> in) {
            var x = in.getFirst();
            for (int a : axes) {
                if (x.shape().dim(a) == 0 && !x.dtype().isTruth()) {
                    throw new ShapeException(
                            name() + " of " + x + ": axis " + a + " is empty and has none");
                }
            }
            return Folding.super.infer(in);
        }

        @Override
        public void vjp(Rule rule) {
            var x = rule.in(0);
            if (!x.dtype().isFloat()) return;
            var kept = x.shape().reduce(axes, true);
            var hit = x.eq(rule.out(0).reshape(kept)).or(x.isNan());
            var wide = Moments.wide(x);
            var dy = rule.dout(0).reshape(kept).cast(wide);
            var share = dy.div(hit.cast(wide).sum(axes, true)).cast(x.dtype());
            rule.add(0, Elementwise.choose(hit, share, share.literal(0)));
        }
    }

    /**
     * The product of all elements. Its derivative by one element is the product of those before it
     * and those after it, so zeros are no exception.
     */
    record Prod(List<Integer> axes) implements Folding {
        Prod {
            axes = List.copyOf(axes);
        }

        @Override
        public String name() {
            return "prod" + axes;
        }

        @Override
        public Kernel.Combine combine() {
            return Kernel.Combine.PROD;
        }

        @Override
        public List<Type> infer(List<Type> in) {
            if (in.getFirst().dtype().isTruth()) {
                throw new ShapeException("prod of " + in.getFirst() + "; use all()");
            }
            return List.of(Folding.super.infer(in).getFirst().with(to(in)));
        }

        /** Products of integers are I64. */
        private static DType to(List<Type> in) {
            var type = in.getFirst().dtype();
            return type.isInteger() ? DType.I64 : type;
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return folded(in.getFirst(), axes, combine(), to(in));
        }

        @Override
        public void vjp(Rule rule) {
            var x = rule.in(0);
            if (!x.dtype().isFloat() || x.shape().size() == 0) return;
            var order = new ArrayList<>(x.shape().allAxes());
            order.removeAll(axes);
            order.addAll(axes);
            var moved = x.permute(order);
            var kept = rule.dout(0).shape();
            var rows = moved.reshape(kept.append(Math.toIntExact(x.shape().size() / kept.size())));
            var others =
                    Cumulations.before(rows, kept.rank(), false)
                            .mul(Cumulations.before(rows, kept.rank(), true));
            var d = rule.dout(0).unsqueeze(-1).mul(others).reshape(moved.shape());
            var back = x.shape().allAxes().stream().map(order::indexOf).toList();
            rule.add(0, d.permute(back));
        }
    }
}
