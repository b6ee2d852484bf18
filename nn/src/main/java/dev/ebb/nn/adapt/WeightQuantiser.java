package dev.ebb.nn.adapt;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.nn.adapt.QuantisedDense.Bits;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.List;
import java.util.Optional;

/**
 * Quantises weights. A block consists of some inputs of one output; its scale maps its largest
 * weight to the largest code, and each weight is rounded to the nearest code.
 *
 * @param pieces the number of pieces of equal width into which the outputs are divided
 * @param columns the outputs of a piece
 */
record WeightQuantiser(Bits bits, int inputs, int pieces, int columns, int blocks) {
    /** The most weights of a piece, 1 MiB in f32, unless it is a single output. */
    private static final int PIECE = 1 << 18;

    /** The inputs of a block with 4 bits; with 8 bits, an output has one scale. */
    private static final int BLOCK = 64;

    private static WeightQuantiser of(Type weight, Bits bits) {
        if (weight.shape().rank() != 2 || !weight.dtype().isFloat()) {
            throw new IllegalArgumentException("only a matrix of floats is rounded, not " + weight);
        }
        int inputs = weight.shape().dim(0);
        int outputs = weight.shape().dim(1);
        if (bits == Bits.FOUR && inputs % 2 != 0) {
            throw new IllegalArgumentException(
                    "two inputs share a byte of 4 bits each, and this layer has "
                            + inputs
                            + " of them; take 8 bits");
        }
        int pieces = pieces(inputs, outputs);
        return new WeightQuantiser(bits, inputs, pieces, outputs / pieces, blocks(bits, inputs));
    }

    /** The fewest pieces of equal width that are small enough. */
    private static int pieces(int inputs, int outputs) {
        for (int n = 1; n < outputs; n++) {
            if (outputs % n == 0 && (long) inputs * (outputs / n) <= PIECE) return n;
        }
        return Math.max(1, outputs);
    }

    /**
     * The number of blocks of an output: with 8 bits one; with 4 bits blocks of {@link #BLOCK}
     * inputs if these divide each half of the inputs, else one per half.
     */
    private static int blocks(Bits bits, int inputs) {
        return switch (bits) {
            case EIGHT -> 1;
            case FOUR -> inputs % (2 * BLOCK) == 0 ? inputs / BLOCK : 2;
        };
    }

    static QuantisedDense like(Type weight, Optional<Tensor> bias, Bits bits) {
        var own = of(weight, bits);
        var zeros = Array.zeros(List.of(own.codes(), own.scales()));
        return new QuantisedDense(zeros.getFirst(), zeros.getLast(), bias, bits);
    }

    static QuantisedDense of(Array weight, Optional<Tensor> bias, Bits bits) {
        var own = of(weight.type(), bits);
        var scales = own.scales(weight);
        return new QuantisedDense(own.codes(weight, scales), scales, bias, bits);
    }

    private Type scales() {
        return new Type(DType.F32, Shape.of(pieces, blocks, columns));
    }

    private Type codes() {
        int rows = bits == Bits.FOUR ? inputs / 2 : inputs;
        return new Type(DType.U8, Shape.of(pieces, rows, columns));
    }

    private double at(Array weight, int input, int piece, int column) {
        return weight.data().get((long) input * pieces * columns + (long) piece * columns + column);
    }

    private Array scales(Array weight) {
        int each = inputs / blocks;
        return Array.make(
                scales(),
                b -> {
                    long to = 0;
                    for (int piece = 0; piece < pieces; piece++) {
                        for (int block = 0; block < blocks; block++) {
                            for (int j = 0; j < columns; j++) {
                                double most = 0;
                                for (int i = block * each; i < (block + 1) * each; i++) {
                                    most = Math.max(most, magnitude(weight, i, piece, j));
                                }
                                b.set(to++, most / bits.most);
                            }
                        }
                    }
                });
    }

    private double magnitude(Array weight, int input, int piece, int column) {
        double size = Math.abs(at(weight, input, piece, column));
        if (Double.isFinite(size)) return size;
        throw new IllegalArgumentException(
                "the weight at [%s, %s] is %s, which no code of %s bits stands for"
                        .formatted(
                                input,
                                piece * columns + column,
                                at(weight, input, piece, column),
                                bits));
    }

    private Array codes(Array weight, Array scales) {
        int rows = codes().shape().dim(1);
        return Array.make(
                codes(),
                b -> {
                    long to = 0;
                    for (int piece = 0; piece < pieces; piece++) {
                        for (int i = 0; i < rows; i++) {
                            for (int j = 0; j < columns; j++) {
                                int code = code(weight, scales, i, piece, j);
                                if (bits == Bits.FOUR)
                                    code += 16 * code(weight, scales, i + rows, piece, j);
                                b.setLong(to++, code);
                            }
                        }
                    }
                });
    }

    private int code(Array weight, Array scales, int input, int piece, int column) {
        int block = input / (inputs / blocks);
        double scale = scales.data().get(((long) piece * blocks + block) * columns + column);
        if (scale == 0) return bits.zero();
        long nearest = Math.round(at(weight, input, piece, column) / scale);
        return bits.zero() + Math.clamp(nearest, -bits.most, bits.most);
    }
}
