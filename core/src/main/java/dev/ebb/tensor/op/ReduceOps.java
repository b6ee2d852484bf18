package dev.ebb.tensor.op;

import dev.ebb.ir.DType;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.ZeroDerivative;
import dev.ebb.tensor.network.Moments;
import dev.ebb.tensor.network.Softmax;

import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Reductions. Axes count from the end if negative; {@code keep} leaves reduced axes with size one.
 */
public interface ReduceOps {

    private Tensor self() {
        return (Tensor) this;
    }

    private List<Integer> every() {
        return self().shape().allAxes();
    }

    private Tensor shaped(Tensor reduced, List<Integer> axes, boolean keep) {
        return keep ? reduced.reshape(self().shape().reduce(axes, true)) : reduced;
    }

    private long count(List<Integer> axes) {
        long n = 1;
        for (int a : self().shape().axes(axes)) n *= self().shape().dim(a);
        return n;
    }

    private void requireFloats(String op) {
        if (!self().dtype().isFloat()) {
            throw new ShapeException(
                    op + " takes floats, not " + self().type() + "; cast it first");
        }
    }

    /** The sum; that of integers is I64. Sixteen-bit floats are added in f32 and rounded once. */
    default Tensor sum(List<Integer> axes, boolean keep) {
        return sum(axes, keep, self().dtype().isInteger() ? DType.I64 : self().dtype());
    }

    private Tensor sum(List<Integer> axes, boolean keep, DType to) {
        var a = self().shape().axes(axes);
        if (a.isEmpty()) return self().cast(to);
        return shaped(self().apply(new Reductions.Sum(a, to)), a, keep);
    }

    /** The sum of all elements. */
    default Tensor sum() {
        return sum(every(), false);
    }

    default Tensor sum(int axis) {
        return sum(List.of(axis), false);
    }

    default Tensor mean(List<Integer> axes, boolean keep) {
        requireFloats("mean");
        var sum = sum(axes, keep, Moments.wide(self()));
        return sum.div((double) count(axes)).cast(self().dtype());
    }

    /** The mean of all elements. */
    default Tensor mean() {
        return mean(every(), false);
    }

    default Tensor mean(int axis) {
        return mean(List.of(axis), false);
    }

    /**
     * The product; that of integers is I64. Its derivative is right where elements are zero, too.
     */
    default Tensor prod(List<Integer> axes, boolean keep) {
        var a = self().shape().axes(axes);
        if (a.isEmpty()) return self().dtype().isInteger() ? self().cast(DType.I64) : self();
        return shaped(self().apply(new Reductions.Prod(a)), a, keep);
    }

    /** The product of all elements. */
    default Tensor prod() {
        return prod(every(), false);
    }

    default Tensor prod(int axis) {
        return prod(List.of(axis), false);
    }

    private Tensor extreme(Kernel.Combine combine, List<Integer> axes, boolean keep) {
        var a = self().shape().axes(axes);
        if (a.isEmpty()) return self();
        return shaped(self().apply(new Reductions.Extreme(a, combine)), a, keep);
    }

    /** The largest element, NaN if there is one; ties share the cotangent equally. */
    default Tensor amax(List<Integer> axes, boolean keep) {
        return extreme(Kernel.Combine.MAX, axes, keep);
    }

    default Tensor amax() {
        return amax(every(), false);
    }

    default Tensor amax(int axis) {
        return amax(List.of(axis), false);
    }

    /** The least element, NaN if there is one; ties share the cotangent equally. */
    default Tensor amin(List<Integer> axes, boolean keep) {
        return extreme(Kernel.Combine.MIN, axes, keep);
    }

    default Tensor amin() {
        return amin(every(), false);
    }

    default Tensor amin(int axis) {
        return amin(List.of(axis), false);
    }

    /** Whether any truth value holds; none of an empty axis does. */
    default Tensor any(List<Integer> axes, boolean keep) {
        return truths("any").extreme(Kernel.Combine.MAX, axes, keep);
    }

    default Tensor any() {
        return any(every(), false);
    }

    /** Whether all truth values hold; those of an empty axis do. */
    default Tensor all(List<Integer> axes, boolean keep) {
        return truths("all").extreme(Kernel.Combine.MIN, axes, keep);
    }

    default Tensor all() {
        return all(every(), false);
    }

    private ReduceOps truths(String op) {
        if (self().dtype().isTruth()) return self().cast(DType.BOOL);
        throw new ShapeException(
                op + " takes truth values, not " + self().type() + "; compare first: x.ne(0)");
    }

    /** The logarithm of the sum of exponentials, without overflow. */
    default Tensor logsumexp(List<Integer> axes, boolean keep) {
        requireFloats("logsumexp");
        var a = self().shape().axes(axes);
        if (a.isEmpty()) return self();
        var rows = Softmax.Rows.finite(self().cast(Moments.wide(self())), a);
        var y = rows.logSum().add(rows.max().detach()).cast(self().dtype());
        return keep ? y : y.reshape(self().shape().reduce(a, false));
    }

    default Tensor logsumexp(int axis) {
        return logsumexp(List.of(axis), false);
    }

    /**
     * The variance: squared distances from the mean, summed and divided by their number less {@code
     * correction}, which is 1 for an estimate from a sample and 0 for a whole population.
     */
    default Tensor variance(List<Integer> axes, int correction, boolean keep) {
        requireFloats("variance");
        var wide = self().cast(Moments.wide(self()));
        return ((ReduceOps) wide).wideVariance(axes, correction, keep).cast(self().dtype());
    }

    private Tensor wideVariance(List<Integer> axes, int correction, boolean keep) {
        var squares = self().sub(mean(axes, true)).square();
        return squares.sum(axes, keep).div((double) Math.max(0, count(axes) - correction));
    }

