package dev.ebb.cli.tune;

import dev.ebb.cli.option.Refusal;
import dev.ebb.nn.Seed;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.file.TextFile;
import dev.ebb.nn.tokens.Tokenizer;
import dev.ebb.tensor.network.CrossEntropy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The tokens of the text to fine-tune on, the last of which are held out. The batches depend on the
 * seed and the step alone.
 */
public sealed interface TuningText permits TokenText, InstructionText {
    int BYTES = 256;

    /** The format of a file of {@code --text} or {@code --instructions}. */
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

    /** The loss function, with the target to ignore. */
    CrossEntropy loss();

    /** A batch of training data. */
    TuningState.Input training(Seed seed, long step);

    /** The number of batches of an evaluation. */
    int evaluations();

    /** Batch {@code number} of an evaluation. */
    TuningState.Input heldOut(int number);

    /** A description of the amount of data. */
    String description();

    /** The tokenizer in a model's folder; empty if there is none. */
    static Optional<Tokenizer> tokenizer(Path model) throws IOException {
        var file = beside(model, "tokenizer.json");
        return hasTokenizer(model) ? Optional.of(Tokenizer.load(file)) : Optional.empty();
    }

    static boolean hasTokenizer(Path model) {
        return Files.isRegularFile(beside(model, "tokenizer.json"));
    }

    /** The end-of-text tokens: eos_token_id of generation_config.json, or else of config.json. */
    static List<Integer> ends(Path model) throws IOException {
        for (var name : List.of("generation_config.json", "config.json")) {
            var file = beside(model, name);
            if (!Files.isRegularFile(file)) continue;
            var named = Json.read(file).at("eos_token_id").orElse(new Json.Nothing());
            var all = named.elements().isEmpty() ? List.of(named) : named.elements();
            var ids = new ArrayList<Integer>();
            for (var one : all)
                one.whole().filter(n -> n == n.intValue()).ifPresent(n -> ids.add(n.intValue()));
            if (!ids.isEmpty()) return ids;
        }
        return List.of();
    }

    /** A file in a model's folder. */
    static Path beside(Path model, String name) {
        var folder = Files.isDirectory(model) ? model : model.toAbsolutePath().getParent();
        return folder == null ? model : folder.resolve(name);
    }

    /** A function that uses a tokenizer to encode a text. */
    @FunctionalInterface
    interface Encoding {
        int[] of(Tokenizer tokenizer, String text);
    }

    /** The tokens of {@code text}: the tokenizer's, or bytes without one. */
    static int[] ids(
            byte[] text,
            Optional<Tokenizer> tokenizer,
            Encoding encoding,
            Path model,
            int vocabulary)
            throws FileFormatException {
        if (tokenizer.isEmpty()) {
            if (vocabulary < BYTES || vocabulary > 2 * BYTES) {
                throw new Refusal(
                        ("%s: a vocabulary of %s tokens and no tokenizer.json beside; put the"
                                        + " model's own there")
                                .formatted(model, vocabulary));
            }
            var ids = new int[text.length];
            for (int i = 0; i < ids.length; i++) ids[i] = text[i] & 0xff;
            return ids;
        }
        var ids = encoding.of(tokenizer.get(), TextFile.decoded(Path.of("--text"), text));
        for (int id : ids) {
            if (id >= vocabulary)
                throw new Refusal(
                        ("tokenizer.json gives token %s, and the model's are below %s; it belongs"
                                        + " to another model")
                                .formatted(id, vocabulary));
        }
        return ids;
    }
}
