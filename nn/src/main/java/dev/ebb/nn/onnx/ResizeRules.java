package dev.ebb.nn.onnx;

import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * {@code Resize}, axis by axis: computes the position of each element of the result among those of
 * the input, by the standard's coordinate modes, and resamples there.
 */
final class ResizeRules {
    private ResizeRules() {}

    static OpTable table() {
        return new OpTable().one("Resize", 11, ResizeRules::resize);
    }

    /**
     * One axis.
     *
     * @param scale elements of the result per element of the input
     * @param exact the size of the result before it is rounded down
     * @param start of the cropped part, as a share of the input, for the mode that crops
     */
    private record Axis(
            int axis, int in, int out, double scale, double exact, double start, double end) {}

    private static Tensor resize(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var mode = node.text("mode", "nearest");
        if (!mode.equals("nearest") && !x.dtype().isFloat())
            throw node.refused("the mode " + mode + " of " + x.type() + "; cast it to floats");
        var y = x;
        for (var axis : axes(node, in, x)) {
            if (axis.in == 0 || axis.out == 0) throw node.refused("an axis of no elements");
            if (axis.in == axis.out && axis.scale == 1 && !isCropped(node)) continue;
            y = resampling(node, axis).of(y, axis.axis, node.number("extrapolation_value", 0));
        }
        return y;
    }

    private static boolean isCropped(OnnxNode node) {
        return node.text("coordinate_transformation_mode", "").equals("tf_crop_and_resize");
    }

    /** Sizes and scales of all axes, or of those that the attribute names. */
    private static List<Axis> axes(OnnxNode node, Operands in, Tensor x) {
        var axes =
                node.has("axes")
                        ? node.list("axes").stream().map(x.shape()::axis).toList()
                        : x.shape().allAxes();
        int count = axes.size();
        var sizes = in.has(3) ? in.numbers(3) : List.<Integer>of();
        var scales = given(in, 2);
        if (sizes.isEmpty() == scales.isEmpty())
            throw node.refused("it takes scales or sizes, and is given both or none");
        if (Math.max(sizes.size(), scales.size()) != count)
            throw node.refused("it resizes " + count + " axes and is given other numbers of them");
        var part = isCropped(node) ? given(in, 1) : List.<Double>of();
        if (isCropped(node) && part.size() != 2 * count)
            throw node.refused("its roi has " + part.size() + " numbers, not " + 2 * count);
        double same = sizes.isEmpty() ? 0 : kept(node, x, axes, sizes);
        var all = new ArrayList<Axis>();
        for (int i = 0; i < count; i++) {
            int axis = axes.get(i);
            int size = x.dim(axis);
            double start = part.isEmpty() ? 0 : part.get(i);
            double end = part.isEmpty() ? 1 : part.get(i + count);
            double scale = sizes.isEmpty() ? scales.get(i) : (double) sizes.get(i) / size;
            double exact = sizes.isEmpty() ? (float) (size * (end - start) * scale) : sizes.get(i);
            if (same > 0) {
                scale = same;
                exact = same * size;
            }
            double rounded = same > 0 ? Math.floor(exact + 0.5) : Math.floor(exact);
            if (!(scale > 0 && rounded >= 0 && rounded <= Integer.MAX_VALUE))
                throw node.refused("axis " + axis + " of " + size + " becomes " + exact);
            all.add(new Axis(axis, size, (int) rounded, scale, exact, start, end));
        }
        return all;
    }

    private static List<Double> given(Operands in, int place) {
        var all = new ArrayList<Double>();
        if (!in.has(place)) return all;
        for (double number : in.known(place).toDoubles()) all.add(number);
        return all;
    }

    /** The common scale of all axes if the aspect ratio is to be kept; otherwise zero. */
    private static double kept(OnnxNode node, Tensor x, List<Integer> axes, List<Integer> sizes) {
        var policy = node.text("keep_aspect_ratio_policy", "stretch");
        double least = Double.POSITIVE_INFINITY;
        double most = 0;
        for (int i = 0; i < sizes.size(); i++) {
            double scale = (double) sizes.get(i) / x.dim(axes.get(i));
            least = Math.min(least, scale);
            most = Math.max(most, scale);
        }
        return switch (policy) {
            case "stretch" -> 0;
            case "not_larger" -> least;
            case "not_smaller" -> most;
            default -> throw node.refused("the policy " + policy);
        };
    }

    private static Resampling resampling(OnnxNode node, Axis axis) {
        var places = new double[axis.out];
        for (int i = 0; i < places.length; i++) places[i] = place(node, axis, i);
        boolean own = node.flag("exclude_outside", false);
        boolean smooth = node.flag("antialias", false) && axis.scale < 1;
        double stretch = smooth ? 1 / axis.scale : 1;
        double a = node.number("cubic_coeff_a", -0.75);
        var made =
                switch (node.text("mode", "nearest")) {
                    case "nearest" -> Resampling.nearest(places, axis.in, rounding(node));
                    case "linear" ->
                            Resampling.weighted(
                                    places,
                                    axis.in,
                                    d -> Math.max(0, 1 - Math.abs(d)),
                                    1,
                                    stretch,
                                    own);
                    case "cubic" ->
                            Resampling.weighted(places, axis.in, d -> cubic(a, d), 2, stretch, own);
                    default -> throw node.refused("the mode " + node.text("mode", ""));
                };
        if (!isCropped(node)) return made;
        return new Resampling(made.at(), made.weights(), Resampling.beyond(places, axis.in));
    }

    /** Keys' kernel (1981), for its slope {@code a} at a distance of one. */
    private static double cubic(double a, double distance) {
        double d = Math.abs(distance);
        if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
        return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
    }

    /** The position of element {@code i} of the result among those of the input. */
    private static double place(OnnxNode node, Axis axis, int i) {
        var mode = node.text("coordinate_transformation_mode", "half_pixel");
        double last = axis.in - 1;
        return switch (mode) {
            case "half_pixel" -> (i + 0.5) / axis.scale - 0.5;
            case "half_pixel_symmetric" -> {
                double missing = axis.in / 2.0 * (1 - axis.out / axis.exact);
                yield missing + (i + 0.5) / axis.scale - 0.5;
            }
            case "pytorch_half_pixel" -> axis.out > 1 ? (i + 0.5) / axis.scale - 0.5 : 0;
            case "tf_half_pixel_for_nn" -> (i + 0.5) / axis.scale;
            case "align_corners" -> axis.out > 1 ? i * last / (axis.out - 1) : 0;
            case "asymmetric" -> i / axis.scale;
            case "tf_crop_and_resize" ->
                    axis.out > 1
                            ? axis.start * last
                                    + i * (axis.end - axis.start) * last / (axis.out - 1)
                            : (axis.start + axis.end) / 2 * last;
            default -> throw node.refused("the coordinates " + mode);
        };
    }

    private static DoubleUnaryOperator rounding(OnnxNode node) {
        var mode = node.text("nearest_mode", "round_prefer_floor");
        return switch (mode) {
            case "round_prefer_floor" -> x -> Math.ceil(x - 0.5);
            case "round_prefer_ceil" -> x -> Math.floor(x + 0.5);
            case "floor" -> Math::floor;
            case "ceil" -> Math::ceil;
            default -> throw node.refused("the rounding " + mode);
        };
    }
}
