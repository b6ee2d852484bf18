package dev.ebb.nn;

import dev.ebb.Fn;
import dev.ebb.tensor.Tensor;

/** The half of a transformer block that looks at each position alone. */
public sealed interface FeedForward extends Fn<Tensor, Tensor> {

    /** Up, an activation, down. */
    record Plain(Dense up, Dense down, Activation activation) implements FeedForward {
        @Override
        public Tensor apply(Tensor x) {
            return down.apply(activation.apply(up.apply(x)));
        }
    }

    /** Up, scaled by an activated gate, down. */
    record Gated(Dense gate, Dense up, Dense down, Activation activation) implements FeedForward {
        @Override
        public Tensor apply(Tensor x) {
            return down.apply(activation.apply(gate.apply(x)).mul(up.apply(x)));
        }
    }

    /** Four times as wide inside, with biases: what GPT-2 has. */
    static Plain plain(int width, Activation activation, Init up, Init down, Seed seed) {
        return new Plain(
                Linear.of(width, 4 * width, up, seed.of("up")),
                Linear.of(4 * width, width, down, seed.of("down")),
                activation);
    }

    /** With a gate and no biases: what Llama has. */
    static Gated gated(int width, int inner, Init init, Seed seed) {
        return new Gated(
                Projection.of(width, inner, init, seed.of("gate")),
                Projection.of(width, inner, init, seed.of("up")),
                Projection.of(inner, width, init, seed.of("down")),
                Activation.SILU);
    }
}
