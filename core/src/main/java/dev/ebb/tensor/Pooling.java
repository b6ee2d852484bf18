package dev.ebb.tensor;

import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Windows over the spatial axes of [batch, channels, ...], reduced to one element each. */
final class Pooling {
    private Pooling() {}

    static Tensor max(Tensor x, Pool pool) {
        var p = pool.over(spatial("max_pool", x));
        int window = p.kernel().stream().reduce(1, Math::multiplyExact);
        if (window > 256) {
            throw new ShapeException(
                    "max_pool: a window of " + p.kernel() + " has " + window + " elements; a route"
                            + " is one byte, so 256 is the most. Pool twice with smaller windows");
        }
        return x.apply(new Max(windows(x, p)));
    }

    private static Windows windows(Tensor x, Pool p) {
        int rank = x.rank() - 2;
        return new Windows(
                Math.multiplyExact(x.dim(0), x.dim(1)),
                three(x.shape().dims().subList(2, 2 + rank), 1),
                three(p.out(x), 1),
                three(p.kernel(), 1),
                three(p.stride(), 1),
                three(p.padding(), 0),
                x.shape(),
                new Shape(
                        IntStream.range(0, x.rank())
                                .mapToObj(d -> d < 2 ? x.dim(d) : p.out(x).get(d - 2))
                                .toList()));
    }

