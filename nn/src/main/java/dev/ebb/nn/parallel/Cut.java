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
 * How tensors and batches are cut. The number of pieces is fixed for a run, whatever the cluster: a
 * batch has so many shards, and every tensor of the state so many pieces of equal length, in
 * row-major order, the last of them padded with zeros. A rank has as many neighbouring pieces as
 * any other.
 *
 * @param ranks divides {@code pieces}
 */
public record Cut(int pieces, int ranks) implements Serializable {
    public Cut {
        if (ranks < 1 || pieces < 1 || pieces % ranks != 0) {
            throw new IllegalArgumentException(
                    "a batch of "
                            + pieces
                            + " shards on "
                            + ranks
                            + " ranks; take a number of ranks that divides the shards");
        }
    }

    /** How many pieces, and shards of a batch, each rank has. */
    public int each() {
        return pieces / ranks;
    }

    /**
     * How many of a rank's shards make a subtree of the sum over all shards, wherever the rank is:
     * the largest power of two that divides its share, or all where there is no other rank. A rank
     * adds those by itself; where its share is no power of two it sends several such sums.
     */
    int subtree() {
        return ranks == 1 ? pieces : Integer.lowestOneBit(each());
    }

    private int length(Type whole) {
        return Math.toIntExact(Math.ceilDiv(whole.size(), pieces));
    }

    /**
     * Some pieces of a tensor like {@code whole}: one axis for what has one axis or none, two for
     * more, as weight decay tells matrices from biases by that.
     */
    private Type pieces(Type whole, int count) {
        int length = length(whole);
        return whole.with(
                whole.shape().rank() < 2 ? Shape.of(count * length) : Shape.of(count, length));
    }

    /** What a rank has of a tensor like {@code whole}. */
    public Type part(Type whole) {
        return pieces(whole, each());
    }

    /** All pieces of a tensor, side by side, as {@link Collectives#reduceScatter} takes them. */
    Tensor cut(Tensor whole) {
        int n = Math.toIntExact(whole.type().size());
        int all = pieces * length(whole.type());
        var flat = whole.reshape(n);
        if (all > n) flat = flat.pad(List.of(0), List.of(all - n));
        return flat.reshape(pieces(whole.type(), pieces).shape());
    }

    /** The tensor like {@code whole} that all pieces make. */
    Tensor join(Tensor cut, Type whole) {
        int n = Math.toIntExact(whole.size());
        int all = Math.toIntExact(cut.type().size());
        return cut.reshape(all).slice(0, 0, n).reshape(whole.shape());
    }

    /** The sum of squares of each piece of a part, with the bits that each has alone. */
    Tensor squares(Tensor part) {
        int length = Math.toIntExact(part.type().size() / each());
        return Ebb.vmap((Tensor piece) -> piece.square().sum()).apply(part.reshape(each(), length));
    }

    /** What rank {@code rank} has of {@code whole}. */
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

    /** That a batch of {@code rows} examples divides into shards. */
    public void requireShards(int rows) {
        if (rows < 1 || rows % pieces != 0) {
            throw new IllegalArgumentException(
                    "a batch of "
                            + rows
                            + " does not divide into "
                            + pieces
                            + " equal shards; take a multiple of "
                            + pieces);
        }
    }
}
