package dev.ebb.cpu;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class ConvolveTest {

    /** One convolution, its gradients included; the output's size follows from the rest. */
    private static void check(
            int batch,
            int groups,
            int inChannels,
            int outChannels,
            List<Integer> in,
            List<Integer> kernel,
            int stride,
            int low,
            int dilation) {
        var out = new ArrayList<Integer>();
        for (int d = 0; d < in.size(); d++) {
            int reach = (kernel.get(d) - 1) * dilation + 1;
            out.add(Math.max(0, (in.get(d) + 2 * low - reach) / stride + 1));
        }
        var shapes =
                List.of(
                        shape(batch, groups * inChannels, in),
                        shape(groups * outChannels, inChannels, kernel),
                        shape(batch, groups * outChannels, out));
        for (var side : Kernel.Side.values()) {
            int computed =
                    List.of(Kernel.Side.INPUT, Kernel.Side.WEIGHT, Kernel.Side.OUTPUT)
                            .indexOf(side);
            var c =
                    new Kernel.Convolve(
                            side,
                            batch,
                            groups,
                            inChannels,
                            outChannels,
                            in,
                            kernel,
                            out,
                            all(stride, in),
                            all(low, in),
                            all(dilation, in));
            for (DType type : List.of(DType.F32, DType.F64, DType.BF16)) {
                var types = new ArrayList<Type>();
                for (int i = 0; i < 3; i++)
                    if (i != computed) types.add(new Type(type, shapes.get(i)));
                new Parity(c, types, List.of(new Type(type, shapes.get(computed))))
                        .agrees(type == DType.F32 ? 1e-5 : type == DType.F64 ? 1e-13 : 8e-3);
            }
        }
    }

    private static List<Integer> all(int x, List<Integer> like) {
        return like.stream().map(_ -> x).toList();
    }

    private static Shape shape(int first, int second, List<Integer> rest) {
        var dims = new ArrayList<>(List.of(first, second));
        dims.addAll(rest);
        return new Shape(dims);
    }

    @Test
    void agreesInOneDimension() {
        check(3, 1, 5, 7, List.of(31), List.of(3), 1, 1, 1);
        check(1, 2, 3, 2, List.of(40), List.of(5), 3, 0, 2);
    }

    @Test
    void agreesInTwoDimensions() {
        check(2, 1, 3, 8, List.of(13, 9), List.of(3, 3), 1, 1, 1);
        check(2, 1, 4, 6, List.of(12, 17), List.of(3, 2), 2, 1, 1);
        check(1, 4, 1, 2, List.of(8, 8), List.of(3, 3), 1, 2, 2);
        check(2, 1, 1, 1, List.of(20, 20), List.of(7, 7), 1, 3, 1);
    }

    @Test
    void agreesInThreeDimensions() {
        check(2, 1, 2, 3, List.of(5, 6, 7), List.of(2, 3, 2), 1, 1, 1);
        check(1, 2, 2, 2, List.of(4, 7, 5), List.of(3, 3, 3), 2, 1, 1);
    }

    @Test
    void agreesWithMoreChannelsThanABlockIsDeep() {
        check(1, 1, 300, 3, List.of(5, 5), List.of(2, 2), 1, 0, 1);
        check(1, 1, 3, 300, List.of(5, 5), List.of(2, 2), 1, 0, 1);
    }

    @Test
    void agreesOnEmptySizes() {
        check(0, 1, 2, 2, List.of(4, 4), List.of(3, 3), 1, 1, 1);
        check(1, 1, 0, 2, List.of(4), List.of(3), 1, 1, 1);
    }
}
