package dev.ebb.nn.model;

import dev.ebb.Reversible;
import dev.ebb.nn.Block;
import dev.ebb.nn.Dense;
import dev.ebb.nn.KeyValueCache;
import dev.ebb.nn.Positions;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.List;

/**
 * A GPT with reversible blocks on two streams: attention reads one and adds to the other, and the
 * feed-forward half the other way round. Both streams start as half the embedding, and their sum is
 * the input of the head. It has the weights of a {@link Gpt2} of the same sizes.
 */
public record ReversibleGpt(Gpt2 gpt) implements AutoregressiveModel {

    @Override
    public ReversibleGpt rewritten(Dense.Rewrite change) {
        return new ReversibleGpt(gpt.rewritten((path, layer) -> change.of("gpt." + path, layer)));
    }

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

    @Override
    public List<KeyValueCache> caches(int batch, int context) {
        return gpt.caches(batch, context);
    }

    @Override
    public Continued next(Tensor ids, List<KeyValueCache> past, Positions at) {
        var caches = new ArrayList<KeyValueCache>();
        var blocks = new ArrayList<Reversible.Block>();
        for (int i = 0; i < past.size(); i++) {
            var block = gpt.blocks().get(i);
            var cache = past.get(i);
            blocks.add(
                    Reversible.block(
                            x -> {
                                var next =
                                        block.attention().apply(block.norm1().apply(x), cache, at);
                                caches.add(next.cache());
                                return next.out();
                            },
                            y -> block.feedForward().apply(block.norm2().apply(y))));
        }
        var x = gpt.embedded(ids, at);
        var out = Reversible.stack(blocks).apply(Reversible.Streams.of(x)).sum();
        return new Continued(gpt.head(out), caches);
    }
}
