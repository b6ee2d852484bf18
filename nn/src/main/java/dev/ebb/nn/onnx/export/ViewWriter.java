package dev.ebb.nn.onnx.export;

import dev.ebb.ir.Shape;
import dev.ebb.ir.View;
import dev.ebb.nn.onnx.export.GraphWriter.Named;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Writes a kernel's view of an operand as nodes: slices, transposes and reshapes. */
final class ViewWriter {
    private ViewWriter() {}

    /**
     * {@code x} read through {@code view} over {@code shape}; the result broadcasts to that shape.
     */
    static Named read(GraphWriter graph, Named x, View view, Shape shape) {
        if (view.isContiguous(shape) && x.shape().size() == shape.size())
            return graph.reshaped(x, shape);
        var own = View.contiguous(x.shape());
        int rank = x.shape().rank();
        var starts = starts(x.shape(), view.offset());
        var sizes = new ArrayList<>(Collections.nCopies(rank, 1));
        var steps = new ArrayList<>(Collections.nCopies(rank, 1));
        var order = new ArrayList<Integer>();
        var dims = new ArrayList<Integer>();
        for (int d = 0; d < shape.rank(); d++) {
            boolean moves = shape.dim(d) > 1 && view.stride(d) != 0;
            dims.add(moves ? shape.dim(d) : 1);
            if (!moves) continue;
            int axis = axis(x, view.stride(d), shape.dim(d), order);
            order.add(axis);
            sizes.set(axis, shape.dim(d));
            steps.set(axis, Math.toIntExact(view.stride(d) / own.stride(axis)));
        }
        for (int a = 0; a < rank; a++) if (!order.contains(a)) order.add(a);
        var picked = graph.sliced(x, starts, sizes, steps);
        return graph.reshaped(graph.permuted(picked, order), new Shape(dims));
    }

    /** Each operand read through its view. */
    static List<Named> readAll(
            GraphWriter graph, List<Named> operands, List<View> views, Shape shape) {
        var all = new ArrayList<Named>();
        for (int i = 0; i < views.size(); i++)
            all.add(read(graph, operands.get(i), views.get(i), shape));
        return all;
    }

    /** The index of the element at {@code offset}, axis by axis. */
    private static List<Integer> starts(Shape shape, long offset) {
        var own = View.contiguous(shape);
        var starts = new ArrayList<Integer>();
        long rest = offset;
        for (int a = 0; a < shape.rank(); a++) {
            starts.add(shape.dim(a) == 1 ? 0 : Math.toIntExact(rest / own.stride(a)));
            if (shape.dim(a) > 1) rest %= own.stride(a);
        }
        return starts;
    }

    /** The axis of {@code count} elements with stride {@code stride}. */
    private static int axis(Named x, long stride, int count, List<Integer> taken) {
        var own = View.contiguous(x.shape());
        for (int a = 0; a < x.shape().rank(); a++) {
            if (x.shape().dim(a) == 1 || taken.contains(a) || stride % own.stride(a) != 0) continue;
            long step = Math.abs(stride / own.stride(a));
            if ((count - 1) * step < x.shape().dim(a)) return a;
        }
        throw new NotExportableException("elements of " + x.shape() + " read " + stride + " apart");
    }
}
