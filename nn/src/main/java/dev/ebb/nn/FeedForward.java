package dev.ebb.nn;

import dev.ebb.Fn;
import dev.ebb.tensor.Tensor;

/** The half of a transformer block that looks at each position alone. */
public sealed interface FeedForward extends Fn<Tensor, Tensor> {

    /** With other dense layers. */
    FeedForward rewritten(String path, Dense.Rewrite change);

    /** Up, an activation, down. */
    record Plain(Dense up, Dense down, Activation activation) implements FeedForward {
        @Override
        public Tensor apply(Tensor x) {
            return down.apply(activation.apply(up.apply(x)));
        }

        @Override
        public Plain rewritten(String path, Dense.Rewrite change) {
            return new Plain(
                    change.of(path + ".up", up), change.of(path + ".down", down), activation);
        }
    }

    /** Up, scaled by an activated gate, down. */
    record Gated(Dense gate, Dense up, Dense down, Activation activation) implements FeedForward {
        @Override
        public Tensor apply(Tensor x) {
            return down.apply(activation.apply(gate.apply(x)).mul(up.apply(x)));
        }

        @Override
        public Gated rewritten(String path, Dense.Rewrite change) {
            return new Gated(
                    change.of(path + ".gate", gate),
                    change.of(path + ".up", up),
                    change.of(path + ".down", down),
                    activation);
        }
    }

    /** With biases: what GPT-2 has. */
    static Plain plain(int width, int inner, Activation activation, Init up, Init down, Seed seed) {
        return new Plain(
                Linear.of(width, inner, up, seed.of("up")),
                Linear.of(inner, width, down, seed.of("down")),
                activation);
    }

    /** With a gate: what Llama has, there without biases. */
    static Gated gated(
            int width, int inner, Activation activation, boolean biases, Init init, Seed seed) {
        return new Gated(
                Dense.of(width, inner, biases, init, seed.of("gate")),
                Dense.of(width, inner, biases, init, seed.of("up")),
                Dense.of(inner, width, biases, init, seed.of("down")),
                activation);
    }
}
