package dev.ebb.nn.data;

import dev.ebb.ir.Shape;
import dev.ebb.ir.math.Sha256;
import dev.ebb.nn.Seed;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * A text as bytes, each a token. The passages of a batch depend on the seed and the step alone, so
 * training can resume at any step.
 */
public final class Corpus {
    /** The number of tokens: one for each byte. */
    public static final int VOCABULARY = 256;

    private final byte[] bytes;

    /**
     * A batch of passages, with the same passages one token later as targets.
     *
     * @param ids [size, context], i32
     * @param targets [size, context], i32
     */
    public record Batch(Tensor ids, Tensor targets) {}

    public Corpus(byte[] bytes) {
        this.bytes = bytes.clone();
    }

    public static Corpus of(String text) {
        return new Corpus(text.getBytes(StandardCharsets.UTF_8));
    }

    public int length() {
        return bytes.length;
    }

    /** The batch of step {@code step}: passages that start at random positions. */
    public Batch batch(int size, int context, Seed seed, long step) {
        if (bytes.length <= context) {
            throw new IllegalArgumentException(
                    ("a text of %s bytes is too short for a context of %s; give more text or a"
                                    + " context below its length")
                            .formatted(bytes.length, context));
        }
        var ids = new int[size * context];
        var targets = new int[size * context];
        var own = seed.of(step);
        for (int i = 0; i < size; i++) {
            int start = (int) own.below(bytes.length - context, i);
            for (int t = 0; t < context; t++) {
                ids[i * context + t] = bytes[start + t] & 0xff;
                targets[i * context + t] = bytes[start + t + 1] & 0xff;
            }
        }
        var shape = Shape.of(size, context);
        return new Batch(Array.of(shape, ids), Array.of(shape, targets));
    }

    /** The entropy of single bytes in nats: the loss of a model that knows only their frequency. */
    public double unigramEntropy() {
        var counts = new long[VOCABULARY];
        for (byte b : bytes) counts[b & 0xff]++;
        double entropy = 0;
        for (long n : counts) {
            double p = (double) n / bytes.length;
            if (n > 0) entropy -= p * Math.log(p);
        }
        return entropy;
    }

    /** A digest that identifies the text. */
    public String digest() {
        return HexFormat.of().formatHex(Sha256.start().digest(bytes));
    }
}
