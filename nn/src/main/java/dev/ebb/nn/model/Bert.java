package dev.ebb.nn.model;

import dev.ebb.Ebb;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.nn.Activation;
import dev.ebb.nn.Embedding;
import dev.ebb.nn.FeedForward;
import dev.ebb.nn.Init;
import dev.ebb.nn.LayerNorm;
import dev.ebb.nn.Linear;
import dev.ebb.nn.Seed;
import dev.ebb.nn.SelfAttention;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * BERT (Devlin et al., 2018): every token attends to every other, and norms come after each half.
 *
 * @param pooler the layer that maps the first token's state to a vector for the whole text
 * @param head predicts masked tokens
 */
public record Bert(
        Embedding words,
        Embedding positions,
        Embedding kinds,
        LayerNorm norm,
        List<Layer> layers,
        Optional<Linear> pooler,
        Optional<Head> head,
        Config config) {

    /** The sizes. */
    public record Config(
            int vocabulary,
            int context,
            int kinds,
            int width,
            int layers,
            int heads,
            int inner,
            Activation activation,
            double epsilon) {
        public Config {
            if (width % heads != 0) {
                throw new IllegalArgumentException(
                        "a width of " + width + " does not divide into " + heads + " heads");
            }
        }
    }

    /** A block with a norm after each half. */
    public record Layer(
            SelfAttention attention,
            LayerNorm norm1,
            FeedForward.Plain feedForward,
            LayerNorm norm2) {
        Tensor apply(Tensor x, Optional<Tensor> mask) {
            var seen = mask.map(m -> attention.apply(x, m)).orElseGet(() -> attention.apply(x));
            var y = norm1.apply(x.add(seen));
            return norm2.apply(y.add(feedForward.apply(y)));
        }
    }

    /** Predicts masked tokens: a layer, a norm, the embedding and a bias. */
    public record Head(Linear transform, LayerNorm norm, Tensor bias) {}

    /** A model of zero matrices that share the memory of the largest one. */
    static Bert blank(Config c, boolean pooler, boolean head) {
        return BlankModel.of(zeros -> of(c, pooler, head, zeros, BlankModel.ANY));
    }

    /** Weights as published: normal with standard deviation 0.02. */
    public static Bert of(Config c, boolean pooler, boolean head, Seed seed) {
        return of(c, pooler, head, Init.normal(0.02), seed);
    }

    private static Bert of(Config c, boolean pooler, boolean head, Init init, Seed seed) {
        int w = c.width;
        return new Bert(
                Embedding.of(c.vocabulary, w, init, seed.of("words")),
                Embedding.of(c.context, w, init, seed.of("positions")),
                Embedding.of(c.kinds, w, init, seed.of("kinds")),
                LayerNorm.of(w, c.epsilon),
                IntStream.range(0, c.layers)
                        .mapToObj(i -> layer(c, init, seed.of("layer").of(i)))
                        .toList(),
                pooler ? Optional.of(Linear.of(w, w, init, seed.of("pooler"))) : Optional.empty(),
                head
                        ? Optional.of(
                                new Head(
                                        Linear.of(w, w, init, seed.of("transform")),
                                        LayerNorm.of(w, c.epsilon),
                                        init.of(Shape.of(c.vocabulary), seed)))
                        : Optional.empty(),
                c);
    }

    private static Layer layer(Config c, Init init, Seed seed) {
        return new Layer(
                SelfAttention.of(c.width, c.heads, init, seed),
                LayerNorm.of(c.width, c.epsilon),
                FeedForward.plain(c.width, c.inner, c.activation, init, init, seed),
                LayerNorm.of(c.width, c.epsilon));
    }

    /** The states [batch, time, width] of tokens [batch, time]; each row is one text. */
    public Tensor states(Tensor ids) {
        return through(ids, kinds.weight().at(0, 0), Optional.empty());
    }

    /**
     * The same for rows of two texts with padding.
     *
     * @param kind [batch, time]: zero for tokens of the first text, one for those of the second
     * @param real [batch, time]: one for tokens, zero for padding, which no token attends to
     */
    public Tensor states(Tensor ids, Tensor kind, Tensor real) {
        var dtype = words.weight().dtype();
        var hidden = real.cast(DType.F32).lt(0.5).reshape(ids.dim(0), 1, 1, ids.dim(1));
        var mask =
                Tensors.where(
                        hidden,
                        Tensors.fill(Type.of(dtype), Double.NEGATIVE_INFINITY),
                        Tensors.fill(Type.of(dtype), 0));
        return through(ids, kinds.apply(kind), Optional.of(mask));
    }

    private Tensor through(Tensor ids, Tensor kind, Optional<Tensor> mask) {
        var x =
                Ebb.region(
                        "embedding",
                        () -> {
                            var places = positions.weight().slice(0, 0, ids.dim(-1));
                            return norm.apply(words.apply(ids).add(places).add(kind));
                        });
        for (int i = 0; i < layers.size(); i++) {
            var layer = layers.get(i);
            var in = x;
            x = Ebb.region("layer " + i, () -> layer.apply(in, mask));
        }
        return x;
    }

    /** A vector [batch, width] for each text, computed from its states. */
    public Tensor pooled(Tensor states) {
        var first = states.at(1, 0);
        return pooler.orElseThrow(() -> without("pooler")).apply(first).tanh();
    }

    /** Scores [batch, time, vocabulary] for each token, computed from the states. */
    public Tensor scores(Tensor states) {
        var own = head.orElseThrow(() -> without("head for hidden tokens"));
        return Ebb.region(
                "head",
                () -> {
                    var x = config.activation.apply(own.transform.apply(states));
                    return words.logits(own.norm.apply(x)).add(own.bias);
                });
    }

    private static IllegalStateException without(String part) {
        return new IllegalStateException("this BERT was published without a " + part);
    }
}
