package dev.ebb.tensor.network;

import static dev.ebb.tensor.Literals.lit;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Literals;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.List;

/**
 * Softmax and its relatives, each an elementwise function of x and two statistics of its row: the
 * largest element, which keeps exponentials finite, and the sum of exponentials. The statistics get
 * no cotangents; the rules here are the derivatives of the whole functions. A backward half then
 * reads the result, or x and two numbers per row.
 */
public final class Softmax {
    private Softmax() {}

    /** A tensor and its row statistics, whose reduced axes are kept with size one. */
    public record Rows(Tensor x, Tensor max, Tensor sum) {
        /** Shifted by the largest; a row whose largest is infinite has no sum and gives NaN. */
        static Rows of(Tensor x, List<Integer> axes) {
            var max = x.amax(axes, true);
            return new Rows(x, max, x.sub(max).exp().sum(axes, true));
        }

        /**
         * As {@link #of}, but a row whose largest is infinite is not shifted: its sum is 0 or
         * infinite.
         */
        public static Rows finite(Tensor x, List<Integer> axes) {
            var top = x.amax(axes, true);
            var max = Tensors.where(top.sub(top).eq(top.literal(0)), top, top.literal(0));
            return new Rows(x, max, x.sub(max).exp().sum(axes, true));
        }

        Tensor softmax() {
            return x.apply(new Probability(), max, sum);
        }

        Tensor logSoftmax() {
            return x.apply(new LogProbability(), max, sum);
        }

        /** The log of the sum of exponentials of {@code x - max}; {@code max} is a constant. */
        public Tensor logSum() {
            return x.apply(new LogSum(), max, sum);
        }
    }

    private static List<Integer> reduced(Shape x, Shape statistic) {
        return x.allAxes().stream().filter(a -> x.dim(a) != statistic.dim(a)).toList();
    }

    private static Kernel map(Shape shape, List<Type> in, Scalar body) {
        var views = in.stream().map(t -> View.broadcast(t.shape(), shape)).toList();
        return Kernel.Map.of(shape, views, body);
    }

    /** {@code exp(x - max) / sum}. */
    private record Probability() implements Differentiable {
        @Override
        public String name() {
            return "softmax";
        }

        @Override
        public List<Type> infer(List<Type> in) {
            return in.subList(0, 1);
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return map(
                    in.getFirst().shape(),
                    in,
                    Scalar.arg(0).sub(Scalar.arg(1)).exp().div(Scalar.arg(2)));
        }

        @Override
        public void vjp(Rule rule) {
            var g = rule.dout(0).mul(rule.out(0));
            var axes = reduced(rule.in(0).shape(), rule.in(2).shape());
            rule.add(0, g.sub(rule.out(0).mul(g.sum(axes, true))));
        }
    }

    /** {@code x - max - log(sum)}. */
    private record LogProbability() implements Differentiable {
        @Override
        public String name() {
            return "log_softmax";
        }

        @Override
        public List<Type> infer(List<Type> in) {
            return in.subList(0, 1);
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return map(
                    in.getFirst().shape(),
                    in,
                    Scalar.arg(0).sub(Scalar.arg(1)).sub(Scalar.arg(2).log()));
        }

        @Override
        public void vjp(Rule rule) {
            var axes = reduced(rule.in(0).shape(), rule.in(2).shape());
            var total = rule.dout(0).sum(axes, true);
            rule.add(0, rule.dout(0).sub(rule.out(0).exp().mul(total)));
        }
    }

    /** {@code log(sum)}, a function of x through the sum. */
    private record LogSum() implements Differentiable {
        @Override
        public List<Type> infer(List<Type> in) {
            return in.subList(2, 3);
        }

        /** Reads one element of x in each row without using it, because x must be an operand. */
        @Override
        public Kernel kernel(List<Type> in) {
            var shape = in.getLast().shape();
            var row = View.contiguous(in.getFirst().shape());
            var view = View.contiguous(shape);
            return Kernel.Map.of(shape, List.of(row, view, view), Scalar.arg(2).log());
        }

        @Override
        public void vjp(Rule rule) {
            var rows = new Rows(rule.in(0), rule.in(1), rule.in(2));
            rule.add(0, rows.softmax().mul(rule.dout(0)));
        }
    }

    /** One element of each row: {@code out[...] = x[..., index[...]]}. */
    record Pick() implements Differentiable {
        @Override
        public List<Type> infer(List<Type> in) {
            var x = in.getFirst();
            var index = in.getLast();
            if (!index.dtype().isInteger()) {
                throw new ShapeException(
                        "pick: indices must be integers, not " + index + "; cast them to i32");
            }
            if (x.shape().rank() == 0
                    || !x.shape()
                            .reduce(List.of(x.shape().rank() - 1), false)
                            .equals(index.shape())) {
                throw new ShapeException(
                        ("pick: indices %s do not name one element in each row of %s; their shape"
                                        + " must be that of the rows, without the last axis")
                                .formatted(index, x));
            }
            return List.of(x.with(index.shape()));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var x = in.getFirst().shape();
            var rows = in.getLast().shape();
            var strides = View.contiguous(x).strides().subList(0, rows.rank());
            return new Kernel.Gather(
                    rows, new View(0, strides), View.contiguous(rows), 1, x.dim(rows.rank()));
        }

        @Override
        public void vjp(Rule rule) {
            int classes = rule.in(0).dim(-1);
            rule.add(0, rule.in(1).apply(new Place(classes), rule.dout(0)));
        }
    }

    /** The transpose of {@link Pick}: rows of zeros except for one element. */
    private record Place(int classes) implements Differentiable {
        @Override
        public List<Type> infer(List<Type> in) {
            return List.of(in.getLast().with(in.getFirst().shape().append(classes)));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var shape = in.getFirst().shape().append(classes);
            var strides = new ArrayList<>(View.contiguous(in.getFirst().shape()).strides());
            strides.add(0L);
            var view = new View(0, strides);
            var here = new Scalar.Index(shape.rank() - 1).eq(Scalar.arg(0).cast(DType.I32));
            var body = here.select(Scalar.arg(1), Literals.typed(lit(0), in.getLast().dtype()));
            return Kernel.Map.of(shape, List.of(view, view), body);
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(1, rule.dout(0).apply(new Pick(), rule.in(0)));
        }
    }
}
