package dev.ebb.cli.tune;

import dev.ebb.cli.option.Refusal;
import dev.ebb.nn.Seed;
import dev.ebb.nn.tokens.Tokenizer;
import dev.ebb.tensor.network.CrossEntropy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What a model is tuned on, as its tokens, the last of which are held out. What a batch holds is a
 * function of the seed and the step alone.
 */
public sealed interface TuningText permits TokenText, InstructionText {
    int BYTES = 256;

    /** What a file of {@code --text} or {@code --instructions} is. */
    enum Format {
        PLAIN,
        INSTRUCTIONS
    }

    static TuningText of(byte[] text, Path model, int vocabulary, TuningSettings s)
            throws IOException {
        return switch (s.format()) {
            case PLAIN -> TokenText.of(text, model, vocabulary, s);
            case INSTRUCTIONS -> InstructionText.of(text, model, vocabulary, s);
        };
    }

    /** Which targets count, and how. */
    CrossEntropy counted();

    /** A batch of the part that is trained on. */
    TuningState.Input training(Seed seed, long step);

    /** How many batches an evaluation takes. */
    int evaluations();

    /** Batch {@code number} of an evaluation. */
    TuningState.Input heldOut(int number);

    /** How much there is, in words. */
    String told();

    /** The tokenizer in a model's folder; nothing where there is none. */
    static Optional<Tokenizer> tokenizer(Path model) throws IOException {
        var file = beside(model, "tokenizer.json");
        return Files.isRegularFile(file) ? Optional.of(Tokenizer.load(file)) : Optional.empty();
    }

    /** A file in a model's folder. */
    static Path beside(Path model, String name) {
        var folder = Files.isDirectory(model) ? model : model.toAbsolutePath().getParent();
        return folder == null ? model : folder.resolve(name);
    }

    /** The tokens of {@code text}: the tokenizer's, or bytes where there is none. */
    static int[] ids(byte[] text, Optional<Tokenizer> tokenizer, Path model, int vocabulary) {
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
}
