package dev.ebb.nn;

import dev.ebb.Fn;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;

/** A table of rows, one for each token. */
public record Embedding(Tensor weight) implements Fn<Tensor, Tensor> {

    public static Embedding of(int tokens, int width, Init init, Seed seed) {
        return new Embedding(init.of(Shape.of(tokens, width), seed.of("weight")));
    }

    /** The rows that integers of any shape name. */
    @Override
    public Tensor apply(Tensor tokens) {
        return weight.embedding(tokens);
    }

    /** The table used the other way: how well a vector matches each row. */
    public Tensor logits(Tensor x) {
        return x.matmul(weight.transpose());
    }
}