    /** The square root of the variance. Its derivative where the variance is zero is zero. */
    default Tensor deviation(List<Integer> axes, int correction, boolean keep) {
        requireFloats("deviation");
        var wide = self().cast(Moments.wide(self()));
        var variance = ((ReduceOps) wide).wideVariance(axes, correction, keep);
        return root(variance, Tensor::sqrt).cast(self().dtype());
    }

    /** A root that is flat at zero. */
    private static Tensor root(Tensor x, UnaryOperator<Tensor> root) {
        var zero = x.eq(0);
        var safe = Tensors.where(zero, x.literal(1), x);
        return Tensors.where(zero, x.literal(0), root.apply(safe));
    }

    /**
     * The p-norm: the p-th root of the sum of magnitudes to the power p; the largest magnitude for
     * infinite p. Its derivative where all elements are zero is zero.
     */
    default Tensor norm(double p, List<Integer> axes, boolean keep) {
        requireFloats("norm");
        if (!(p >= 1)) {
            throw new ShapeException("norm: p is " + p + ", and only p from 1 on makes a norm");
        }
        if (p == Double.POSITIVE_INFINITY) return self().abs().amax(axes, keep);
        if (p == 1) return self().abs().sum(axes, keep);
        var wide = self().cast(Moments.wide(self()));
        var sum = (p == 2 ? wide.square() : wide.abs().pow(p)).sum(axes, keep);
        return root(sum, x -> p == 2 ? x.sqrt() : x.pow(1 / p)).cast(self().dtype());
    }

    /** The index of the largest element, as I64: the first of equals, the first NaN if any. */
    default Tensor argmax(int axis, boolean keep) {
        return first(axis, amax(List.of(axis), true), keep);
    }

    default Tensor argmax(int axis) {
        return argmax(axis, false);
    }

    /** The index of the least element, as I64: the first of equals, the first NaN if any. */
    default Tensor argmin(int axis, boolean keep) {
        return first(axis, amin(List.of(axis), true), keep);
    }

    default Tensor argmin(int axis) {
        return argmin(axis, false);
    }

    /** The first index along an axis at which {@code extreme} stands; NaN equals NaN. */
    private Tensor first(int axis, Tensor extreme, boolean keep) {
        record FirstIndex(int axis) implements ZeroDerivative {
            @Override
            public String name() {
                return "first_index(" + axis + ")";
            }

            @Override
            public List<Type> infer(List<Type> in) {
                var x = in.getFirst();
                if (!in.getLast().equals(x.with(x.shape().with(axis, 1)))) {
                    throw new ShapeException(name() + ": " + in.getLast() + " in " + x);
                }
                return List.of(new Type(DType.I64, x.shape().reduce(List.of(axis), false)));
            }

            @Override
            public Kernel kernel(List<Type> in) {
                var x = in.getFirst();
                var views = in.stream().map(t -> View.broadcast(t.shape(), x.shape())).toList();
                var hit = Scalar.arg(0).eq(Scalar.arg(1));
                if (x.dtype().isFloat()) {
                    hit = hit.apply(Scalar.Fn2.OR, Scalar.arg(0).apply(Fn1.IS_NAN));
                }
                var none = new Scalar.Lit(DType.I64, x.shape().dim(axis));
                var body = hit.select(new Scalar.Index(axis).cast(DType.I64), none);
                return new Kernel.Fold(x.shape(), List.of(axis), Kernel.Combine.MIN, views, body);
            }
        }
        int a = self().shape().axis(axis);
        return shaped(self().apply(new FirstIndex(a), extreme), List.of(a), keep);
    }

    /** Running sums; those of integers are I64. */
    default Tensor cumsum(int axis) {
        return numbers().apply(new Cumulations.Cumsum(self().shape().axis(axis), false));
    }

    /**
     * Running products; those of integers are I64. Their derivative is right where elements are
     * zero, too.
     */
    default Tensor cumprod(int axis) {
        return numbers().apply(new Cumulations.Cumprod(self().shape().axis(axis), false));
    }

    /** Integers as I64, everything else as it is. */
    private Tensor numbers() {
        return self().dtype().isInteger() ? self().cast(DType.I64) : self();
    }

    /** Values with where they were found, as I64. */
    record Ranked(Tensor values, Tensor indices) {}

    /**
     * The indices, as I64, that put an axis in order. Equal elements stay in the order they are in,
     * in either direction; NaN counts as larger than every number.
     */
    default Tensor argsort(int axis, boolean descending) {
        record Argsort(int axis, boolean descending) implements ZeroDerivative {
            @Override
            public String name() {
                return "argsort(" + axis + (descending ? ", descending)" : ")");
            }

            @Override
            public List<Type> infer(List<Type> in) {
                if (in.getFirst().dtype() == DType.BIT) {
                    throw new ShapeException(
                            "argsort of " + in.getFirst() + "; cast to bool first");
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
        }
        int a = self().shape().axis(axis);
        return self().apply(new Argsort(a, descending));
    }

    /** An axis in order, as {@link #argsort} orders it. */
    default Ranked sort(int axis, boolean descending) {
        var order = argsort(axis, descending);
        return new Ranked(self().gather(axis, order), order);
    }

    /** The {@code k} largest elements of an axis, largest first; NaN counts as largest. */
    default Ranked topk(int k, int axis) {
        int a = self().shape().axis(axis);
        if (k < 0 || k > self().shape().dim(a)) {
            throw new ShapeException("topk: " + k + " of axis " + axis + " of " + self().type());
        }
        var order = argsort(a, true).slice(a, 0, k);
        return new Ranked(self().gather(a, order), order);
    }
}
