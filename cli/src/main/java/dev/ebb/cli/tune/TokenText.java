package dev.ebb.cli.tune;

import dev.ebb.cli.option.Refusal;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Seed;
import dev.ebb.nn.tokens.Tokenizer;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.network.CrossEntropy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** Plain text: windows that start anywhere; every token counts. */
record TokenText(int[] ids, int trained, int context, int batch) implements TuningText {
    private int held() {
        return ids.length - trained;
    }

    @Override
    public CrossEntropy loss() {
        return CrossEntropy.mean();
    }

    @Override
    public String description() {
        return String.format(
                Locale.ROOT,
                "batch %d x %d of %,d tokens, and %,d held out",
                batch,
                context,
                trained,
                held());
    }

    static TokenText of(byte[] text, Path model, int vocabulary, TuningSettings s)
            throws IOException {
        var ids =
                TuningText.ids(
                        text, TuningText.tokenizer(model), Tokenizer::encode, model, vocabulary);
        int held = (int) Math.round(ids.length * s.heldOut());
        var made = new TokenText(ids, ids.length - held, s.context(), s.batch());
        if (made.trained <= s.context() || (held > 0 && held <= s.context())) {
            throw new Refusal(
                    ("the text has %s tokens to train on and %s held out, too few for a context of"
                                    + " %s; give more text, a smaller --context or --held-out 0")
                            .formatted(made.trained, held, s.context()));
        }
        return made;
    }

    @Override
    public TuningState.Input training(Seed seed, long step) {
        var own = seed.of(step);
        var starts = new int[batch];
        for (int i = 0; i < batch; i++) starts[i] = (int) own.below(trained - context, i);
        return input(starts, 1);
    }

    /** The number of batches in the held-out text, at most eight. */
    @Override
    public int evaluations() {
        return Math.min(8, Math.ceilDiv(held() / (context + 1), batch));
    }

    /** Windows at equal distances in the held-out text. */
    @Override
    public TuningState.Input heldOut(int number) {
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
