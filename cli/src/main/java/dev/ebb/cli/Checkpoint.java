package dev.ebb.cli;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.nn.file.Supply;
import dev.ebb.nn.model.LanguageModel;
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
import java.util.function.IntFunction;

/**
 * A moment of a training run, whole: weights under their published names, optimizer, losses so far,
 * and what decides the rest of the run. Random state and data position are functions of the seed
 * and the number of losses.
 */
record Checkpoint(TrainingState state, List<Double> losses, Settings settings, String text) {
    private static final String FORMAT = "ebb training checkpoint 2";
    private static final String DIGEST = "digest";

    Checkpoint {
        losses = List.copyOf(losses);
    }

    long step() {
        return losses.size();
    }

    /** What is to be written, each tensor read when its turn comes. */
    record Writer(long step, List<Supply> tensors, Map<String, String> notes) {

        /** Writes it beside, syncs, renames: a file of this name is always whole. */
        void write(Path file) throws IOException {
            var all = new LinkedHashMap<>(notes);
            all.put(DIGEST, digest(tensors, notes));
            Safetensors.write(file, tensors, all);
        }
    }

    /**
     * A checkpoint of a state like {@code like}.
     *
     * @param at the tensor at a place of the state
     */
    static Writer writer(
            TrainingState like,
            IntFunction<Array> at,
            List<Double> losses,
            Settings settings,
            String text) {
        var tensors = new ArrayList<>(supplies(like, at));
        var data = Array.of(losses.stream().mapToDouble(Double::doubleValue).toArray());
        tensors.add(new Supply("losses", data.type(), () -> data));
        var notes = new LinkedHashMap<String, String>();
        notes.put("format", FORMAT);
        notes.put(Pretrained.NOTE, Pretrained.config(like.model()).toString());
        notes.put("settings", settings.json().toString());
        notes.put("text", text);
        return new Writer(losses.size(), tensors, notes);
    }

    private static Naming naming(LanguageModel model) {
        return Pretrained.naming(model)
                .orElseThrow(() -> new IllegalStateException("no published names for " + model));
    }

    /** Model, step and slots, in the order of the state's tensors. */
    private static List<Supply> supplies(TrainingState like, IntFunction<Array> at) {
        var naming = naming(like.model());
        var all = new ArrayList<>(Weights.supplies(like.model(), naming, at));
        int step = all.size();
        all.add(new Supply("optimizer.step", STEP, () -> at.apply(step)));
        for (int i = 0; i < like.optimizer().slots().size(); i++) {
            int from = all.size();
            var slot = like.optimizer().slots().get(i);
            all.addAll(Weights.supplies(slot, naming.behind(slot(i)), n -> at.apply(from + n)));
        }
        return all;
    }

    private static final Type STEP = new Type(DType.I64, Shape.scalar());

    private static String slot(int i) {
        return "optimizer." + i + ".";
    }

    /** Covers every bit of the tensors and every note but itself. */
    private static String digest(List<Supply> tensors, Map<String, String> notes) {
        var lines = new ArrayList<String>();
        notes.forEach(
                (key, note) -> {
                    if (!key.equals(DIGEST)) lines.add(key + "=" + note);
                });
        return Weights.digest(tensors, lines);
    }

    /** Reads a checkpoint and proves it whole: every bit is covered by its digest. */
    static Checkpoint read(Path path) throws IOException {
        try (var file = Safetensors.open(path)) {
            var notes = file.metadata();
            if (!FORMAT.equals(notes.get("format"))) {
                throw new FileFormatException(
                        path, "not a training checkpoint; to start from its weights use --from");
            }
            if (!digest(file.supplies(), notes).equals(note(path, notes, DIGEST))) {
                throw new FileFormatException(
                        path, "corrupted: its content does not match its digest");
            }
            var settings = Settings.of(path, note(path, notes, "settings"));
            var model = Pretrained.load(path);
            var slots = new ArrayList<LanguageModel>();
            for (int i = 0; i < settings.optimizer().slots(); i++)
                slots.add(Weights.load(file, model, naming(model).behind(slot(i))));
            var step = file.read("optimizer.step", STEP);
            var losses = file.read("losses").toDoubles();
            return new Checkpoint(
                    new TrainingState(model, new Optimizer.State<>(step, slots)),
                    Arrays.stream(losses).boxed().toList(),
                    settings,
                    note(path, notes, "text"));
        }
    }

    private static String note(Path path, Map<String, String> notes, String key)
            throws FileFormatException {
        return Optional.ofNullable(notes.get(key))
                .orElseThrow(
                        () -> new FileFormatException(path, "a checkpoint without a note " + key));
    }
}
