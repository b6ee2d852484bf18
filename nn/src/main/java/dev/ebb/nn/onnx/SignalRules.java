package dev.ebb.nn.onnx;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.nn.onnx.wire.ElementKind;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.Arrays;

/** Window functions, and reversed sequences. */
final class SignalRules {
    private SignalRules() {}

    static OpTable table() {
        return new OpTable()
                .one("HannWindow", 17, (node, in) -> window(node, in, 0.5, 0.5, 0))
                .one("HammingWindow", 17, (node, in) -> window(node, in, 25 / 46.0, 21 / 46.0, 0))
                .one("BlackmanWindow", 17, (node, in) -> window(node, in, 0.42, 0.5, 0.08))
                .one("ReverseSequence", 10, SignalRules::reversed);
    }

    /** {@code a - b cos t + c cos 2t}, where t covers a full period, with or without its end. */
    private static Tensor window(OnnxNode node, Operands in, double a, double b, double c) {
        int size = in.number(0);
        if (size < 0) throw node.refused("a window of " + size + " elements");
        long kind = node.whole("output_datatype", ElementKind.of(DType.F32));
        var dtype = ElementKind.dtype(kind);
        if (dtype.isEmpty()) throw node.refused("the element type " + kind);
        int round = node.flag("periodic", true) ? size : size - 1;
        var data = new double[size];
        for (int i = 0; i < size; i++) {
            double t = 2 * Math.PI * i / round;
            data[i] = round == 0 ? 1 : a - b * Math.cos(t) + c * Math.cos(2 * t);
        }
        return Array.of(data).cast(dtype.get());
    }

    /** Reverses the first elements of each row, as many as its length says. */
    private static Tensor reversed(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        int time = x.shape().axis(node.integer("time_axis", 0));
        int batch = x.shape().axis(node.integer("batch_axis", 1));
        if (time == batch) throw node.refused("time_axis and batch_axis are both " + time);
        var lengths = in.tensor(1).cast(DType.I64).reshape(along(x, batch));
        var step = Tensors.iota(DType.I64, along(x, time), time);
        var turned = lengths.sub(1).sub(step);
        var from = Tensors.where(turned.lt(0), step, turned);
        return x.gather(time, from.broadcastTo(x.shape()));
    }

    /** The shape with axis {@code axis} of {@code x} and one element along all other axes. */
    private static Shape along(Tensor x, int axis) {
        var dims = new int[x.rank()];
        Arrays.fill(dims, 1);
        dims[axis] = x.dim(axis);
        return Shape.of(dims);
    }
}
