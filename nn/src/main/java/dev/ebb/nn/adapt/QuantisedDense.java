package dev.ebb.nn.adapt;

import dev.ebb.Loop;
import dev.ebb.Next;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Dense;
import dev.ebb.nn.Linear;
import dev.ebb.nn.Projection;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A dense layer with a quantised matrix: codes of 8 or 4 bits, which are integers around zero,
 * times a scale for each block of inputs of each output. Its matrix is not trained, but gradients
 * flow through it to its inputs.
 *
 * <p>The product is a loop over pieces of the outputs. On the CPU an iteration widens its piece
 * while packing it for the product, without a buffer for the wide piece; on other devices the wide
 * piece is a temporary of the iteration. The whole wide matrix never exists, neither for the
 * product nor for the gradient, which widens the pieces again.
 *
 * @param codes [pieces, inputs, outputs of a piece] in u8; with 4 bits [pieces, inputs / 2, ...],
 *     where the lower half of a byte belongs to the first half of the inputs
 * @param scales [pieces, blocks of inputs, outputs of a piece]
 */
public record QuantisedDense(Tensor codes, Tensor scales, Optional<Tensor> bias, Bits bits)
        implements Dense {

    /** The number of bits of a weight. */
    public enum Bits {
        EIGHT(127),
        FOUR(7);

        /** Codes are from {@code -most} to {@code most}. */
        final int most;

        Bits(int most) {
            this.most = most;
        }

        /** The stored code of zero. */
        int zero() {
            return most + 1;
        }
    }

    /** The inputs of one iteration of the product. */
    private record Piece(Tensor codes, Tensor scales) {}

    /** Quantises a layer's matrix; its bias is unchanged. */
    public static Dense of(Dense layer, Bits bits) {
        return switch (layer) {
            case Linear(var weight, var bias) ->
                    WeightQuantiser.of((Array) weight, Optional.of(bias), bits);
            case Projection(var weight) ->
                    WeightQuantiser.of((Array) weight, Optional.empty(), bits);
            default ->
                    throw new IllegalArgumentException(
                            "a " + layer.getClass().getSimpleName() + " has no matrix to round");
        };
    }

    /** The layer that {@link #of} would return for a layer of these types, with zeros for codes. */
    public static Dense like(Dense layer, Bits bits) {
        return switch (layer) {
            case Linear(var weight, var bias) ->
                    WeightQuantiser.like(weight.type(), Optional.of(bias), bits);
            case Projection(var weight) ->
                    WeightQuantiser.like(weight.type(), Optional.empty(), bits);
            default ->
                    throw new IllegalArgumentException(
                            "a " + layer.getClass().getSimpleName() + " has no matrix to round");
        };
    }

    /** Inputs and outputs. */
    public Shape size() {
        return Shape.of(inputs(), codes.dim(0) * codes.dim(2));
    }

    private int inputs() {
        return bits == Bits.FOUR ? 2 * codes.dim(1) : codes.dim(1);
    }

    @Override
    public Tensor apply(Tensor x) {
        var rows = x.reshape(-1, inputs());
        var pieces =
                Loop.scan(
                                List.<Tensor>of(),
                                new Piece(codes, scales),
                                (none, piece) -> new Next<>(none, product(rows, piece)))
                        .stacked();
        var shape = x.shape().with(x.rank() - 1, size().dim(1));
        var y = pieces.permute(1, 0, 2).reshape(shape);
        return bias.map(b -> y.add(b.cast(y.dtype()))).orElse(y);
    }

    private Tensor product(Tensor x, Piece piece) {
        var parts = wide(piece, x.dtype());
        if (parts.size() == 1) return x.matmul(parts.getFirst());
        int half = inputs() / 2;
        return x.slice(1, 0, half)
                .matmul(parts.getFirst())
                .add(x.slice(1, half, 2 * half).matmul(parts.getLast()));
    }

    /**
     * The wide matrix of a piece: whole, or separately for the first and the second half of the
     * inputs.
     */
    private List<Tensor> wide(Piece piece, DType dtype) {
        var stored = piece.codes.cast(dtype);
        return switch (bits) {
            case EIGHT -> List.of(scaled(stored, piece.scales));
            case FOUR -> {
                var high = stored.div(16).floor();
                var halves = piece.scales.chunk(2, 0);
                yield List.of(
                        scaled(stored.sub(high.mul(16)), halves.getFirst()),
                        scaled(high, halves.getLast()));
            }
        };
    }

    private Tensor scaled(Tensor stored, Tensor scales) {
        int blocks = scales.dim(0);
        int columns = scales.dim(1);
        return stored.sub(bits.zero())
                .reshape(blocks, -1, columns)
                .mul(scales.cast(stored.dtype()).reshape(blocks, 1, columns))
                .reshape(-1, columns);
    }

    /** The layer with its whole matrix in f32. */
    public Dense wide() {
        var pieces = new ArrayList<Tensor>();
        for (int i = 0; i < codes.dim(0); i++) {
            var piece = new Piece(codes.at(0, i), scales.at(0, i));
            pieces.add(Tensors.concat(wide(piece, DType.F32), 0));
        }
        var weight = Tensors.concat(pieces, 1);
        return bias.<Dense>map(b -> new Linear(weight, b)).orElseGet(() -> new Projection(weight));
    }
}
