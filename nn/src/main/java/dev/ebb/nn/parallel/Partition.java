package dev.ebb.nn.parallel;

import dev.ebb.Ebb;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * How tensors and batches are divided. The number of pieces is fixed for a run, whatever the
 * cluster: a batch has this many shards, and every tensor of the state this many pieces of equal
 * length, in row-major order, the last one padded with zeros. Each rank has the same number of
 * consecutive pieces.
 *
 * @param ranks divides {@code pieces}
 */
public record Partition(int pieces, int ranks) implements Serializable {
    public Partition {
        if (ranks < 1 || pieces < 1 || pieces % ranks != 0) {
            throw new IllegalArgumentException(
                    ("a batch of %s shards on %s ranks; take a number of ranks that divides the"
                                    + " shards")
                            .formatted(pieces, ranks));
        }
    }

    /** The number of pieces, and of shards of a batch, of each rank. */
    public int each() {
        return pieces / ranks;
    }

    /**
     * How many of a rank's shards form a subtree of the sum over all shards, whatever the rank: the
     * largest power of two that divides its number of shards, or all if there is only one rank. A
     * rank adds each subtree by itself; if its number of shards is not a power of two, it sends
     * several such sums.
     */
    int subtree() {
        return ranks == 1 ? pieces : Integer.lowestOneBit(each());
    }

    private int length(Type whole) {
        return Math.toIntExact(Math.ceilDiv(whole.size(), pieces));
    }

    /**
     * The type of some pieces of a tensor like {@code whole}: one axis for a tensor of at most one
     * axis, two for others, because weight decay distinguishes matrices from biases by the number
     * of axes.
     */
    private Type pieces(Type whole, int count) {
        int length = length(whole);
        return whole.with(
                whole.shape().rank() < 2 ? Shape.of(count * length) : Shape.of(count, length));
    }

    /** The type of a rank's part of a tensor like {@code whole}. */
    public Type part(Type whole) {
        return pieces(whole, each());
    }

    /** All pieces of a tensor, concatenated as {@link Collectives#reduceScatter} needs them. */
    Tensor cut(Tensor whole) {
        int n = Math.toIntExact(whole.type().size());
        int all = pieces * length(whole.type());
        var flat = whole.reshape(n);
        if (all > n) flat = flat.pad(List.of(0), List.of(all - n));
        return flat.reshape(pieces(whole.type(), pieces).shape());
    }

    /** The tensor like {@code whole} that consists of these pieces. */
    Tensor join(Tensor cut, Type whole) {
        int n = Math.toIntExact(whole.size());
        int all = Math.toIntExact(cut.type().size());
        return cut.reshape(all).slice(0, 0, n).reshape(whole.shape());
    }

    /** The sum of squares of each piece of a part, with the same bits as for the piece alone. */
    Tensor squares(Tensor part) {
        int length = Math.toIntExact(part.type().size() / each());
        return Ebb.vmap((Tensor piece) -> piece.square().sum()).apply(part.reshape(each(), length));
    }

    /** The part of {@code whole} that rank {@code rank} has. */
    Array part(Array whole, int rank) {
        var type = part(whole.type());
        long from = rank * type.bytes();
        long bytes = Math.clamp(whole.type().bytes() - from, 0, type.bytes());
        return Array.make(
                type,
                b ->
                        MemorySegment.copy(
                                whole.data().segment(),
                                Math.min(from, whole.type().bytes()),
                                b.segment(),
                                0,
                                bytes));
    }

    /** The rows of a batch's tensor that belong to the shards of rank {@code rank}. */
    public Array rows(Array batch, int rank) {
        int rows = batch.shape().dim(0);
        requireShards(rows);
        int own = rows / ranks;
        return (Array) batch.slice(0, rank * own, (rank + 1) * own);
    }

    /** Throws unless a batch of {@code rows} examples can be divided into shards. */
    public void requireShards(int rows) {
        if (rows < 1 || rows % pieces != 0) {
            throw new IllegalArgumentException(
                    "a batch of %s does not divide into %s equal shards; take a multiple of %s"
                            .formatted(rows, pieces, pieces));
        }
    }
}
