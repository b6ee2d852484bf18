package dev.ebb.nn;

import dev.ebb.Fn;
import dev.ebb.tensor.Tensor;

/** The feed-forward half of a transformer block, which processes each position separately. */
public sealed interface FeedForward extends Fn<Tensor, Tensor> {

    /** The same with each dense layer replaced by {@code change}. */
    FeedForward rewritten(String path, Dense.Rewrite change);

    /** A dense layer to the inner width, an activation, and a dense layer back. */
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

    /**
     * A dense layer to the inner width, multiplied by an activated gate, and a dense layer back.
     */
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

    /** A plain feed-forward half with biases, as in GPT-2. */
    static Plain plain(int width, int inner, Activation activation, Init up, Init down, Seed seed) {
        return new Plain(
                Linear.of(width, inner, up, seed.of("up")),
                Linear.of(inner, width, down, seed.of("down")),
                activation);
    }

    /** A gated feed-forward half without biases, as in Llama. */
    static Gated gated(
            int width, int inner, Activation activation, boolean biases, Init init, Seed seed) {
        return new Gated(
                Dense.of(width, inner, biases, init, seed.of("gate")),
                Dense.of(width, inner, biases, init, seed.of("up")),
                Dense.of(inner, width, biases, init, seed.of("down")),
                activation);
    }
}
