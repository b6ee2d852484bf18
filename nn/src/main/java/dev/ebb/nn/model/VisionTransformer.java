package dev.ebb.nn.model;

import dev.ebb.Ebb;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Activation;
import dev.ebb.nn.Block;
import dev.ebb.nn.Conv2d;
import dev.ebb.nn.FeedForward;
import dev.ebb.nn.Init;
import dev.ebb.nn.LayerNorm;
import dev.ebb.nn.Linear;
import dev.ebb.nn.Seed;
import dev.ebb.nn.SelfAttention;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.network.Conv;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A vision transformer (Dosovitskiy et al., 2020): images are divided into patches, each a token,
 * after one more token that represents the whole image.
 *
 * @param first the token that represents the whole image, [1, 1, width]
 * @param positions [1, patches + 1, width]
 * @param head the output layer, if there is one
 */
public record VisionTransformer(
        Conv2d patches,
        Tensor first,
        Tensor positions,
        List<Block> blocks,
        LayerNorm norm,
        Optional<Linear> head,
        Config config) {

    /** The sizes; images and patches are square. */
    public record Config(
            int picture,
            int patch,
            int channels,
            int width,
            int layers,
            int heads,
            int inner,
            Activation activation,
            double epsilon,
            int classes) {
        public Config {
            if (width % heads != 0 || picture % patch != 0) {
                throw new IllegalArgumentException(
                        ("a width of %s must divide into %s heads, and a picture of %s into patches"
                                        + " of %s")
                                .formatted(width, heads, picture, patch));
            }
        }

        int tokens() {
            return picture / patch * (picture / patch) + 1;
        }
    }

    static VisionTransformer blank(Config c) {
        return BlankModel.of(zeros -> of(c, zeros, BlankModel.ANY));
    }

    public static VisionTransformer of(Config c, Seed seed) {
        return of(c, Init.normal(0.02), seed);
    }

    private static VisionTransformer of(Config c, Init init, Seed seed) {
        int w = c.width;
        var kernel = Shape.of(w, c.channels, c.patch, c.patch);
        return new VisionTransformer(
                new Conv2d(
                        init.of(kernel, seed.of("patches")),
                        Init.zeros().of(Shape.of(w), seed),
                        Conv.plain().stride(c.patch)),
                init.of(Shape.of(1, 1, w), seed.of("first")),
                init.of(Shape.of(1, c.tokens(), w), seed.of("positions")),
                IntStream.range(0, c.layers)
                        .mapToObj(i -> block(c, init, seed.of("block").of(i)))
                        .toList(),
                LayerNorm.of(w, c.epsilon),
                c.classes > 0
                        ? Optional.of(Linear.of(w, c.classes, init, seed.of("head")))
                        : Optional.empty(),
                c);
    }

    private static Block block(Config c, Init init, Seed seed) {
        return new Block(
                LayerNorm.of(c.width, c.epsilon),
                SelfAttention.of(c.width, c.heads, init, seed),
                LayerNorm.of(c.width, c.epsilon),
                FeedForward.plain(c.width, c.inner, c.activation, init, init, seed));
    }

    /** The states [batch, patches + 1, width] of images [batch, channels, height, width]. */
    public Tensor states(Tensor pictures) {
        int batch = pictures.dim(0);
        var x =
                Ebb.region(
                        "embedding",
                        () -> {
                            var cut = patches.apply(pictures).reshape(batch, config.width, -1);
                            var start = first.broadcastTo(batch, 1, config.width);
                            var all = List.of(start, cut.permute(0, 2, 1));
                            return Tensors.concat(all, 1).add(positions);
                        });
        return norm.apply(Blocks.through(blocks, x));
    }

    /** Scores [batch, classes] of images. */
    public Tensor scores(Tensor pictures) {
        var last =
                head.orElseThrow(
                        () ->
                                new IllegalStateException(
                                        "this model was published without an output layer"));
        return last.apply(states(pictures).at(1, 0));
    }
}
