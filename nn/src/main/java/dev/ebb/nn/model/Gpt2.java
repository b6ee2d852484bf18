package dev.ebb.nn.model;

import dev.ebb.Ebb;
import dev.ebb.nn.Activation;
import dev.ebb.nn.Block;
import dev.ebb.nn.Dense;
import dev.ebb.nn.Embedding;
import dev.ebb.nn.FeedForward;
import dev.ebb.nn.Init;
import dev.ebb.nn.KeyValueCache;
import dev.ebb.nn.LayerNorm;
import dev.ebb.nn.Linear;
import dev.ebb.nn.Positions;
import dev.ebb.nn.Seed;
import dev.ebb.nn.SelfAttention;
import dev.ebb.tensor.Tensor;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** GPT-2: learned positions, layer norms, and an output layer tied to the embedding. */
public record Gpt2(
        Embedding tokens, Embedding positions, List<Block> blocks, LayerNorm norm, Config config)
        implements AutoregressiveModel {

    /**
     * The sizes.
     *
     * @param inner the width inside the feed-forward half
     */
    public record Config(
            int vocabulary,
            int context,
            int width,
            int layers,
            int heads,
            int inner,
            Activation activation,
            double epsilon) {
        public Config {
            if (Math.min(Math.min(vocabulary, context), Math.min(width, inner)) < 1
                    || layers < 1
                    || heads < 1) {
                throw new IllegalArgumentException("every size of a GPT-2 must be positive");
            }
            if (width % heads != 0) {
                throw new IllegalArgumentException(
                        "a width of " + width + " does not divide into " + heads + " heads");
            }
        }

        /** The published sizes, whose inner width is four times the width. */
        public static Config of(int vocabulary, int context, int width, int layers, int heads) {
            return new Config(
                    vocabulary,
                    context,
                    width,
                    layers,
                    heads,
                    Math.multiplyExact(4, width),
                    Activation.GELU_TANH,
                    1e-5);
        }
    }

    /**
     * Weights as published: normal with standard deviation 0.02, smaller for layers that add to the
     * residual stream.
     */
    public static Gpt2 of(Config c, Seed seed) {
        return of(c, Init.normal(0.02), Init.normal(0.02 / Math.sqrt(2.0 * c.layers)), seed);
    }

    /**
     * A model of zero matrices that share the memory of the largest one, to be filled from a file
     * or planned.
     */
    public static Gpt2 blank(Config c) {
        return BlankModel.of(zeros -> of(c, zeros, zeros, BlankModel.ANY));
    }

    private static Gpt2 of(Config c, Init plain, Init back, Seed seed) {
        var blocks =
                IntStream.range(0, c.layers)
                        .mapToObj(i -> block(c, plain, back, seed.of("block").of(i)))
                        .toList();
        return new Gpt2(
                Embedding.of(c.vocabulary, c.width, plain, seed.of("tokens")),
                Embedding.of(c.context, c.width, plain, seed.of("positions")),
                blocks,
                LayerNorm.of(c.width, c.epsilon),
                c);
    }

    private static Block block(Config c, Init plain, Init back, Seed seed) {
        var attention =
                new SelfAttention(
                        new SelfAttention.Fused(
                                Linear.of(c.width, 3 * c.width, plain, seed.of("in"))),
                        Linear.of(c.width, c.width, back, seed.of("out")),
                        SelfAttention.Heads.causal(c.heads),
                        Optional.empty());
        return new Block(
                LayerNorm.of(c.width, c.epsilon),
                attention,
                LayerNorm.of(c.width, c.epsilon),
                FeedForward.plain(c.width, c.inner, c.activation, plain, back, seed));
    }

    @Override
    public Gpt2 rewritten(Dense.Rewrite change) {
        return new Gpt2(tokens, positions, Blocks.rewritten(blocks, change), norm, config);
    }

    @Override
    public int context() {
        return config.context;
    }

    @Override
    public int vocabulary() {
        return config.vocabulary;
    }

    @Override
    public Tensor logits(Tensor ids) {
        return head(Blocks.through(blocks, embedded(ids)));
    }

    @Override
    public List<KeyValueCache> caches(int batch, int context) {
        var c = config;
        return BlockCaches.of(
                c.layers, batch, c.heads, context, c.width / c.heads, tokens.weight().dtype());
    }

    @Override
    public Continued next(Tensor ids, List<KeyValueCache> past, Positions at) {
        var reached = BlockCaches.through(blocks, embedded(ids, at), past, at);
        return new Continued(head(reached.out()), reached.caches());
    }

    /** The input of the blocks at given positions; beyond the last position, that one is used. */
    Tensor embedded(Tensor ids, Positions at) {
        return Ebb.region(
                "embedding",
                () -> {
                    var position = at.of(ids.dim(-1)).minimum(config.context - 1);
                    return tokens.apply(ids).add(positions.apply(position));
                });
    }

    /** The input of the blocks. */
    Tensor embedded(Tensor ids) {
        return Ebb.region(
                "embedding",
                () -> tokens.apply(ids).add(positions.weight().slice(0, 0, ids.dim(-1))));
    }

    /** Scores from the output of the blocks. */
    Tensor head(Tensor x) {
        return Ebb.region("head", () -> tokens.logits(norm.apply(x)));
    }
}
