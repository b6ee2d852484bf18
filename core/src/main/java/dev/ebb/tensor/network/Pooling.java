package dev.ebb.tensor.network;

import dev.ebb.ir.Adjoints;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Dispatch;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Windows over the spatial axes of [batch, channels, ...], reduced to one element each. */
final class Pooling {
    private Pooling() {}

    static Tensor max(Tensor x, Pool pool) {
        int rank = spatial("max_pool", x);
        var p = pool.over(rank);
        p.out(x);
        if (SmallWindows.fits(p)) return SmallWindows.max(x, p);
        // gradients of overlapping windows are added along one axis after the other
        var wide = Moments.wide(x);
        if (wide != x.dtype()) return max(x.cast(wide), pool).cast(x.dtype());
        Tensor y = x;
        for (int d = rank - 1; d >= 0; d--) y = maxAlong(y, d, p);
        return y;
    }

    /**
     * The largest elements along spatial axis {@code d}. A long window is the windows of a shorter
     * one at every place of it, so it is made of several short ones, one after the other. From the
     * last axis to the first, the first of equal elements in row-major order is found, as by one
     * window over all axes.
     */
    private static Tensor maxAlong(Tensor x, int d, Pool p) {
        Tensor y = x;
        int padding = p.padding().get(d);
        for (int left = p.kernel().get(d); ; ) {
            int window = Math.min(left, SmallWindows.MOST);
            int pad = Math.min(padding, window / 2);
            int stride = window == left ? p.stride().get(d) : 1;
            y = SmallWindows.max(y, along(d, x.rank() - 2, window, stride, pad));
            if (window == left) return y;
            left -= window - 1;
            padding -= pad;
        }
    }

    /** A window along axis {@code d} of {@code rank}. */
    private static Pool along(int d, int rank, int window, int stride, int padding) {
        var kernel = new ArrayList<>(Collections.nCopies(rank, 1));
        var strides = new ArrayList<>(Collections.nCopies(rank, 1));
        var both = new ArrayList<>(Collections.nCopies(rank, 0));
        kernel.set(d, window);
        strides.set(d, stride);
        both.set(d, padding);
        return new Pool(kernel, strides, both);
    }

    static Tensor average(Tensor x, Pool pool) {
        int rank = spatial("avg_pool", x);
        var p = pool.over(rank);
        var out = p.out(x);
        boolean tiled = p.kernel().equals(p.stride()) && p.padding().stream().allMatch(n -> n == 0);
        if (tiled) return tiles(x, p.kernel(), out);
        var wide = Moments.wide(x);
        if (wide != x.dtype()) return average(x.cast(wide), pool).cast(x.dtype());
        // padding counts, as zeros: every window has the same weight
        var kernel = new ArrayList<>(List.of(1, 1));
        kernel.addAll(p.kernel());
        var shape = new Shape(kernel);
        var weight = Tensors.fill(new Type(x.dtype(), shape), 1.0 / shape.size());
        var planes = new ArrayList<>(List.of(x.dim(0) * x.dim(1), 1));
        planes.addAll(x.shape().dims().subList(2, x.rank()));
        var geometry = new Conv(p.stride(), p.padding(), p.padding(), List.of(1), 1, List.of(0));
        var y = Convolution.forward(x.reshape(new Shape(planes)), weight, geometry);
        return y.reshape(Shape.of(x.dim(0), x.dim(1)).append(out));
    }

    /** Windows side by side are axes of their own. */
    private static Tensor tiles(Tensor x, List<Integer> kernel, List<Integer> out) {
        var dims = new ArrayList<>(x.shape().dims().subList(0, 2));
        var within = new ArrayList<Integer>();
        Tensor whole = x;
        for (int d = 0; d < out.size(); d++) {
            int used = out.get(d) * kernel.get(d);
            if (used < x.dim(2 + d)) whole = whole.slice(2 + d, 0, used);
            dims.add(out.get(d));
            within.add(dims.size());
            dims.add(kernel.get(d));
        }
        return whole.reshape(new Shape(dims)).mean(within, false);
    }

    static Tensor adaptive(Tensor x, List<Integer> sizes) {
        int rank = spatial("adaptive_avg_pool", x);
        var out = Conv.each("output size", sizes, rank);
        var kernel = new ArrayList<Integer>();
        for (int d = 0; d < rank; d++) {
            if (out.get(d) < 1 || x.dim(2 + d) < 1) {
                throw new ShapeException(
                        "adaptive_avg_pool of " + x.type() + " to " + out + ": sizes start at 1");
            }
            if (x.dim(2 + d) % out.get(d) == 0) kernel.add(x.dim(2 + d) / out.get(d));
        }
        if (kernel.size() == rank) return tiles(x, kernel, out);
        // sixteen bits hold neither the shares of a bin nor its sums
        return binned(x.cast(Moments.wide(x)), out).cast(x.dtype());
    }

    /** Bins of unequal size, axis by axis. */
    private static Tensor binned(Tensor x, List<Integer> out) {
        Tensor y = x;
        for (int d = 0; d < out.size(); d++) {
            int axis = 2 + d;
            var bins = Dispatch.apply(new Bins(y.dtype(), y.dim(axis), out.get(d)), List.of());
            var order = new ArrayList<>(y.shape().allAxes());
            order.set(axis, y.rank() - 1);
            order.set(y.rank() - 1, axis);
            y = y.permute(order).matmul(bins.getFirst()).permute(order);
        }
        return y;
    }

    private static int spatial(String op, Tensor x) {
        if (x.rank() < 3 || x.rank() > 5) {
            throw new ShapeException(
                    op
                            + " needs [batch, channels] and one to three spatial axes, this is "
                            + x.type());
        }
        return x.rank() - 2;
    }

    /**
     * The matrix [from, to] that averages {@code from} elements into {@code to} bins: bin i spans
     * elements floor(i from / to) to ceil((i + 1) from / to).
     */
    private record Bins(DType dtype, int from, int to) implements Op {
        @Override
        public String name() {
            return "bins";
        }

        @Override
        public List<Type> infer(List<Type> in) {
            return List.of(Type.of(dtype, from, to));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var element = new Scalar.Index(0).cast(DType.I64);
            var bin = new Scalar.Index(1).cast(DType.I64);
            var first = bin.mul(integer(from)).div(integer(to));
            var last = bin.add(integer(1)).mul(integer(from)).add(integer(to - 1)).div(integer(to));
            var share = real(1).div(last.sub(first).cast(dtype));
            var inside = element.ge(first).and(element.lt(last));
            return Kernel.Map.of(Shape.of(from, to), List.of(), inside.select(share, real(0)));
        }

        private static Scalar integer(int n) {
            return new Scalar.Lit(DType.I64, n);
        }

        private Scalar real(double x) {
            return new Scalar.Lit(dtype.compute(), x);
        }

        @Override
        public void pullback(Node node, Adjoints adjoints) {
            // no inputs, nothing to add
        }
    }
}
