package dev.ebb.nn.model;

import dev.ebb.Reversible;
import dev.ebb.nn.Block;
import dev.ebb.tensor.Tensor;

/**
 * A GPT whose blocks work on two streams and can be walked backwards: attention reads one and adds
 * to the other, the feed-forward half the other way round. Both start as half the embedding, and
 * their sum goes to the head. It has the weights of a {@link Gpt2} of the same sizes.
 */
public record ReversibleGpt(Gpt2 gpt) implements LanguageModel {

    @Override
    public int context() {
        return gpt.context();
    }

    @Override
    public int vocabulary() {
        return gpt.vocabulary();
    }

    @Override
    public Tensor logits(Tensor ids) {
        var stack = Reversible.stack(gpt.blocks().stream().map(Block::reversible).toList());
        var x = gpt.embedded(ids);
        return gpt.head(stack.apply(Reversible.Streams.of(x)).sum());
    }
}
