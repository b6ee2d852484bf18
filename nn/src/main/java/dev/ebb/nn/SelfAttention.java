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
 * @param rotary how positions enter, where they do not come with the input
 */
public record SelfAttention(Inward in, Dense out, Heads heads, Optional<Rotary> rotary) {

    /**
     * How the width is divided. With fewer key heads than heads, several queries share keys and
     * values.
     *
     * @param window how many tokens a query sees at most, itself and those before; zero for all
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
                        count
                                + " heads cannot share "
                                + keys
                                + " key heads equally; let the second divide the first");
            }
        }

        public Heads(int count, int keys, boolean causal) {
            this(count, keys, causal, 0);
        }

        public static Heads causal(int count) {
            return new Heads(count, count, true);
        }

        /** What hides keys before the window, [time, time]; nothing where there is no window. */
        private Optional<Tensor> hidden(int time, DType dtype) {
            if (window == 0 || window >= time) return Optional.empty();
            var key = Tensors.arange(DType.I64, time);
            var before = key.le(key.reshape(time, 1).sub(window));
            var none = Tensors.fill(Type.of(dtype), 0);
            var lowest = Tensors.fill(Type.of(dtype), Double.NEGATIVE_INFINITY);
            return Optional.of(Tensors.where(before, lowest, none));
        }
    }

    /** The way from the input to queries, keys and values. */
    public sealed interface Inward {
        List<Tensor> apply(Tensor x, Heads heads);

        /** With other dense layers. */
        Inward rewritten(String path, Dense.Rewrite change);
    }

    /** One matrix for all three, side by side: what GPT-2 has. */
    public record Fused(Dense all) implements Inward {
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

    /** A matrix each: what Llama has. */
    public record Separate(Dense query, Dense key, Dense value) implements Inward {
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

    /** A matrix each, and queries and keys of every head normalised: what Qwen 3 has. */
    public record Normed(Separate separate, RmsNorm queryNorm, RmsNorm keyNorm) implements Inward {
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

    /** With other dense layers. */
    public SelfAttention rewritten(String path, Dense.Rewrite change) {
        return new SelfAttention(
                in.rewritten(path + ".in", change), change.of(path + ".out", out), heads, rotary);
    }

    public Tensor apply(Tensor x) {
        return attended(x, heads.hidden(x.dim(1), x.dtype()));
    }

    /** With {@code mask} added to the scores; it broadcasts to [batch, heads, time, time]. */
    public Tensor apply(Tensor x, Tensor mask) {
        var hidden = heads.hidden(x.dim(1), x.dtype());
        return attended(x, Optional.of(hidden.map(mask::add).orElse(mask)));
    }

    /** What attention gives for new tokens, and the cache that holds them too. */
    public record Continued(Tensor out, KeyValueCache cache) {}

    /**
     * Attention of tokens [batch, time, width] at {@code at}, which see those in {@code past},
     * themselves and what is before them: the same numbers as attention over all tokens at once.
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
