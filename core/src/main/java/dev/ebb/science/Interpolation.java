package dev.ebb.science;

import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;

/**
 * Curves through points: {@code xs}, ascending, and {@code ys}, two vectors. Each is differentiated
 * by the points, their places and the argument. Outside the points the first or the last piece goes
 * on; to hold the last value instead, clamp the argument. What does not ascend is not refused: the
 * curve then is no function.
 */
public final class Interpolation {
    private Interpolation() {}

    /** The conditions at the ends of a spline. */
    public enum Ends {
        /** The second derivative is zero there. */
        NATURAL,
        /** The first two pieces are one cubic, and so are the last two; needs four points. */
        NOT_A_KNOT
    }

    /** Straight lines between the points, at {@code x} of any shape. */
    public static Tensor linear(Tensor xs, Tensor ys, Tensor x) {
        check("Interpolation.linear", xs, ys, 2);
        Floats.alike("Interpolation.linear", xs, x);
        var piece = piece(xs, x);
        var x0 = xs.indexSelect(0, piece);
        var y0 = ys.indexSelect(0, piece);
        var next = piece.add(1);
        var rise = ys.indexSelect(0, next).sub(y0).div(xs.indexSelect(0, next).sub(x0));
        return y0.add(rise.mul(x.sub(x0)));
    }

    /** Which piece each element belongs to: those outside belong to the first or the last. */
    private static Tensor piece(Tensor xs, Tensor x) {
        var at = Search.sorted(xs, x, Search.Side.RIGHT).sub(1);
        return at.maximum(0).minimum(xs.dim(0) - 2);
    }

    /** Cubics through points with given slopes at them. */
    public record Cubic(Tensor xs, Tensor ys, Tensor slopes) {

        public Cubic {
            check("Interpolation.Cubic", xs, ys, 2);
            check("Interpolation.Cubic", xs, slopes, 2);
        }

        /** The curve at {@code x} of any shape. */
        public Tensor at(Tensor x) {
            Floats.alike("Interpolation.Cubic", xs, x);
            var piece = piece(xs, x);
            var next = piece.add(1);
            var x0 = xs.indexSelect(0, piece);
            var y0 = ys.indexSelect(0, piece);
            var s0 = slopes.indexSelect(0, piece);
            var width = xs.indexSelect(0, next).sub(x0);
            var mean = ys.indexSelect(0, next).sub(y0).div(width);
            var end = slopes.indexSelect(0, next).sub(mean);
            var begin = s0.sub(mean);
            var t = x.sub(x0);
            var u = t.div(width);
            // y0 + t (s0 - u (2 begin + end) + u^2 (begin + end))
            var bend = begin.add(end).mul(u).sub(begin.mul(2).add(end));
            return y0.add(t.mul(s0.add(u.mul(bend))));
        }
    }

    /** The cubic spline: two continuous derivatives. */
    public static Cubic spline(Tensor xs, Tensor ys, Ends ends) {
        check("Interpolation.spline", xs, ys, ends == Ends.NOT_A_KNOT ? 4 : 2);
        int n = xs.dim(0);
        var h = differences(xs);
        var m = differences(ys).div(h);
        var inner = h.slice(0, 1, n - 1).mul(m.slice(0, 0, n - 2));
        inner = inner.add(h.slice(0, 0, n - 2).mul(m.slice(0, 1, n - 1))).mul(3);
        var middle = h.slice(0, 0, n - 2).add(h.slice(0, 1, n - 1)).mul(2);
        var first = end(h, m, ends);
        var last = end(h.flip(0), m.flip(0), ends);
        var diagonal = Tensors.concat(List.of(first.own, middle, last.own), 0);
        var upper = Tensors.concat(List.of(first.other, h.slice(0, 0, n - 2)), 0);
        var lower = Tensors.concat(List.of(h.slice(0, 1, n - 1), last.other), 0);
        var right = Tensors.concat(List.of(first.right, inner, last.right), 0);
        return new Cubic(xs, ys, Tridiagonal.solve(lower, diagonal, upper, right));
    }

    /** An equation of the first slope and its neighbour; widths and rises from this end on. */
    private record End(Tensor own, Tensor other, Tensor right) {}

    private static End end(Tensor h, Tensor m, Ends ends) {
        var h0 = h.slice(0, 0, 1);
        var m0 = m.slice(0, 0, 1);
        return switch (ends) {
            case NATURAL -> new End(h0.mul(2), h0, m0.mul(h0).mul(3));
            case NOT_A_KNOT -> {
                var h1 = h.slice(0, 1, 2);
                var both = h0.add(h1);
                var right = h0.add(both.mul(2)).mul(h1).mul(m0);
                yield new End(h1, both, right.add(h0.square().mul(m.slice(0, 1, 2))).div(both));
            }
        };
    }

    /**
     * Cubics that rise where the points rise and never leave their range between two points
     * (PCHIP): slopes by Fritsch and Butland's weighted harmonic mean, 1984.
     */
    public static Cubic pchip(Tensor xs, Tensor ys) {
        check("Interpolation.pchip", xs, ys, 2);
        int n = xs.dim(0);
        var h = differences(xs);
        var m = differences(ys).div(h);
        if (n == 2) return new Cubic(xs, ys, Tensors.concat(List.of(m, m), 0));
        var h0 = h.slice(0, 0, n - 2);
        var h1 = h.slice(0, 1, n - 1);
        var m0 = m.slice(0, 0, n - 2);
        var m1 = m.slice(0, 1, n - 1);
        var turns = m0.mul(m1).le(0);
        var one = m0.literal(1);
        var w0 = h1.mul(2).add(h0);
        var w1 = h0.mul(2).add(h1);
        var sum = w0.div(Tensors.where(turns, one, m0)).add(w1.div(Tensors.where(turns, one, m1)));
        var inner = Tensors.where(turns, m0.literal(0), w0.add(w1).div(sum));
        var first = edge(h, m);
        var last = edge(h.flip(0), m.flip(0));
        return new Cubic(xs, ys, Tensors.concat(List.of(first, inner, last), 0));
    }

    /** A slope at the end from three points, bent so that the curve stays monotone. */
    private static Tensor edge(Tensor h, Tensor m) {
        var h0 = h.slice(0, 0, 1);
        var h1 = h.slice(0, 1, 2);
        var m0 = m.slice(0, 0, 1);
        var m1 = m.slice(0, 1, 2);
        var slope = h0.mul(2).add(h1).mul(m0).sub(h0.mul(m1)).div(h0.add(h1));
        var steep = m0.mul(m1).le(0).and(slope.abs().gt(m0.abs().mul(3)));
        var bent = Tensors.where(steep, m0.mul(3), slope);
        return Tensors.where(slope.mul(m0).le(0), m0.literal(0), bent);
    }

    private static Tensor differences(Tensor x) {
        int n = x.dim(0);
        return x.slice(0, 1, n).sub(x.slice(0, 0, n - 1));
    }

    private static void check(String function, Tensor xs, Tensor ys, int least) {
        Floats.alike(function, xs, ys);
        if (xs.rank() != 1 || !ys.shape().equals(xs.shape()) || xs.dim(0) < least) {
            throw new ShapeException(
                    "%s of %s at %s; both must be vectors of one length, at least %s"
                            .formatted(function, ys.type(), xs.type(), least));
        }
    }
}
