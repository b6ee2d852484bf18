package dev.ebb.nn;

import dev.ebb.Fn;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;

/** A table with one row per token. */
public record Embedding(Tensor weight) implements Fn<Tensor, Tensor> {

    public static Embedding of(int tokens, int width, Init init, Seed seed) {
        return new Embedding(init.of(Shape.of(tokens, width), seed.of("weight")));
    }

    /** The rows with these numbers, which may have any shape. */
    @Override
    public Tensor apply(Tensor tokens) {
        return weight.embedding(tokens);
    }

    /** The product with the transposed table: a score for each row. */
    public Tensor logits(Tensor x) {
        return x.matmul(weight.transpose());
    }
}