    static Tensor average(Tensor x, Pool pool) {
        int rank = spatial("avg_pool", x);
        var p = pool.over(rank);
        var out = p.out(x);
        boolean tiled =
                p.kernel().equals(p.stride()) && p.padding().stream().allMatch(n -> n == 0);
        if (tiled) return tiles(x, p.kernel(), out);
        // padding counts, as zeros: every window has the same weight
        var kernel = new ArrayList<>(List.of(1, 1));
        kernel.addAll(p.kernel());
        var shape = new Shape(kernel);
        var weight = Tensors.fill(new Type(x.dtype(), shape), 1.0 / shape.size());
        var planes = new ArrayList<>(List.of(x.dim(0) * x.dim(1), 1));
        planes.addAll(x.shape().dims().subList(2, x.rank()));
        var geometry =
                new Conv(p.stride(), p.padding(), p.padding(), List.of(1), 1, List.of(0));
        var y = Convolution.forward(x.reshape(new Shape(planes)), weight, geometry);
        var dims = new ArrayList<>(x.shape().dims().subList(0, 2));
        dims.addAll(out);
        return y.reshape(new Shape(dims));
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
        Tensor y = x;
        for (int d = 0; d < rank; d++) {
            int axis = 2 + d;
            if (out.get(d) < 1 || y.dim(axis) < 1) {
                throw new ShapeException(
                        "adaptive_avg_pool of " + x.type() + " to " + out + ": sizes start at 1");
            }
            if (y.dim(axis) == out.get(d)) continue;
            var bins = Dispatch.apply(new Bins(x.dtype(), y.dim(axis), out.get(d)), List.of());
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
                    op + " needs [batch, channels] and one to three spatial axes, this is "
                            + x.type());
        }
        return x.rank() - 2;
    }

    private static List<Integer> three(List<Integer> numbers, int lead) {
        var out = new ArrayList<Integer>();
        for (int i = numbers.size(); i < 3; i++) out.add(lead);
        out.addAll(numbers);
        return out;
    }

    /** Windows over three spatial axes of {@code planes} images; missing axes have size one. */
    record Windows(
            int planes,
            List<Integer> in,
            List<Integer> out,
            List<Integer> kernel,
            List<Integer> stride,
            List<Integer> padding,
            Shape whole,
            Shape pooled) {

        private int from(int axis, int window) {
            return window * stride.get(axis) - padding.get(axis);
        }

        /** What a visitor is told of each window: its number, its plane's start, its corner. */
        interface Visitor {
            void window(long number, long plane, int d, int h, int w);
        }

        void visit(Visitor visitor) {
            long number = 0;
            long size = (long) in.get(0) * in.get(1) * in.get(2);
            for (int p = 0; p < planes; p++) {
                for (int d = 0; d < out.get(0); d++) {
                    for (int h = 0; h < out.get(1); h++) {
                        for (int w = 0; w < out.get(2); w++) {
                            visitor.window(number++, p * size, from(0, d), from(1, h), from(2, w));
                        }
                    }
                }
            }
        }

        /** The element that {@code route} names in the window at this corner. */
        long element(long plane, int d, int h, int w, int route) {
            int kw = kernel.get(2);
            int kh = kernel.get(1);
            return at(plane, d + route / (kw * kh), h + route / kw % kh, w + route % kw);
        }

        private long at(long plane, int d, int h, int w) {
            return plane + ((long) d * in.get(1) + h) * in.get(2) + w;
        }

        /** The first of the largest elements of a window; the first NaN, if it has one. */
        int largest(Buffer x, long plane, int d0, int h0, int w0) {
            int best = -1;
            double max = 0;
            int route = 0;
            for (int d = d0; d < d0 + kernel.get(0); d++) {
                for (int h = h0; h < h0 + kernel.get(1); h++) {
                    for (int w = w0; w < w0 + kernel.get(2); w++, route++) {
                        if (outside(d, 0) || outside(h, 1) || outside(w, 2)) continue;
                        double value = x.get(at(plane, d, h, w));
                        if (best < 0 || value > max || (Double.isNaN(value) && !Double.isNaN(max))) {
                            best = route;
                            max = value;
                        }
                    }
                }
            }
            return best;
        }

        private boolean outside(int i, int axis) {
            return i < 0 || i >= in.get(axis);
        }
    }

    /** Plain loops over windows; nothing but operands and results. */
    private interface Loops extends Kernel.Library {
        void run(List<Buffer> in, List<Buffer> out);

        @Override
        default long workspaceBytes() {
            return 0;
        }

        @Override
        default void run(List<Buffer> in, List<Buffer> out, Buffer workspace) {
            run(in, out);
        }
    }

    /** Outputs: the largest element of each window, and its place in the window in one byte. */
    private record Max(Windows windows) implements Differentiable {
        @Override
        public String name() {
            return "max_pool";
        }

        @Override
        public List<Type> infer(List<Type> in) {
            var x = in.getFirst();
            if (!x.dtype().isFloat()) {
                throw new ShapeException("max_pool does not take " + x + "; cast it to f32");
            }
            return List.of(x.with(windows.pooled), new Type(DType.U8, windows.pooled));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return (Loops)
                    (from, to) ->
                            windows.visit(
                                    (i, plane, d, h, w) -> {
                                        int route =
                                                windows.largest(from.getFirst(), plane, d, h, w);
                                        long at = windows.element(plane, d, h, w, route);
                                        to.get(0).set(i, from.getFirst().get(at));
                                        to.get(1).setLong(i, route);
                                    });
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, rule.out(1).apply(new Unpool(windows), rule.dout(0)));
        }
    }

    /** Adds each window's element where its route leads. */
    private record Unpool(Windows windows) implements Differentiable {
        @Override
        public List<Type> infer(List<Type> in) {
            return List.of(in.getLast().with(windows.whole));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return (Loops)
                    (from, to) -> {
                        var dx = to.getFirst();
                        for (long i = 0; i < dx.size(); i++) dx.set(i, 0);
                        windows.visit(
                                (i, plane, d, h, w) -> {
                                    int route = (int) from.get(0).getLong(i);
                                    long at = windows.element(plane, d, h, w, route);
                                    dx.set(at, dx.get(at) + from.get(1).get(i));
                                });
                    };
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(1, rule.in(0).apply(new Follow(windows), rule.dout(0)));
        }
    }

    /** Reads for each window the element to which its route leads. */
    private record Follow(Windows windows) implements Differentiable {
        @Override
        public List<Type> infer(List<Type> in) {
            return List.of(in.getLast().with(windows.pooled));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return (Loops)
                    (from, to) ->
                            windows.visit(
                                    (i, plane, d, h, w) -> {
                                        int route = (int) from.get(0).getLong(i);
                                        long at = windows.element(plane, d, h, w, route);
                                        to.getFirst().set(i, from.get(1).get(at));
                                    });
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(1, rule.in(0).apply(new Unpool(windows), rule.dout(0)));
        }
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
            var first = bin.mul(whole(from)).div(whole(to));
            var last = bin.add(whole(1)).mul(whole(from)).add(whole(to - 1)).div(whole(to));
            var share = real(1).div(last.sub(first).cast(dtype));
            var inside = element.ge(first).and(element.lt(last));
            return Kernel.Map.of(Shape.of(from, to), List.of(), inside.select(share, real(0)));
        }

        private static Scalar whole(int n) {
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
