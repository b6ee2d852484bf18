package dev.ebb.nn.onnx;

import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Ops for bounding boxes found in images. */
final class DetectionRules {
    private DetectionRules() {}

    static OpTable table() {
        return new OpTable().one("NonMaxSuppression", 10, DetectionRules::suppressed);
    }

    /**
     * For each class in each image the boxes with the highest scores, without those that overlap
     * one already selected: rows of image, class and box. Their number depends on the elements, so
     * these must be known.
     */
    private static Array suppressed(OnnxNode node, Operands in) {
        if (!(in.tensor(0) instanceof Array boxes) || !(in.tensor(1) instanceof Array scores))
            throw node.refused(
                    "how many boxes it gives depends on data, and shapes have to be known before"
                            + " a compiled model runs; apply the model to arrays without compiling"
                            + " it, or export it without this op");
        var dims = scores.shape().dims();
        if (dims.size() != 3 || !boxes.shape().equals(Shape.of(dims.getFirst(), dims.getLast(), 4)))
            throw node.refused("boxes of " + boxes.type() + " with scores of " + scores.type());
        int most = in.has(2) ? in.number(2) : 0;
        double overlap = in.has(3) ? in.real(3) : 0;
        double least = in.has(4) ? in.real(4) : Double.NEGATIVE_INFINITY;
        int count = dims.getLast();
        var rows = new ArrayList<Long>();
        for (int picture = 0; picture < dims.getFirst(); picture++) {
            var corners = corners(node, boxes, picture, count);
            for (int kind = 0; kind < dims.get(1); kind++) {
                var score = new double[count];
                long from = ((long) picture * dims.get(1) + kind) * count;
                for (int i = 0; i < count; i++) score[i] = scores.data().get(from + i);
                for (int box : taken(corners, score, most, overlap, least))
                    rows.addAll(List.of((long) picture, (long) kind, (long) box));
            }
        }
        var all = rows.stream().mapToLong(Long::longValue).toArray();
        return Array.of(Shape.of(all.length / 3, 3), all);
    }

    /** The least and largest coordinates of a box, in the floats of the input. */
    private record Box(float top, float left, float bottom, float right) {
        float area() {
            return (bottom - top) * (right - left);
        }

        boolean overlaps(Box other, double most) {
            float height = Math.min(bottom, other.bottom) - Math.max(top, other.top);
            float width = Math.min(right, other.right) - Math.max(left, other.left);
            if (height <= 0 || width <= 0) return false;
            float both = height * width;
            return both / (area() + other.area() - both) > most;
        }
    }

    private static List<Box> corners(OnnxNode node, Array boxes, int picture, int count) {
        boolean centres = node.flag("center_point_box", false);
        var all = new ArrayList<Box>();
        for (int i = 0; i < count; i++) {
            long at = ((long) picture * count + i) * 4;
            float a = (float) boxes.data().get(at);
            float b = (float) boxes.data().get(at + 1);
            float c = (float) boxes.data().get(at + 2);
            float d = (float) boxes.data().get(at + 3);
            // either centre x, centre y, width, height, or two opposite corners y, x, y, x
            all.add(
                    centres
                            ? new Box(b - d / 2, a - c / 2, b + d / 2, a + c / 2)
                            : new Box(
                                    Math.min(a, c),
                                    Math.min(b, d),
                                    Math.max(a, c),
                                    Math.max(b, d)));
        }
        return all;
    }

    private static List<Integer> taken(
            List<Box> boxes, double[] scores, int most, double overlap, double least) {
        var order =
                IntStream.range(0, scores.length)
                        .filter(i -> scores[i] > least)
                        .boxed()
                        .sorted(Comparator.comparingDouble(i -> -scores[i]))
                        .toList();
        var taken = new ArrayList<Integer>();
        for (int i : order) {
            if (taken.size() >= most) break;
            var box = boxes.get(i);
            if (taken.stream().noneMatch(t -> box.overlaps(boxes.get(t), overlap))) taken.add(i);
        }
        return taken;
    }
}
