package dev.ebb.nn;

import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.network.Attention;

import java.util.List;
import java.util.Optional;

/**
 * Multi-head self-attention over [batch, time, width].
 *
 * @param rotary the rotary positions, empty if positions are part of the input
 */
public record SelfAttention(InputProjection in, Dense out, Heads heads, Optional<Rotary> rotary) {

    /**
     * The division of the width into heads. With fewer key heads than heads, several query heads
     * share keys and values.
     *
     * @param window the most tokens that a query attends to, itself and those before; zero for all
     */
    public record Heads(int count, int keys, boolean causal, int window) {
        public Heads {
            if (window < 0 || (window > 0 && !causal)) {
                throw new IllegalArgumentException(
                        "a window of "
                                + window
                                + " tokens; it is positive, or zero for none, and looks back, so"
                                + " the heads must be causal");
            }
            if (count < 1 || keys < 1 || count % keys != 0) {
                throw new IllegalArgumentException(
                        ("%s heads cannot share %s key heads equally; let the second divide the"
                                        + " first")
                                .formatted(count, keys));
            }
        }

        public Heads(int count, int keys, boolean causal) {
            this(count, keys, causal, 0);
        }

        public static Heads causal(int count) {
            return new Heads(count, count, true);
        }

        /**
         * The mask that hides keys before the window, [time, time]; empty if there is no window.
         */
        private Optional<Tensor> hidden(int time, DType dtype) {
            if (window == 0 || window >= time) return Optional.empty();
            var key = Tensors.arange(DType.I64, time);
            var before = key.le(key.reshape(time, 1).sub(window));
            var none = Tensors.fill(Type.of(dtype), 0);
            var lowest = Tensors.fill(Type.of(dtype), Double.NEGATIVE_INFINITY);
            return Optional.of(Tensors.where(before, lowest, none));
        }
    }

    /** The projection from the input to queries, keys and values. */
    public sealed interface InputProjection {
        List<Tensor> apply(Tensor x, Heads heads);

        /** The same with each dense layer replaced by {@code change}. */
        InputProjection rewritten(String path, Dense.Rewrite change);
    }

    /** One matrix for all three, concatenated, as in GPT-2. */
    public record Fused(Dense all) implements InputProjection {
        @Override
        public List<Tensor> apply(Tensor x, Heads heads) {
            var all = this.all.apply(x);
            int head = all.dim(-1) / (heads.count + 2 * heads.keys);
            int keys = heads.keys * head;
            return all.split(-1, heads.count * head, keys, keys);
        }

        @Override
        public Fused rewritten(String path, Dense.Rewrite change) {
            return new Fused(change.of(path + ".all", all));
        }
    }

    /** One matrix for each, as in Llama. */
    public record Separate(Dense query, Dense key, Dense value) implements InputProjection {
        @Override
        public List<Tensor> apply(Tensor x, Heads heads) {
            return List.of(query.apply(x), key.apply(x), value.apply(x));
        }

        @Override
        public Separate rewritten(String path, Dense.Rewrite change) {
            return new Separate(
                    change.of(path + ".query", query),
                    change.of(path + ".key", key),
                    change.of(path + ".value", value));
        }
    }

    /** One matrix for each, and a norm for the queries and keys of every head, as in Qwen 3. */
    public record Normed(Separate separate, RmsNorm queryNorm, RmsNorm keyNorm)
            implements InputProjection {
        @Override
        public List<Tensor> apply(Tensor x, Heads heads) {
            var parts = separate.apply(x, heads);
            return List.of(
                    normed(parts.get(0), heads.count, queryNorm),
                    normed(parts.get(1), heads.keys, keyNorm),
                    parts.get(2));
        }

        private static Tensor normed(Tensor x, int heads, RmsNorm norm) {
            return norm.apply(x.reshape(x.dim(0), x.dim(1), heads, -1)).reshape(x.shape());
        }

        @Override
        public Normed rewritten(String path, Dense.Rewrite change) {
            return new Normed(separate.rewritten(path + ".separate", change), queryNorm, keyNorm);
        }
    }

    /** Attention of every position to all others, with a matrix for each of its inputs. */
    public static SelfAttention of(int width, int heads, Init init, Seed seed) {
        return new SelfAttention(
                new Separate(
                        Linear.of(width, width, init, seed.of("query")),
                        Linear.of(width, width, init, seed.of("key")),
                        Linear.of(width, width, init, seed.of("value"))),
                Linear.of(width, width, init, seed.of("out")),
                new Heads(heads, heads, false),
                Optional.empty());
    }

    /** The same with each dense layer replaced by {@code change}. */
    public SelfAttention rewritten(String path, Dense.Rewrite change) {
        return new SelfAttention(
                in.rewritten(path + ".in", change), change.of(path + ".out", out), heads, rotary);
    }

    public Tensor apply(Tensor x) {
        return attended(x, heads.hidden(x.dim(1), x.dtype()));
    }

    /**
     * Attention with {@code mask} added to the scores; it broadcasts to [batch, heads, time, time].
     */
    public Tensor apply(Tensor x, Tensor mask) {
        var hidden = heads.hidden(x.dim(1), x.dtype());
        return attended(x, Optional.of(hidden.map(mask::add).orElse(mask)));
    }

    /** The attention's output for new tokens, and the cache with these tokens added. */
    public record Continued(Tensor out, KeyValueCache cache) {}

    /**
     * Attention of new tokens [batch, time, width] at positions {@code at}, which attend to those
     * in {@code past}, to themselves and to earlier new ones: the same numbers as attention over
     * all tokens at once.
     */
    public Continued apply(Tensor x, KeyValueCache past, Positions at) {
        if (!heads.causal) {
            throw new IllegalStateException(
                    "an attention whose tokens see later ones cannot go on from a cache: each new"
                            + " token would change all the others");
        }
        int time = x.dim(1);
        var parts = in.apply(x, heads);
        var q = turned(split(parts.get(0), heads.count), at, past.context());
        var k = turned(split(parts.get(1), heads.keys), at, past.context());
        var cache = past.with(k, split(parts.get(2), heads.keys), at);
        var mask = at.mask(time, cache.context(), heads.window, x.dtype());
        var y = q.attention(cache.keys(), cache.values(), Attention.full().mask(mask));
        return new Continued(out.apply(y.permute(0, 2, 1, 3).reshape(x.dim(0), time, -1)), cache);
    }

    private Tensor turned(Tensor x, Positions at, int context) {
        return rotary.map(r -> r.apply(x, at, context)).orElse(x);
    }

    private Tensor attended(Tensor x, Optional<Tensor> mask) {
        var parts = in.apply(x, heads);
        var q = turned(split(parts.get(0), heads.count));
        var k = turned(split(parts.get(1), heads.keys));
        var v = split(parts.get(2), heads.keys);
        var seen = heads.causal ? Attention.past() : Attention.full();
        var y = q.attention(k, v, mask.map(seen::mask).orElse(seen));
        return out.apply(y.permute(0, 2, 1, 3).reshape(x.dim(0), x.dim(1), -1));
    }

    private Tensor turned(Tensor x) {
        return rotary.map(r -> r.apply(x, 0)).orElse(x);
    }

    private static Tensor split(Tensor x, int heads) {
        return x.reshape(x.dim(0), x.dim(1), heads, -1).permute(0, 2, 1, 3);
    }
}
