package dev.ebb.nn.model;

import dev.ebb.Ebb;
import dev.ebb.nn.Block;
import dev.ebb.nn.Dense;
import dev.ebb.nn.Embedding;
import dev.ebb.nn.FeedForward;
import dev.ebb.nn.Init;
import dev.ebb.nn.Projection;
import dev.ebb.nn.RmsNorm;
import dev.ebb.nn.Rotary;
import dev.ebb.nn.Seed;
import dev.ebb.nn.SelfAttention;
import dev.ebb.tensor.Tensor;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** A Llama: rotary positions, root-mean-square norms, gated feed-forward, grouped queries. */
public record Llama(
        Embedding tokens, List<Block> blocks, RmsNorm norm, Projection head, Config config)
        implements LanguageModel {

    /**
     * The sizes.
     *
     * @param inner the width inside the feed-forward half
     * @param keyHeads how many heads of keys and values the heads share
     * @param rotaryBase the base of the rotary positions
     */
    public record Config(
            int vocabulary,
            int context,
            int width,
            int layers,
            int heads,
            int keyHeads,
            int inner,
            double rotaryBase,
            double epsilon) {
        public Config {
            if (width % heads != 0 || width / heads % 2 != 0) {
                throw new IllegalArgumentException(
                        "a width of "
                                + width
                                + " does not divide into "
                                + heads
                                + " heads of an even width");
            }
        }

        public static Config of(int vocabulary, int context, int width, int layers, int heads) {
            return new Config(
                    vocabulary, context, width, layers, heads, heads, 8 * width / 3, 1e4, 1e-5);
        }
    }

    public static Llama of(Config c, Seed seed) {
        var init = Init.normal(0.02);
        var blocks =
                IntStream.range(0, c.layers)
                        .mapToObj(i -> block(c, init, seed.of("block").of(i)))
                        .toList();
        return new Llama(
                Embedding.of(c.vocabulary, c.width, init, seed.of("tokens")),
                blocks,
                RmsNorm.of(c.width, c.epsilon),
                Projection.of(c.width, c.vocabulary, init, seed.of("head")),
                c);
    }

    private static Block block(Config c, Init init, Seed seed) {
        int keys = c.width / c.heads * c.keyHeads;
        var in =
                new SelfAttention.Separate(
                        dense(c.width, c.width, init, seed.of("query")),
                        dense(c.width, keys, init, seed.of("key")),
                        dense(c.width, keys, init, seed.of("value")));
        var attention =
                new SelfAttention(
                        in,
                        dense(c.width, c.width, init, seed.of("out")),
                        new SelfAttention.Heads(c.heads, c.keyHeads, true),
                        Optional.of(new Rotary(c.rotaryBase)));
        return new Block(
                RmsNorm.of(c.width, c.epsilon),
                attention,
                RmsNorm.of(c.width, c.epsilon),
                FeedForward.gated(c.width, c.inner, init, seed));
    }

    private static Dense dense(int inputs, int outputs, Init init, Seed seed) {
        return Projection.of(inputs, outputs, init, seed);
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
        var x = Ebb.region("embedding", () -> tokens.apply(ids));
        for (int i = 0; i < blocks.size(); i++) {
            var block = blocks.get(i);
            var in = x;
            x = Ebb.region("block " + i, () -> block.apply(in));
        }
        var last = x;
        return Ebb.region("head", () -> head.apply(norm.apply(last)));
    }
}
