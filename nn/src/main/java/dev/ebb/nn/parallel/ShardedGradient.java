package dev.ebb.nn.parallel;

import dev.ebb.Ebb;
import dev.ebb.Fn2;
import dev.ebb.Fn3;
import dev.ebb.Loop;
import dev.ebb.Next;
import dev.ebb.Tensorwise;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.List;

/**
 * The gradient of a mean over a batch, computed in parts. The rows of the batch (axis 0 of every
 * tensor) are divided into {@code shards} shards of equal size, whose gradients are summed in the
 * order of {@link TreeSum}, in f32 if they have sixteen bits. So the bits depend on the number of
 * shards alone, and not on where the shards are computed: all at once, in several groups one after
 * the other, or on several machines ({@link Rank}), each of which sums the shards of a subtree.
 *
 * <p>This equals the gradient of the whole batch only if the loss is a mean over rows and treats
 * every row independently, which batch norm in training does not.
 *
 * @param shards the number of parts of the batch
 * @param cuts the number of groups of shards that are computed one after the other: more groups
 *     take less memory; the shards of a group are a power of two
 */
public record ShardedGradient(int shards, int cuts) {
    /** The most shards of {@link #finest}: with more, kernels would have too little work. */
    public static final int MOST = 16;

    public ShardedGradient {
        if (cuts < 1 || cuts > shards || shards % cuts != 0 || !isPowerOfTwo(shards / cuts)) {
            throw new IllegalArgumentException(
                    ("%s cuts of %s shards: groups must be of equal size, which are powers of two,"
                                    + " with no more cuts than shards")
                            .formatted(cuts, shards));
        }
    }

    private static boolean isPowerOfTwo(int n) {
        return n > 0 && (n & (n - 1)) == 0;
    }

    /**
     * The number of shards for a batch of {@code rows} rows: the largest power of two that divides
     * it, at most {@link #MOST}. It depends on the batch alone.
     */
    public static int finest(int rows) {
        if (rows < 1) throw new IllegalArgumentException("a batch of " + rows + " rows");
        return Math.min(MOST, Integer.lowestOneBit(rows));
    }

    /**
     * The mean over the batch of {@code loss}, which returns the mean over a shard, and its
     * gradient.
     */
    public <P, B> Ebb.ValueAndGrad<P> valueAndGrad(Fn2<P, B, Tensor> loss, P params, B batch) {
        return of((p, b, _) -> loss.apply(p, b), params, batch, Key.of(0));
    }

    /**
     * The same for a loss with random draws: every shard has its own key, derived from {@code key}.
     */
    public <P, B> Ebb.ValueAndGrad<P> valueAndGrad(
            Fn3<P, B, Key, Tensor> loss, P params, B batch, Key key) {
        return of(loss, params, batch, key);
    }

    /**
     * The sums over shards instead of their means, in the type in which they were added, without a
     * loop: ops that use a gradient can run as soon as the last shard has computed it.
     */
    public <P, B> Ebb.ValueAndGrad<P> summed(Fn2<P, B, Tensor> loss, P params, B batch) {
        return unrolled(gradient((p, b, _) -> loss.apply(p, b)), params, batch, Key.of(0));
    }

    /** One shard, or many: the rows, and the bits of the key. */
    private record Shard<B>(B rows, Tensor key) {}

    private static <P, B> Fn2<P, Shard<B>, Ebb.ValueAndGrad<P>> gradient(
            Fn3<P, B, Key, Tensor> loss) {
        return (p, shard) -> {
            var found =
                    Ebb.valueAndGrad((P q) -> loss.apply(q, shard.rows(), new Key(shard.key())))
                            .apply(p);
            return Tensorwise.map(found, ShardedGradient::wide);
        };
    }

    private <P, B> Ebb.ValueAndGrad<P> of(Fn3<P, B, Key, Tensor> loss, P params, B batch, Key key) {
        var one = ShardedGradient.<P, B>gradient(loss);
        var sum =
                isPowerOfTwo(cuts)
                        ? looped(one, params, batch, key)
                        : unrolled(one, params, batch, key);
        var mean = Tensorwise.map(sum, t -> t.div((double) shards));
        return new Ebb.ValueAndGrad<>(
                mean.value(), Tensorwise.map(mean.grad(), params, (g, p) -> g.cast(p.dtype())));
    }

