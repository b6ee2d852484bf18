package dev.ebb.cuda;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;

import java.util.ArrayList;
import java.util.List;

/** Convolutions and their gradients, for every kind that has its own kernel text. */
final class ConvolveCases {
    private static final List<DType> FLOATS = List.of(DType.F32, DType.F64, DType.BF16, DType.F16);

    private final CaseBuilder draft;

    ConvolveCases(CaseBuilder draft) {
        this.draft = draft;
    }

    void convolutions() {
        for (var type : FLOATS) {
            for (var side : Kernel.Side.values()) {
                convolve(side, 2, 1, 3, 4, List.of(9), List.of(3), 1, 1, 1, type);
                convolve(side, 2, 2, 2, 3, List.of(6, 7), List.of(3, 2), 2, 1, 1, type);
                convolve(side, 1, 1, 2, 2, List.of(5, 4, 6), List.of(2, 2, 3), 1, 0, 1, type);
                convolve(side, 1, 3, 1, 2, List.of(11, 8), List.of(3, 3), 1, 2, 2, type);
            }
        }
        for (var side : Kernel.Side.values()) {
            // positions in copies of sixteen bytes, of eight, and one by one; whole steps or shares
            convolve(side, 3, 1, 32, 40, List.of(8, 6), List.of(3, 3), 1, 1, 1, DType.BF16);
            convolve(side, 2, 1, 16, 72, List.of(6, 6), List.of(1, 1), 1, 0, 1, DType.F16);
            convolve(side, 2, 2, 20, 16, List.of(5, 7), List.of(3, 3), 2, 1, 1, DType.BF16);
            convolve(side, 5, 1, 40, 16, List.of(9, 7), List.of(2, 3), 1, 1, 2, DType.BF16);
            convolve(side, 1, 1, 16, 32, List.of(9, 9), List.of(3, 3), 3, 1, 2, DType.F32);
            convolve(side, 2, 1, 3, 16, List.of(13, 12), List.of(7, 7), 2, 3, 1, DType.BF16);
            convolve(side, 2, 1, 16, 16, List.of(7, 7), List.of(1, 1), 2, 0, 1, DType.F32);
            convolve(side, 1, 1, 33, 130, List.of(11), List.of(3), 1, 1, 1, DType.F32);
            convolve(side, 1, 1, 17, 16, List.of(4, 3, 5), List.of(2, 3, 2), 2, 1, 1, DType.F32);
        }
        // more than 64 rows and columns of weights, positions in every kind of copy
        var weight = Kernel.Side.WEIGHT;
        convolve(weight, 2, 1, 20, 70, List.of(6, 6), List.of(3, 3), 1, 1, 1, DType.BF16);
        convolve(weight, 3, 1, 16, 80, List.of(5, 5), List.of(3, 3), 1, 1, 1, DType.BF16);
        convolve(weight, 3, 1, 16, 72, List.of(5, 7), List.of(3, 3), 1, 1, 1, DType.F32);
        convolve(weight, 3, 1, 16, 16, List.of(7, 7), List.of(1, 1), 1, 0, 1, DType.F32);
    }

    private void convolve(
            Kernel.Side side,
            int batch,
            int groups,
            int in,
            int out,
            List<Integer> space,
            List<Integer> kernel,
            int stride,
            int low,
            int dilation,
            DType type) {
        var result = new ArrayList<Integer>();
        for (int d = 0; d < space.size(); d++) {
            result.add((space.get(d) + 2 * low - dilation * (kernel.get(d) - 1) - 1) / stride + 1);
        }
        var same = new ArrayList<Integer>();
        var lows = new ArrayList<Integer>();
        var steps = new ArrayList<Integer>();
        for (var _ : space) {
            steps.add(stride);
            lows.add(low);
            same.add(dilation);
        }
        var k =
                new Kernel.Convolve(
                        side, batch, groups, in, out, space, kernel, result, steps, lows, same);
        var input = type(type, List.of(batch, groups * in), space);
        var weight = type(type, List.of(groups * out, in), kernel);
        var output = type(type, List.of(batch, groups * out), result);
        var types =
                switch (side) {
                    case OUTPUT -> List.of(input, weight, output);
                    case INPUT -> List.of(weight, output, input);
                    case WEIGHT -> List.of(input, output, weight);
                };
        draft.add(
                "convolve " + side,
                type + " " + space + kernel,
                k,
                List.of(
                        draft.calm(type, types.get(0).size()),
                        draft.calm(type, types.get(1).size())),
                types.get(2));
    }

    private static Type type(DType type, List<Integer> lead, List<Integer> rest) {
        var dims = new ArrayList<>(lead);
        dims.addAll(rest);
        return new Type(type, new Shape(dims));
    }
}
