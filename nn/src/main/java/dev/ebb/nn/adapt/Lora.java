package dev.ebb.nn.adapt;

import dev.ebb.ir.Shape;
import dev.ebb.nn.Dense;
import dev.ebb.nn.Init;
import dev.ebb.nn.Linear;
import dev.ebb.nn.Projection;
import dev.ebb.nn.Seed;
import dev.ebb.tensor.Tensor;

/**
 * A dense layer with a low-rank adapter: {@code base(x) + scale (x down) up} (Hu et al., "LoRA:
 * Low-Rank Adaptation of Large Language Models", 2021). If it is differentiated with respect to
 * {@code down} and {@code up} only, nothing is kept for a gradient of the base.
 */
public record Lora(Dense base, Pair pair, double scale) implements Dense {

    /**
     * The two matrices of an adapter: {@code down} is [inputs, rank], {@code up} is [rank,
     * outputs].
     */
    public record Pair(Tensor down, Tensor up) {
        public Pair {
            boolean matrices = down.rank() == 2 && up.rank() == 2;
            if (!matrices || down.dim(1) != up.dim(0)) {
                throw new IllegalArgumentException(
                        ("a correction of low rank is [inputs, rank] and [rank, outputs], not %s"
                                        + " and %s")
                                .formatted(down.type(), up.type()));
            }
        }

        /**
         * An adapter that does not change the output yet: {@code down} is random, {@code up} is
         * zero.
         */
        static Pair of(int inputs, int outputs, int rank, Seed seed) {
            return new Pair(
                    Init.linear(inputs).of(Shape.of(inputs, rank), seed),
                    Init.zeros().of(Shape.of(rank, outputs), seed));
        }
    }

    @Override
    public Tensor apply(Tensor x) {
        var own = x.cast(pair.down.dtype()).matmul(pair.down).matmul(pair.up).mul(scale);
        return base.apply(x).add(own.cast(x.dtype()));
    }

    /** The same layer with one merged matrix. */
    public Dense merged() {
        var added = pair.down.matmul(pair.up).mul(scale);
        return switch (base) {
            case Linear(var weight, var bias) -> new Linear(sum(weight, added), bias);
            case Projection(var weight) -> new Projection(sum(weight, added));
            case QuantisedDense few -> new Lora(few.wide(), pair, scale).merged();
            case Lora below -> new Lora(below.merged(), pair, scale).merged();
            default ->
                    throw new IllegalArgumentException(
                            "a correction cannot be merged into a "
                                    + base.getClass().getSimpleName()
                                    + ", whose matrix is not known; keep the two apart");
        };
    }

    private static Tensor sum(Tensor weight, Tensor added) {
        return weight.cast(added.dtype()).add(added).cast(weight.dtype());
    }
}