    private <P, B> Ebb.ValueAndGrad<P> unrolled(
            Fn2<P, Shard<B>, Ebb.ValueAndGrad<P>> one, P params, B batch, Key key) {
        int group = shards / cuts;
        var keys = key.split(shards).stream().map(Key::bits).toList();
        return TreeSum.of(
                cuts,
                i -> {
                    var own = keys.subList(i * group, (i + 1) * group);
                    var rows = Tensorwise.map(batch, t -> group(t, i));
                    return group == 1
                            ? one.apply(params, new Shard<>(rows, own.getFirst()))
                            : summed(
                                    params,
                                    new Shard<>(rows, Tensors.stack(own, 0)),
                                    0,
                                    group,
                                    one);
                },
                (a, b) -> Tensorwise.map(a, b, Tensor::add));
    }

    private <P, B> Ebb.ValueAndGrad<P> looped(
            Fn2<P, Shard<B>, Ebb.ValueAndGrad<P>> one, P params, B batch, Key key) {
        var leading = new ArrayList<Integer>();
        for (int n = cuts; n > 1; n /= 2) leading.add(2);
        int group = shards / cuts;
        if (group > 1) leading.add(group);
        var keys = Tensors.stack(key.split(shards).stream().map(Key::bits).toList(), 0);
        var all =
                new Shard<>(
                        Tensorwise.map(batch, t -> divided(t, leading)),
                        keys.reshape(new Shape(leading)));
        return summed(params, all, leading.size() - (group > 1 ? 1 : 0), group, one);
    }

    /** The sum over a subtree: {@code depth} levels of two halves each, then one group. */
    private static <P, B> Ebb.ValueAndGrad<P> summed(
            P params,
            Shard<B> shards,
            int depth,
            int group,
            Fn2<P, Shard<B>, Ebb.ValueAndGrad<P>> one) {
        if (depth == 0) {
            if (group == 1) return one.apply(params, shards);
            var each = Ebb.vmap((Shard<B> s) -> one.apply(params, s)).apply(shards);
            return Tensorwise.map(each, ShardedGradient::inPairs);
        }
        // -0 + x is x for every x, also for zeros of both signs
        P none =
                Tensorwise.map(params, p -> Tensors.fill(p.type().with(p.dtype().compute()), -0.0));
        var both =
                Loop.scan(
                        none,
                        shards,
                        (P sum, Shard<B> half) -> {
                            var found = summed(params, half, depth - 1, group, one);
                            return new Next<>(
                                    Tensorwise.map(sum, found.grad(), Tensor::add), found.value());
                        });
        return new Ebb.ValueAndGrad<>(inPairs(both.stacked()), both.carry());
    }

    /**
     * The sum along the first axis, whose size is a power of two: neighbours are added first, then
     * their sums.
     */
    private static Tensor inPairs(Tensor each) {
        var sum = each;
        while (sum.dim(0) > 1) {
            var rest = sum.shape().dims().subList(1, sum.rank());
            var pairs = sum.reshape(Shape.of(sum.dim(0) / 2, 2).append(rest));
            sum =
                    pairs.slice(1, 0, 1)
                            .add(pairs.slice(1, 1, 2))
                            .reshape(Shape.of(sum.dim(0) / 2).append(rest));
        }
        return sum.reshape(new Shape(sum.shape().dims().subList(1, sum.rank())));
    }

    private static Tensor wide(Tensor t) {
        return t.cast(t.dtype().compute());
    }

    /**
     * The rows of group {@code i}, as [shards of a group, rows of a shard, ...] if it has many
     * shards.
     */
    private Tensor group(Tensor t, int i) {
        requireShards(t);
        int rows = t.dim(0) / cuts;
        var own = t.slice(0, i * rows, (i + 1) * rows);
        if (cuts == shards) return own;
        int group = shards / cuts;
        return own.reshape(
                Shape.of(group, rows / group).append(t.shape().dims().subList(1, t.rank())));
    }

    /** Rows as [leading..., rows of a shard, ...]. */
    private Tensor divided(Tensor t, List<Integer> leading) {
        requireShards(t);
        var dims = new ArrayList<>(leading);
        dims.add(t.dim(0) / shards);
        return t.reshape(new Shape(dims).append(t.shape().dims().subList(1, t.rank())));
    }

    private void requireShards(Tensor t) {
        if (t.rank() == 0 || t.dim(0) % shards != 0) {
            throw new ShapeException(
                    ("a batch with %s does not divide into %s shards of equal size along its first"
                                    + " axis; ShardedGradient.finest gives a number that does")
                            .formatted(t.type(), shards));
        }
    }
}
