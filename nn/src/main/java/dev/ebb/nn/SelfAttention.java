package dev.ebb.nn;

import dev.ebb.tensor.Tensor;
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
     */
    public record Heads(int count, int keys, boolean causal) {
        public Heads {
            if (count < 1 || keys < 1 || count % keys != 0) {
                throw new IllegalArgumentException(
                        count
                                + " heads cannot share "
                                + keys
                                + " key heads equally; let the second divide the first");
            }
        }

        public static Heads causal(int count) {
            return new Heads(count, count, true);
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

    /** With other dense layers. */
    public SelfAttention rewritten(String path, Dense.Rewrite change) {
        return new SelfAttention(
                in.rewritten(path + ".in", change), change.of(path + ".out", out), heads, rotary);
    }

    public Tensor apply(Tensor x) {
        return attended(x, Optional.empty());
    }

    /** With {@code mask} added to the scores; it broadcasts to [batch, heads, time, time]. */
    public Tensor apply(Tensor x, Tensor mask) {
        return attended(x, Optional.of(mask));
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
        var mask = at.mask(time, cache.context(), x.dtype());
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
