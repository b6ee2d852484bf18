package dev.ebb.tensor.network;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;

import java.util.List;

/**
 * Windows over three spatial axes of {@code planes} images, one after the other; axes that are not
 * there have size one.
 */
record Windows(int planes, Axis depth, Axis height, Axis width, Shape whole, Shape pooled) {

    /** How windows lie along one axis. */
    record Axis(int in, int out, int kernel, int stride, int padding) {
        private static final Axis NONE = new Axis(1, 1, 1, 1, 0);

        /** The first element of a window; it may lie in the padding. */
        int from(int window) {
            return window * stride - padding;
        }

        boolean holds(int i) {
            return i >= 0 && i < in;
        }
    }

    /** The windows of {@code p} over [batch, channels, ...]. */
    static Windows of(Tensor x, Pool p) {
        int rank = x.rank() - 2;
        var out = p.out(x);
        var pooled = x.shape();
        for (int d = 0; d < rank; d++) pooled = pooled.with(2 + d, out.get(d));
        return new Windows(
                Math.multiplyExact(x.dim(0), x.dim(1)),
                axis(x, p, out, rank - 3),
                axis(x, p, out, rank - 2),
                axis(x, p, out, rank - 1),
                x.shape(),
                pooled);
    }

    /** What they were made of. */
    Pool pool() {
        var axes = List.of(depth, height, width).subList(5 - whole.rank(), 3);
        return new Pool(
                axes.stream().map(Axis::kernel).toList(),
                axes.stream().map(Axis::stride).toList(),
                axes.stream().map(Axis::padding).toList());
    }

    private static Axis axis(Tensor x, Pool p, List<Integer> out, int d) {
        if (d < 0) return Axis.NONE;
        return new Axis(
                x.dim(2 + d), out.get(d), p.kernel().get(d), p.stride().get(d), p.padding().get(d));
    }

    /** What is done at each window: its number, and where its plane and its corner lie. */
    interface Visitor {
        void window(long number, long plane, int d, int h, int w);
    }

    void visit(Visitor visitor) {
        long number = 0;
        long size = (long) depth.in * height.in * width.in;
        for (int p = 0; p < planes; p++) {
            for (int d = 0; d < depth.out; d++) {
                for (int h = 0; h < height.out; h++) {
                    for (int w = 0; w < width.out; w++) {
                        visitor.window(
                                number++, p * size, depth.from(d), height.from(h), width.from(w));
                    }
                }
            }
        }
    }

    /** The element that {@code route} names in the window at this corner. */
    long element(long plane, int d, int h, int w, int route) {
        int row = route / width.kernel;
        return at(
                plane, d + row / height.kernel, h + row % height.kernel, w + route % width.kernel);
    }

    private long at(long plane, int d, int h, int w) {
        return plane + ((long) d * height.in + h) * width.in + w;
    }

    /** The route to the first of the largest elements; to the first NaN, if there is one. */
    int largest(Buffer x, long plane, int cornerD, int cornerH, int cornerW) {
        int best = -1;
        double max = 0;
        int route = 0;
        for (int d = cornerD; d < cornerD + depth.kernel; d++) {
            for (int h = cornerH; h < cornerH + height.kernel; h++) {
                for (int w = cornerW; w < cornerW + width.kernel; w++, route++) {
                    if (!depth.holds(d) || !height.holds(h) || !width.holds(w)) continue;
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
}
