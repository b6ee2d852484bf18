package dev.ebb.nn.onnx;

import dev.ebb.Loop;
import dev.ebb.Next;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.List;

/** Gathering and scattering by index. ONNX counts negative indices from the end. */
final class IndexRules {
    private IndexRules() {}

    static OpTable table() {
        return new OpTable()
                .one("Gather", 1, IndexRules::gather)
                .one("GatherElements", 11, IndexRules::gatherElements)
                .one("GatherND", 11, IndexRules::gatherPoints)
                .one("ScatterElements", 11, IndexRules::scatterElements)
                .one("Scatter", 9, IndexRules::scatterElements)
                .one("ScatterND", 11, IndexRules::scatterPoints)
                .one("OneHot", 9, IndexRules::oneHot)
                .one("NonZero", 9, (_, in) -> nonZero(in.known(0)))
                .one("Compress", 9, IndexRules::compress);
    }

    private static Tensor fromFront(Tensor index, int size) {
        var wide = index.cast(DType.I64);
        return Tensors.where(wide.lt(0), wide.add(size), wide);
    }

    private static Tensor gather(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        int axis = x.shape().axis(node.integer("axis", 0));
        if (in.tensor(1) instanceof Array one && one.rank() == 0) return x.at(axis, in.number(1));
        return x.indexSelect(axis, fromFront(in.tensor(1), x.dim(axis)));
    }

    private static Tensor gatherElements(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        int axis = x.shape().axis(node.integer("axis", 0));
        return x.gather(axis, fromFront(in.tensor(1), x.dim(axis)));
    }

    private static Tensor scatterElements(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        int axis = x.shape().axis(node.integer("axis", 0));
        var index = fromFront(in.tensor(1), x.dim(axis));
        var source = in.tensor(2);
        return switch (node.text("reduction", "none")) {
            case "none" -> x.scatter(axis, index, source);
            case "add" -> x.scatterAdd(axis, index, source).cast(x.dtype());
            case "max" -> x.scatterMax(axis, index, source);
            case "min" -> x.scatterMin(axis, index, source);
            default -> throw node.refused("the reduction " + node.text("reduction", ""));
        };
    }

    /** The row-major index of a point, whose coordinates are along the last axis. */
    private static Tensor flat(Tensor index, List<Integer> sizes) {
        int last = index.rank() - 1;
        var flat = fromFront(index.at(last, 0), sizes.getFirst());
        for (int i = 1; i < sizes.size(); i++)
            flat = flat.mul((double) sizes.get(i)).add(fromFront(index.at(last, i), sizes.get(i)));
        return flat;
    }

    /** The slices at the given points; the first axes may be batch axes. */
    private static Tensor gatherPoints(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var index = in.tensor(1).cast(DType.I64);
        int together = node.integer("batch_dims", 0);
        int width = index.dim(index.rank() - 1);
        var dims = x.shape().dims();
        var batch = new Shape(dims.subList(0, together));
        var sizes = dims.subList(together, together + width);
        var rest = dims.subList(together + width, x.rank());
        int points = Math.toIntExact(new Shape(sizes).size());
        var flat = flat(index, sizes);
        if (together > 0) {
            int batches = Math.toIntExact(batch.size());
            var rows = flat.reshape(batches, -1);
            var first = Tensors.iota(DType.I64, rows.shape(), 0).mul((double) points);
            flat = rows.add(first).reshape(flat.shape());
        }
        var slices = new ArrayList<Integer>();
        slices.add(Math.toIntExact(batch.size() * points));
        slices.addAll(rest);
        return x.reshape(new Shape(slices)).indexSelect(0, flat);
    }

    private static Tensor scatterPoints(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var index = in.tensor(1);
        int width = index.dim(index.rank() - 1);
        var sizes = x.shape().dims().subList(0, width);
        int points = Math.toIntExact(new Shape(sizes).size());
        var flat = flat(index, sizes).reshape(-1);
        var table = x.reshape(points, -1);
        var source = in.tensor(2).reshape(flat.dim(0), -1);
        var written =
                switch (node.text("reduction", "none")) {
                    case "none" -> table.indexCopy(0, flat, source);
                    case "add" -> table.indexAdd(0, flat, source).cast(x.dtype());
                    case "mul" -> multiplied(table, flat, source);
                    case "max" -> table.scatterMax(0, across(flat, source), source);
                    case "min" -> table.scatterMin(0, across(flat, source), source);
                    default -> throw node.refused("the reduction " + node.text("reduction", ""));
                };
        return written.reshape(x.shape());
    }

    /** The same index for every element of a row. */
    private static Tensor across(Tensor flat, Tensor rows) {
        return flat.reshape(-1, 1).broadcastTo(rows.shape());
    }

    /** Multiplies row by row, because several rows may go to the same place. */
    private static Tensor multiplied(Tensor table, Tensor flat, Tensor rows) {
        return Loop.scan(
                        List.of(table),
                        List.of(flat.reshape(-1, 1), rows),
                        (List<Tensor> carry, List<Tensor> row) -> {
                            var at = row.getFirst();
                            var held = carry.getFirst();
                            var product = held.indexSelect(0, at).mul(row.getLast());
                            return new Next<>(
                                    List.of(held.indexCopy(0, at, product)), List.<Tensor>of());
                        })
                .carry()
                .getFirst();
    }

    /** An index outside the depth gives a row of zeros. */
    private static Tensor oneHot(OnnxNode node, Operands in) {
        int depth = (int) in.real(1);
        var values = in.tensor(2);
        var index = in.tensor(0);
        int rank = index.rank() + 1;
        int axis = node.integer("axis", -1);
        int at = axis < 0 ? axis + rank : axis;
        var dims = new ArrayList<>(index.shape().dims());
        dims.add(at, depth);
        var places = Tensors.iota(DType.I64, new Shape(dims), at);
        var hot = fromFront(index, depth).unsqueeze(at).eq(places);
        return Tensors.where(hot, values.at(0, 1), values.at(0, 0));
    }

    /** The indices of nonzero elements, in row-major order, one row per axis. */
    private static Tensor nonZero(Array x) {
        var found = new ArrayList<Long>();
        for (long i = 0; i < x.type().size(); i++) if (x.data().get(i) != 0) found.add(i);
        var places = new long[x.rank() * found.size()];
        for (int j = 0; j < found.size(); j++) {
            long rest = found.get(j);
            for (int axis = x.rank() - 1; axis >= 0; axis--) {
                places[axis * found.size() + j] = rest % x.dim(axis);
                rest /= x.dim(axis);
            }
        }
        return Array.of(Shape.of(x.rank(), found.size()), places);
    }

    private static Tensor compress(OnnxNode node, Operands in) {
        var chosen = nonZero(in.known(1)).reshape(-1);
        var x = in.tensor(0);
        if (!node.has("axis")) return x.reshape(-1).indexSelect(0, chosen);
        return x.indexSelect(node.integer("axis", 0), chosen);
    }
}
