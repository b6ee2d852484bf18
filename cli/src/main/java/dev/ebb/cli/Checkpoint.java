package dev.ebb.cli;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.Naming;
import dev.ebb.nn.model.Pretrained;
import dev.ebb.nn.model.Weights;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.tensor.Array;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * A moment of a training run, whole: weights under their published names, optimizer, losses so far,
 * and what decides the rest of the run. Random state and data position are functions of the seed
 * and the number of losses.
 */
record Checkpoint(TrainingState state, List<Double> losses, Settings settings, String text) {
    private static final String FORMAT = "ebb training checkpoint 1";
    private static final Naming NAMES = Naming.gpt2().behind("transformer.");

    Checkpoint {
        losses = List.copyOf(losses);
    }

    long step() {
        return losses.size();
    }

    /** Writes it beside, syncs, renames: a file of this name is always whole. */
    void write(Path file) throws IOException {
        var tensors = tensors(state);
        var data = losses.stream().mapToDouble(Double::doubleValue).toArray();
        tensors.put("losses", Array.of(data));
        var config = state.model().config();
        var notes = new LinkedHashMap<String, String>();
        notes.put("format", FORMAT);
        notes.put("heads", String.valueOf(config.heads()));
        notes.put("settings", settings.json().toString());
        notes.put("text", text);
        notes.put("digest", Weights.digest(tensors));
        Safetensors.write(file, tensors, notes);
    }

    private static SequencedMap<String, Array> tensors(TrainingState state) {
        var tensors = new LinkedHashMap<String, Array>(Weights.named(state.model(), NAMES));
        tensors.put("optimizer.step", (Array) state.optimizer().step());
        var slots = state.optimizer().slots();
        for (int i = 0; i < slots.size(); i++)
            tensors.putAll(Weights.named(slots.get(i), NAMES.behind("optimizer." + i + ".")));
        return tensors;
    }

    /** Reads a checkpoint and proves it whole: every bit is covered by its digest. */
    static Checkpoint read(Path path) throws IOException {
        try (var file = Safetensors.open(path)) {
            var notes = file.metadata();
            if (!FORMAT.equals(notes.get("format"))) {
                throw new FileFormatException(
                        path, "not a training checkpoint; to start from its weights use --from");
            }
            var settings = Settings.of(path, note(path, notes, "settings"));
            if (!(Pretrained.load(path) instanceof Gpt2 model))
                throw new FileFormatException(path, "the checkpoint holds no GPT-2");
            var slots = new ArrayList<Gpt2>();
            for (int i = 0; i < settings.optimizer().slots(); i++)
                slots.add(Weights.load(file, model, NAMES.behind("optimizer." + i + ".")));
            var step = file.read("optimizer.step", new Type(DType.I64, Shape.scalar()));
            var losses = file.read("losses").toDoubles();
            var state = new TrainingState(model, new Optimizer.State<>(step, slots));
            var read =
                    new Checkpoint(
                            state,
                            Arrays.stream(losses).boxed().toList(),
                            settings,
                            note(path, notes, "text"));
            read.prove(path, note(path, notes, "digest"));
            return read;
        }
    }

    private void prove(Path path, String digest) throws FileFormatException {
        var tensors = tensors(state);
        tensors.put("losses", Array.of(losses.stream().mapToDouble(Double::doubleValue).toArray()));
        if (!Weights.digest(tensors).equals(digest)) {
            throw new FileFormatException(path, "corrupted: its content does not match its digest");
        }
    }

    private static String note(Path path, Map<String, String> notes, String key)
            throws FileFormatException {
        return Optional.ofNullable(notes.get(key))
                .orElseThrow(
                        () -> new FileFormatException(path, "a checkpoint without a note " + key));
    }
}
