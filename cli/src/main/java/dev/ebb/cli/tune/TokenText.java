package dev.ebb.cli.tune;

import dev.ebb.cli.option.Refusal;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Seed;
import dev.ebb.nn.tokens.Tokenizer;
import dev.ebb.tensor.Array;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A text as a model's tokens, the last of which are held out. Which passages a batch holds is a
 * function of the seed and the step alone.
 */
public final class TokenText {
    private static final int BYTES = 256;

    private final int[] ids;
    private final int trained;
    private final int context;
    private final int batch;

    private TokenText(int[] ids, int trained, int context, int batch) {
        this.ids = ids;
        this.trained = trained;
        this.context = context;
        this.batch = batch;
    }

    /** How many tokens, from the first, may be trained on. */
    int trained() {
        return trained;
    }

    /** How many tokens are held out. */
    int held() {
        return ids.length - trained;
    }

    /** The tokenizer in a model's folder; nothing where there is none. */
    public static Optional<Tokenizer> tokenizer(Path model) throws IOException {
        var folder = Files.isDirectory(model) ? model : model.toAbsolutePath().getParent();
        var file = folder == null ? model : folder.resolve("tokenizer.json");
        return Files.isRegularFile(file) ? Optional.of(Tokenizer.load(file)) : Optional.empty();
    }

    static TokenText of(byte[] text, Path model, int vocabulary, TuningSettings s)
            throws IOException {
        var ids = ids(text, tokenizer(model), model, vocabulary);
        int held = (int) Math.round(ids.length * s.heldOut());
        var made = new TokenText(ids, ids.length - held, s.context(), s.batch());
        if (made.trained <= s.context() || (held > 0 && held <= s.context())) {
            throw new Refusal(
                    "the text has "
                            + made.trained
                            + " tokens to train on and "
                            + held
                            + " held out, too few for a context of "
                            + s.context()
                            + "; give more text, a smaller --context or --held-out 0");
        }
        return made;
    }

    private static int[] ids(
            byte[] text, Optional<Tokenizer> tokenizer, Path model, int vocabulary) {
        if (tokenizer.isEmpty()) {
            if (vocabulary < BYTES || vocabulary > 2 * BYTES) {
                throw new Refusal(
                        model
                                + ": a vocabulary of "
                                + vocabulary
                                + " tokens and no tokenizer.json beside; put the model's own"
                                + " there");
            }
            var ids = new int[text.length];
            for (int i = 0; i < ids.length; i++) ids[i] = text[i] & 0xff;
            return ids;
        }
        var ids = tokenizer.get().encode(new String(text, StandardCharsets.UTF_8));
        for (int id : ids) {
            if (id >= vocabulary)
                throw new Refusal(
                        "tokenizer.json gives token "
                                + id
                                + ", and the model's are below "
                                + vocabulary
                                + "; it belongs to another model");
        }
        return ids;
    }

    /** Passages of the part that is trained on. */
    TuningState.Input training(Seed seed, long step) {
        var own = seed.of(step);
        var starts = new int[batch];
        for (int i = 0; i < batch; i++) starts[i] = (int) own.below(trained - context, i);
        return input(starts, 1);
    }

    /** How many batches an evaluation takes: all that is held out, or eight. */
    int evaluations() {
        return Math.min(8, Math.ceilDiv(held() / (context + 1), batch));
    }

    /** Batch {@code number} of an evaluation: passages at equal distances in what is held out. */
    TuningState.Input heldOut(int number) {
        int all = evaluations() * batch;
        long room = held() - context - 1L;
        var starts = new int[batch];
        for (int i = 0; i < batch; i++) {
            int place = number * batch + i;
            starts[i] = trained + (int) (room * place / Math.max(1, all - 1));
        }
        return input(starts, 0);
    }

    private TuningState.Input input(int[] starts, float training) {
        var in = new int[batch * context];
        var out = new int[batch * context];
        for (int i = 0; i < batch; i++) {
            System.arraycopy(ids, starts[i], in, i * context, context);
            System.arraycopy(ids, starts[i] + 1, out, i * context, context);
        }
        var shape = Shape.of(batch, context);
        return new TuningState.Input(
                Array.of(shape, in), Array.of(shape, out), Array.scalar(training));
    }
}
