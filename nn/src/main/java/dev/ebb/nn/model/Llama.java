package dev.ebb.nn.model;

import dev.ebb.Ebb;
import dev.ebb.nn.Activation;
import dev.ebb.nn.Block;
import dev.ebb.nn.Dense;
import dev.ebb.nn.Embedding;
import dev.ebb.nn.FeedForward;
import dev.ebb.nn.Init;
import dev.ebb.nn.KeyValueCache;
import dev.ebb.nn.Positions;
import dev.ebb.nn.Projection;
import dev.ebb.nn.RmsNorm;
import dev.ebb.nn.Rotary;
import dev.ebb.nn.Seed;
import dev.ebb.nn.SelfAttention;
import dev.ebb.tensor.Tensor;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A Llama: rotary positions, RMS norms, gated feed-forward layers, grouped queries.
 *
 * @param head the output layer; if empty, the embedding is used
 */
public record Llama(
        Embedding tokens,
        List<Block> blocks,
        RmsNorm norm,
        Optional<Projection> head,
        Config config)
        implements AutoregressiveModel {

    /**
     * The sizes, and the variant.
     *
     * @param keyHeads the number of key heads, which the query heads share
     * @param headWidth the width of each head
     * @param inner the inner width of the feed-forward half
     */
    public record Config(
            int vocabulary,
            int context,
            int width,
            int layers,
            int heads,
            int keyHeads,
            int headWidth,
            int inner,
            Rotary rotary,
            double epsilon,
            Variant variant) {
        public Config {
            if (Math.min(Math.min(vocabulary, context), Math.min(width, inner)) < 1
                    || Math.min(layers, heads) < 1) {
                throw new IllegalArgumentException("every size of a Llama must be positive");
            }
            if (headWidth < 2 || headWidth % 2 != 0) {
                throw new IllegalArgumentException(
                        "rotary positions need heads of an even width, not " + headWidth);
            }
        }

        public static Config of(int vocabulary, int context, int width, int layers, int heads) {
            return new Config(
                    vocabulary,
                    context,
                    width,
                    layers,
                    heads,
                    heads,
                    width / heads,
                    8 * width / 3,
                    Rotary.of(1e4),
                    1e-5,
                    Variant.plain());
        }
    }

    /**
     * The differences between models of this structure.
     *
     * @param inwardBias whether queries, keys and values have biases
     * @param outBias whether the output projection of attention has a bias
     * @param feedForwardBias whether the feed-forward half has biases
     * @param tied whether the output layer is the embedding
     * @param window the most tokens that a query attends to; zero for all
     */
    public record Variant(
            Activation activation,
            boolean inwardBias,
            boolean outBias,
            boolean feedForwardBias,
            boolean tied,
            Kind kind,
            int window) {

        public Variant(
                Activation activation,
                boolean inwardBias,
                boolean outBias,
                boolean feedForwardBias,
                boolean tied) {
            this(activation, inwardBias, outBias, feedForwardBias, tied, Kind.LLAMA, 0);
        }

        /** The first published variant: SiLU, no biases, a separate output layer. */
        public static Variant plain() {
            return new Variant(Activation.SILU, false, false, false, false);
        }
    }

    /** Further differences. */
    public enum Kind {
        /** As Llama, Mistral and Qwen 2. */
        LLAMA,
        /** Queries and keys of every head are normalised. */
        QWEN3,
        /**
         * Norms scale by one plus their weight, and embeddings are multiplied by the square root of
         * the width.
         */
        GEMMA
    }

    public static Llama of(Config c, Seed seed) {
        return of(c, Init.normal(0.02), seed);
    }

    /**
     * A model of zero matrices that share the memory of the largest one, to be filled from a file
     * or planned.
     */
    public static Llama blank(Config c) {
        return BlankModel.of(zeros -> of(c, zeros, BlankModel.ANY));
    }

    private static Llama of(Config c, Init init, Seed seed) {
        var blocks =
                IntStream.range(0, c.layers)
                        .mapToObj(i -> block(c, init, seed.of("block").of(i)))
                        .toList();
        return new Llama(
                Embedding.of(c.vocabulary, c.width, init, seed.of("tokens")),
                blocks,
                norm(c, c.width),
                c.variant.tied
                        ? Optional.empty()
                        : Optional.of(Projection.of(c.width, c.vocabulary, init, seed.of("head"))),
                c);
    }

    private static Block block(Config c, Init init, Seed seed) {
        int queries = c.headWidth * c.heads;
        int keys = c.headWidth * c.keyHeads;
        boolean bias = c.variant.inwardBias;
        var separate =
                new SelfAttention.Separate(
                        Dense.of(c.width, queries, bias, init, seed.of("query")),
                        Dense.of(c.width, keys, bias, init, seed.of("key")),
                        Dense.of(c.width, keys, bias, init, seed.of("value")));
        SelfAttention.InputProjection in =
                switch (c.variant.kind) {
                    case LLAMA, GEMMA -> separate;
                    case QWEN3 ->
                            new SelfAttention.Normed(
                                    separate, norm(c, c.headWidth), norm(c, c.headWidth));
                };
        var attention =
                new SelfAttention(
                        in,
                        Dense.of(queries, c.width, c.variant.outBias, init, seed.of("out")),
                        new SelfAttention.Heads(c.heads, c.keyHeads, true, c.variant.window),
                        Optional.of(c.rotary));
        return new Block(
                norm(c, c.width),
                attention,
                norm(c, c.width),
                FeedForward.gated(
                        c.width,
                        c.inner,
                        c.variant.activation,
                        c.variant.feedForwardBias,
                        init,
                        seed));
    }

    private static RmsNorm norm(Config c, int width) {
        return switch (c.variant.kind) {
            case LLAMA, QWEN3 -> RmsNorm.of(width, c.epsilon);
            case GEMMA -> RmsNorm.fromOne(width, c.epsilon);
        };
    }

    /** The input of the blocks. */
    private Tensor embedded(Tensor ids) {
        return Ebb.region(
                "embedding",
                () -> {
                    var rows = tokens.apply(ids);
                    return switch (config.variant.kind) {
                        case LLAMA, QWEN3 -> rows;
                        case GEMMA -> rows.mul(Math.sqrt(config.width));
                    };
                });
    }

    @Override
    public Llama rewritten(Dense.Rewrite change) {
        return new Llama(tokens, Blocks.rewritten(blocks, change), norm, head, config);
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
        var last = Blocks.through(blocks, embedded(ids));
        return Ebb.region("head", () -> scores(norm.apply(last)));
    }

    @Override
    public List<KeyValueCache> caches(int batch, int context) {
        var c = config;
        return BlockCaches.of(
                c.layers, batch, c.keyHeads, context, c.headWidth, tokens.weight().dtype());
    }

    @Override
    public Continued next(Tensor ids, List<KeyValueCache> past, Positions at) {
        var x = embedded(ids);
        var reached = BlockCaches.through(blocks, x, past, at);
        return new Continued(
                Ebb.region("head", () -> scores(norm.apply(reached.out()))), reached.caches());
    }

    private Tensor scores(Tensor x) {
        return head.map(h -> h.apply(x)).orElseGet(() -> tokens.logits(x));
    }
}
