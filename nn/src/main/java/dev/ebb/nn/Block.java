package dev.ebb.nn;

import dev.ebb.Fn;
import dev.ebb.Reversible;
import dev.ebb.tensor.Tensor;

/** A transformer block with a norm before each half. */
public record Block(Norm norm1, SelfAttention attention, Norm norm2, FeedForward feedForward)
        implements Fn<Tensor, Tensor> {

    @Override
    public Tensor apply(Tensor x) {
        var y = x.add(attention.apply(norm1.apply(x)));
        return y.add(feedForward.apply(norm2.apply(y)));
    }

    /** As {@link SelfAttention#apply(Tensor, KeyValueCache, Positions)}, for the whole block. */
    public SelfAttention.Continued apply(Tensor x, KeyValueCache past, Positions at) {
        var attended = attention.apply(norm1.apply(x), past, at);
        var y = x.add(attended.out());
        return new SelfAttention.Continued(
                y.add(feedForward.apply(norm2.apply(y))), attended.cache());
    }

    /** The same block with each dense layer replaced by {@code change}. */
    public Block rewritten(String path, Dense.Rewrite change) {
        return new Block(
                norm1,
                attention.rewritten(path + ".attention", change),
                norm2,
                feedForward.rewritten(path + ".feedForward", change));
    }

    /**
     * The same two halves as the branches of a reversible block (Kitaev et al., "Reformer", 2020).
     */
    public Reversible.Block reversible() {
        return Reversible.block(
                x -> attention.apply(norm1.apply(x)), y -> feedForward.apply(norm2.apply(y)));
    }
}
