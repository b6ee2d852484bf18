package dev.ebb.nn;

import dev.ebb.Fn;
import dev.ebb.tensor.Tensor;

/** The feed-forward half of a transformer block, which processes each position separately. */
public sealed interface FeedForward extends Fn<Tensor, Tensor> {

    /** The same with other dense layers. */
    FeedForward rewritten(String path, Dense.Rewrite change);

    /** A layer up to the inner width, an activation, a layer down. */
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

    /** A layer up to the inner width, multiplied by an activated gate, and a layer down. */
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

    /** With biases, as in GPT-2. */
    static Plain plain(int width, int inner, Activation activation, Init up, Init down, Seed seed) {
        return new Plain(
                Linear.of(width, inner, up, seed.of("up")),
                Linear.of(inner, width, down, seed.of("down")),
                activation);
    }

    /** With a gate, as in Llama, which has no biases. */
    static Gated gated(
            int width, int inner, Activation activation, boolean biases, Init init, Seed seed) {
        return new Gated(
                Dense.of(width, inner, biases, init, seed.of("gate")),
                Dense.of(width, inner, biases, init, seed.of("up")),
                Dense.of(inner, width, biases, init, seed.of("down")),
                activation);
    }
}
