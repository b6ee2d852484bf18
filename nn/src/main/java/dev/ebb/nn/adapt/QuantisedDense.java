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
 * A dense layer whose matrix is held in codes of 8 or 4 bits: whole numbers around zero, times a
 * scale for each block of inputs of each output. It is not trained; its inputs have gradients.
 *
 * <p>The product is a loop over pieces of the outputs. On the CPU a round widens its piece while it
 * packs it for the product, and the wide piece is in no buffer; on other devices it is a temporary
 * of the round. The wide matrix is nowhere whole: not in the product, and not for the gradient,
 * which widens the pieces again.
 *
 * @param codes [pieces, inputs, outputs of a piece] in u8; of 4 bits [pieces, inputs / 2, ...],
 *     where the lower half of a byte is of the first half of the inputs
 * @param scales [pieces, blocks of inputs, outputs of a piece]
 */
public record QuantisedDense(Tensor codes, Tensor scales, Optional<Tensor> bias, Bits bits)
        implements Dense {

    /** How many bits a weight has. */
    public enum Bits {
        EIGHT(127),
        FOUR(7);

        /** Codes go from {@code -most} to {@code most}. */
        final int most;

        Bits(int most) {
            this.most = most;
        }

        /** What zero is stored as. */
        int zero() {
            return most + 1;
        }
    }

    /** What a round of the product reads. */
    private record Piece(Tensor codes, Tensor scales) {}

    /** Rounds a layer's matrix; of its bias nothing is lost. */
    public static Dense of(Dense layer, Bits bits) {
        return switch (layer) {
            case Linear(var weight, var bias) ->
                    Rounding.of((Array) weight, Optional.of(bias), bits);
            case Projection(var weight) -> Rounding.of((Array) weight, Optional.empty(), bits);
            default ->
                    throw new IllegalArgumentException(
                            "a " + layer.getClass().getSimpleName() + " has no matrix to round");
        };
    }

    /** What {@link #of} would make of a layer of these types, with zeros for codes. */
    public static Dense like(Dense layer, Bits bits) {
        return switch (layer) {
            case Linear(var weight, var bias) ->
                    Rounding.like(weight.type(), Optional.of(bias), bits);
            case Projection(var weight) -> Rounding.like(weight.type(), Optional.empty(), bits);
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
        var dims = new ArrayList<>(x.shape().dims());
        dims.set(dims.size() - 1, size().dim(1));
        var y = pieces.permute(1, 0, 2).reshape(new Shape(dims));
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

    /** The matrix of a piece: whole, or the rows of its first and of its second half of inputs. */
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

    /** The layer with its matrix in f32, whole. */
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
