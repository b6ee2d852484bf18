package dev.ebb.cli;

import dev.ebb.Tensorwise;
import dev.ebb.cli.option.JsonRecord;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.LazyTensor;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.nn.model.Naming;
import dev.ebb.nn.model.Pretrained;
import dev.ebb.nn.model.Weights;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * The complete state of a training run after a step: weights under their published names, optimizer
 * state, losses so far, and all settings that determine the rest of the run. Random state and data
 * position are functions of the seed and the number of losses.
 *
 * @param state the initial state for training; blank if it is read from a file
 * @param read the tensors of the file, by index of the state's tensors, each read when it is
 *     requested; empty if there is no file
 */
record Checkpoint(
        TrainingState state,
        List<LazyTensor> read,
        List<Double> losses,
        TrainingSettings settings,
        RunOptions setup,
        String text) {
    private static final String KIND = "ebb training checkpoint";
    private static final String FORMAT = KIND + " 3";

    Checkpoint {
        read = List.copyOf(read);
        losses = List.copyOf(losses);
    }

    /** The same state with changed settings for the rest of the run. */
    Checkpoint with(RunOptions changed) {
        return new Checkpoint(state, read, losses, settings, changed, text);
    }

    long step() {
        return losses.size();
    }

    /** A checkpoint to be written; each tensor is read when it is written. */
    record Writer(long step, List<LazyTensor> tensors, Map<String, String> notes) {

        /**
         * Writes to a temporary file, forces it to the disk and renames it, so that {@code file} is
         * always complete.
         */
        void write(Path file) throws IOException {
            Safetensors.write(file, tensors, Weights.withDigest(tensors, notes));
        }
    }

    /**
     * A writer for a state with the structure of {@code like}.
     *
     * @param at the tensor at an index of the state
     */
    static Writer writer(
            TrainingState like,
            IntFunction<Array> at,
            List<Double> losses,
            TrainingSettings settings,
            RunOptions setup,
            String text) {
        var tensors = new ArrayList<>(supplies(like, at));
        var data = Array.of(losses.stream().mapToDouble(Double::doubleValue).toArray());
        tensors.add(new LazyTensor("losses", data.type(), () -> data));
        var notes = new LinkedHashMap<String, String>();
        notes.put("format", FORMAT);
        notes.put(Pretrained.NOTE, Pretrained.config(like.model()).toString());
        notes.put("settings", JsonRecord.write(settings).toString());
        notes.put("run", JsonRecord.write(setup).toString());
        notes.put("text", text);
        return new Writer(losses.size(), tensors, notes);
    }

    private static Naming naming(AutoregressiveModel model) {
        return Pretrained.naming(model)
                .orElseThrow(() -> new IllegalStateException("no published names for " + model));
    }

    /** The tensors of model, step and slots, in the order of the state's tensors. */
    private static List<LazyTensor> supplies(TrainingState like, IntFunction<Array> at) {
        var naming = naming(like.model());
        var all = new ArrayList<>(Weights.supplies(like.model(), naming, at));
        int step = all.size();
        all.add(new LazyTensor("optimizer.step", STEP, () -> at.apply(step)));
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

    /** Reads a checkpoint and verifies its digest, which covers every bit. */
    static Checkpoint read(Path path) throws IOException {
        prove(path);
        // opened again, so that the pages read for the digest are released
        try (var file = Safetensors.open(path)) {
            var notes = file.metadata();
            var settings =
                    JsonRecord.read(TrainingSettings.class, path, note(path, notes, "settings"));
            var model = Weights.blank(Pretrained.load(path));
            var state = new TrainingState(model, settings.optimizer().start(model));
            var losses = file.read("losses").toDoubles();
            return new Checkpoint(
                    state,
                    tensors(path, file, state),
                    Arrays.stream(losses).boxed().toList(),
                    settings,
                    JsonRecord.read(RunOptions.class, path, note(path, notes, "run")),
                    note(path, notes, "text"));
        } catch (IllegalArgumentException e) {
            throw new FileFormatException(path, String.valueOf(e.getMessage()), e);
        }
    }

    private static void prove(Path path) throws IOException {
        try (var file = Safetensors.open(path)) {
            var notes = file.metadata();
            if (!FORMAT.equals(notes.get("format"))) {
                boolean other = notes.getOrDefault("format", "").startsWith(KIND);
                throw new FileFormatException(
                        path,
                        (other
                                        ? "a checkpoint of another version of Ebb"
                                        : "not a training checkpoint")
                                + "; to start from its weights use --from");
            }
            note(path, notes, Weights.DIGEST);
            Weights.requireDigest(path, file);
        }
    }

    /** All tensors in the order of the state's; throws if one is missing or has another shape. */
    private static List<LazyTensor> tensors(Path path, Safetensors file, TrainingState like)
            throws IOException {
        var all = new ArrayList<>(tensors(path, file, like.model(), naming(like.model())));
        all.add(later(path, "optimizer.step", STEP, from -> from.read("optimizer.step", STEP)));
        for (int i = 0; i < like.optimizer().slots().size(); i++) {
            all.addAll(tensors(path, file, like.model(), naming(like.model()).behind(slot(i))));
        }
        return all;
    }

    private static List<LazyTensor> tensors(
            Path path, Safetensors file, AutoregressiveModel like, Naming naming)
            throws IOException {
        Weights.require(file, like, naming);
        var names = Tensorwise.names(like);
        var types = Tensorwise.list(like).stream().map(Tensor::type).toList();
        return IntStream.range(0, names.size())
                .mapToObj(
                        i ->
                                later(
                                        path,
                                        names.get(i),
                                        types.get(i),
                                        from -> Weights.load(from, like, naming, i)))
                .toList();
    }

    private interface Reading {
        Array from(Safetensors file) throws IOException;
    }

    private static LazyTensor later(Path path, String name, Type type, Reading reading) {
        return new LazyTensor(
                name,
                type,
                () -> {
                    try (var file = Safetensors.open(path)) {
                        return reading.from(file);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
    }

    private static String note(Path path, Map<String, String> notes, String key)
            throws FileFormatException {
        return Optional.ofNullable(notes.get(key))
                .orElseThrow(
                        () -> new FileFormatException(path, "a checkpoint without a note " + key));
    }
}
