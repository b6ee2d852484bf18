package dev.ebb.nn.onnx;

import dev.ebb.ir.DType;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.List;

/**
 * {@code GridSample} of images: a grid gives the position in the image of each pixel of the result,
 * from -1 to 1 along each axis, and the pixels around that position are interpolated. The result is
 * differentiable with respect to both image and grid.
 */
final class GridSampleRules {
    /** The slope of Keys' kernel (1981) at a distance of one. */
    private static final double SLOPE = -0.75;

    private GridSampleRules() {}

    static OpTable table() {
        return new OpTable().one("GridSample", 16, GridSampleRules::sampled);
    }

    /**
     * One of the pixels that are interpolated along an axis: its offset from the first, and its
     * weight.
     */
    private record Tap(int offset, Tensor weight) {}

    /** An axis of the image, and how positions outside it are treated. */
    private record Axis(int size, boolean corners, String padding) {

        /** The coordinates of a grid's positions, in pixels. */
        Tensor places(Tensor grid, boolean nearest) {
            var from =
                    corners
                            ? grid.add(1).mul((size - 1) / 2.0)
                            : grid.add(1).mul(size).sub(1).mul(0.5);
            var rounded = nearest ? from.round() : from;
            return switch (padding) {
                case "border" -> rounded.clamp(0, size - 1);
                case "reflection" -> reflected(rounded);
                default -> rounded;
            };
        }

        /** Coordinates reflected at the ends, as often as necessary. */
        private Tensor reflected(Tensor places) {
            double low = corners ? 0 : -0.5;
            double range = corners ? size - 1 : size;
            if (range == 0) return places.mul(0);
            var away = places.sub(low).abs();
            var times = away.div(range).floor();
            var rest = away.sub(times.mul(range));
            var even = times.sub(times.mul(0.5).floor().mul(2)).lt(0.5);
            return Tensors.where(even, rest, rest.neg().add(range)).add(low);
        }

        /** The pixel index for integer coordinates, which may be outside the image. */
        Tensor points(Tensor whole) {
            var inside = padding.equals("reflection") ? reflected(whole).round() : whole;
            return inside.clamp(0, size - 1);
        }

        /** Whether an integer coordinate is inside the image. */
        Tensor isInside(Tensor whole) {
            return whole.ge(0).and(whole.lt(size));
        }
    }

    private static List<Tap> taps(OnnxNode node, String mode, Tensor share) {
        return switch (mode) {
            case "nearest" -> List.of(new Tap(0, Array.scalar(1.0).cast(share.dtype())));
            case "bilinear", "linear" -> List.of(new Tap(0, share.neg().add(1)), new Tap(1, share));
            case "bicubic", "cubic" ->
                    List.of(
                            new Tap(-1, far(share.add(1))),
                            new Tap(0, near(share)),
                            new Tap(1, near(share.neg().add(1))),
                            new Tap(2, far(share.neg().add(2))));
            default -> throw node.refused("the mode " + mode);
        };
    }

    private static Tensor near(Tensor d) {
        return d.mul(SLOPE + 2).sub(SLOPE + 3).mul(d).mul(d).add(1);
    }

    private static Tensor far(Tensor d) {
        return d.mul(SLOPE).sub(5 * SLOPE).mul(d).add(8 * SLOPE).mul(d).sub(4 * SLOPE);
    }

    private static Tensor sampled(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var grid = in.tensor(1);
        if (x.rank() != 4 || grid.rank() != 4 || grid.dim(3) != 2 || grid.dim(0) != x.dim(0))
            throw node.refused(
                    "pictures of "
                            + x.type()
                            + " with a grid of "
                            + grid.type()
                            + "; [batch, channels, height, width] with [batch, rows, columns, 2]"
                            + " is implemented");
        var mode = node.text("mode", "bilinear");
        boolean corners = node.flag("align_corners", false);
        var padding = node.text("padding_mode", "zeros");
        if (!List.of("zeros", "border", "reflection").contains(padding))
            throw node.refused("the padding_mode " + padding);
        var down = new Axis(x.dim(2), corners, padding);
        var across = new Axis(x.dim(3), corners, padding);
        int batch = x.dim(0);
        boolean nearest = mode.equals("nearest");
        var y = down.places(grid.at(3, 1).reshape(batch, 1, -1), nearest);
        var z = across.places(grid.at(3, 0).reshape(batch, 1, -1), nearest);
        var flat = x.reshape(batch, x.dim(1), -1);
        var mixed =
                mixed(
                        flat,
                        down,
                        taps(node, mode, y.sub(y.floor())),
                        y.floor(),
                        across,
                        taps(node, mode, z.sub(z.floor())),
                        z.floor());
        return mixed.reshape(batch, x.dim(1), grid.dim(1), grid.dim(2));
    }

    /** The weighted sum over all pixels that are interpolated, along both axes. */
    private static Tensor mixed(
            Tensor flat,
            Axis down,
            List<Tap> rows,
            Tensor firstRow,
            Axis across,
            List<Tap> columns,
            Tensor firstColumn) {
        var terms = new ArrayList<Tensor>();
        for (var row : rows) {
            for (var column : columns) {
                var i = firstRow.add(row.offset);
                var j = firstColumn.add(column.offset);
                var weight = row.weight.mul(column.weight);
                if (down.padding.equals("zeros"))
                    weight =
                            Tensors.where(
                                    down.isInside(i).and(across.isInside(j)),
                                    weight,
                                    Array.scalar(0.0).cast(weight.dtype()));
                var at = down.points(i).mul(across.size).add(across.points(j)).cast(DType.I64);
                terms.add(flat.takeAlong(2, at).mul(weight.cast(flat.dtype())));
            }
        }
        return terms.stream().reduce(Tensor::add).orElseThrow();
    }
}
