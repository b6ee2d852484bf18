package dev.ebb.bench;

import dev.ebb.nn.Activation;
import dev.ebb.nn.Seed;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.Mlp;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.List;
import java.util.Random;

/**
 * The two models that Ebb and other libraries train, with the same initial weights and data: a
 * GPT-2 with a feed-forward half of four times the width and GELU under AdamW, and an MLP with ReLU
 * and squared error under SGD, both in f32.
 */
final class Workload {
    static final int THREADS = 2;

    /** The number of steps that do not count, for the JIT to compile the kernels. */
    static final int WARM_UP = 10;

    static final int VOCABULARY = 256;
    static final int CONTEXT = 256;
    static final int WIDTH = 256;
    static final int LAYERS = 4;
    static final int HEADS = 4;
    static final int BATCH = 8;
    static final double ADAM_RATE = 1e-3;

    static final int IN = 1024;
    static final int HIDDEN = 4096;
    static final int ROWS = 256;
    static final double SGD_RATE = 0.1;

    private Workload() {}

    /** The initial GPT, the same for all libraries. */
    static Gpt2 gpt() {
        return Gpt2.of(Gpt2.Config.of(VOCABULARY, CONTEXT, WIDTH, LAYERS, HEADS), new Seed(1));
    }

    /** The initial MLP, the same for all libraries. */
    static Mlp mlp() {
        return Mlp.of(List.of(IN, HIDDEN, HIDDEN, IN), Activation.RELU, new Seed(1));
    }

    /** The elements of a weight, to initialise another library's model. */
    static float[] floats(Tensor weight) {
        var from = ((Array) weight).data();
        var floats = new float[Math.toIntExact(weight.type().size())];
        for (int i = 0; i < floats.length; i++) floats[i] = (float) from.get(i);
        return floats;
    }

    /** A batch of random tokens, row by row. */
    static long[] tokens(long seed) {
        return new Random(seed).longs((long) BATCH * CONTEXT, 0, VOCABULARY).toArray();
    }

    /** A batch of rows for the MLP, normally distributed. */
    static float[] rows(long seed) {
        var random = new Random(seed);
        var rows = new float[ROWS * IN];
        for (int i = 0; i < rows.length; i++) rows[i] = (float) random.nextGaussian();
        return rows;
    }
}
