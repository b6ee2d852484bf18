package dev.ebb.cli.tune;

import dev.ebb.Tensorwise;
import dev.ebb.cli.option.JsonRecord;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.LazyTensor;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.nn.model.Naming;
import dev.ebb.nn.model.Weights;
import dev.ebb.tensor.Array;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.IntFunction;

/**
 * The state of a fine-tuning run without the frozen model: adapters, optimizer, losses so far, and
 * the settings that determine the rest. Its digest covers every bit.
 */
final class TuningCheckpoint {
    static final String FILE = "tuning.safetensors";
    private static final String FORMAT = "ebb fine-tuning checkpoint 3";
    private static final String LOSSES = "losses";

    private TuningCheckpoint() {}

    /** The settings and losses of a checkpoint, without its tensors. */
    record Begun(TuningSettings settings, String text, String model, List<Double> losses) {}

    static void write(
            Path folder,
            TuningState.Kept like,
            IntFunction<Array> at,
            TuningSettings settings,
            String text,
            String model,
            List<Double> losses)
            throws IOException {
        var tensors = new ArrayList<>(Weights.supplies(like, Naming.own(), at));
        var data = Array.of(losses.stream().mapToDouble(Double::doubleValue).toArray());
        tensors.add(new LazyTensor(LOSSES, data.type(), () -> data));
        var notes = new LinkedHashMap<String, String>();
        notes.put("format", FORMAT);
        notes.put("settings", JsonRecord.write(settings).toString());
        notes.put("text", text);
        notes.put("model", model);
        Safetensors.write(folder.resolve(FILE), tensors, Weights.withDigest(tensors, notes));
    }

    /** Reads the settings and losses, and verifies the digest of the whole file. */
    static Begun read(Path folder) throws IOException {
        var path = folder.resolve(FILE);
        try (var file = Safetensors.open(path)) {
            var notes = file.metadata();
            if (!FORMAT.equals(notes.get("format")))
                throw new FileFormatException(path, "not a checkpoint of this version's finetune");
            Weights.requireDigest(path, file);
            return new Begun(
                    JsonRecord.read(TuningSettings.class, path, notes.getOrDefault("settings", "")),
                    notes.getOrDefault("text", ""),
                    notes.getOrDefault("model", ""),
                    Arrays.stream(file.read(LOSSES).toDoubles()).boxed().toList());
        }
    }

    /** Stores one tensor at an index of the state. */
    interface Restoring {
        void restore(int place, Array tensor);
    }

    static void restore(Path folder, TuningState.Kept like, Restoring to) throws IOException {
        var names = Tensorwise.names(like);
        var types = Tensorwise.list(like);
        try (var file = Safetensors.open(folder.resolve(FILE))) {
            for (int i = 0; i < names.size(); i++)
                to.restore(i, file.read(names.get(i), types.get(i).type()));
        }
    }
}
