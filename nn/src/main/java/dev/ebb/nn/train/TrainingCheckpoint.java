package dev.ebb.nn.train;

import dev.ebb.Tensorwise;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.nn.model.Naming;
import dev.ebb.nn.model.Weights;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Writes and reads checkpoints of a training run: every tensor of its state, its position, and the
 * settings that determine the rest of the run. Tensors are written and read one by one.
 */
final class TrainingCheckpoint {
    private static final String FORMAT = "ebb trainer checkpoint 1";
    private static final String OPTIMIZER = "optimizer";

    private TrainingCheckpoint() {}

    static Path file(Path folder) {
        return folder.resolve("checkpoint.safetensors");
    }

    static Path best(Path folder) {
        return folder.resolve("best.safetensors");
    }

    private static String optimizer(TrainerSettings<?, ?> s) {
        return s.optimizer.getClass().getName();
    }

    /** The settings that a resumed run must share with the original one. */
    private static String settings(TrainerSettings<?, ?> s) {
        return s.data.orElseThrow().rows()
                + " rows, batches of "
                + s.batch
                + ", accumulating "
                + s.accumulated
                + ", "
                + s.shards()
                + " shards, seed "
                + s.seed.key()
                + ", "
                + s.precision;
    }

    static void write(
            Path file,
            TrainerSettings<?, ?> settings,
            TrainingPrograms<?, ?> programs,
            TrainingPosition at)
            throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        var form = programs.stepper().form();
        var notes = new LinkedHashMap<String, String>();
        notes.put("format", FORMAT);
        notes.put("settings", settings(settings));
        notes.put(OPTIMIZER, optimizer(settings));
        notes.put("position", at.json().toString());
        var tensors = Weights.supplies(form, Naming.own(), programs.stepper()::state);
        Safetensors.write(file, tensors, Weights.withDigest(tensors, notes));
    }

    /** Writes only the model, under its own names. */
    static void writeModel(Path file, TrainingPrograms<?, ?> programs) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        var model = programs.stepper().form().model();
        Safetensors.write(
                file, Weights.supplies(model, Naming.own(), programs.stepper()::state), Map.of());
    }

    /** Loads the state in a file into the programs; returns the run's position. */
    static <M, S> TrainingPosition read(
            Path file, TrainerSettings<M, S> settings, TrainingPrograms<M, S> programs)
            throws IOException {
        try (var from = Safetensors.open(file)) {
            var notes = from.metadata();
            if (!FORMAT.equals(notes.get("format")))
                throw new FileFormatException(file, "not a checkpoint of a trainer");
            Weights.requireDigest(file, from);
            if (!settings(settings).equals(notes.get("settings"))) {
                throw new IllegalArgumentException(
                        ("%s is of a run with %s, and this one has %s; to go on bit for bit,"
                                        + " settings that decide the result stay")
                                .formatted(file, notes.get("settings"), settings(settings)));
            }
            var at =
                    TrainingPosition.of(file, Json.parse(file, notes.getOrDefault("position", "")));
            var loader = settings.loader();
            if (at.row() % loader.batch() != 0 || at.row() > loader.batches() * loader.batch())
                throw new FileFormatException(
                        file,
                        "row " + at.row() + " is not the first of a batch of " + loader.batch());
            requireTensors(file, from, programs);
            requireOptimizer(file, notes, settings);
            restore(from, programs);
            return at;
        }
    }

    private static void requireTensors(Path file, Safetensors from, TrainingPrograms<?, ?> programs)
            throws FileFormatException {
        var known = Set.copyOf(Tensorwise.names(programs.stepper().form()));
        for (var name : from.names())
            if (!known.contains(name))
                throw new FileFormatException(
                        file,
                        "this run has no place for the tensor "
                                + name
                                + "; a run goes on with the model and the optimizer that it was"
                                + " begun with");
    }

    /** Refuses the state of another rule that has as many slots; older files do not name theirs. */
    private static void requireOptimizer(
            Path file, Map<String, String> notes, TrainerSettings<?, ?> settings)
            throws FileFormatException {
        var begun = notes.getOrDefault(OPTIMIZER, optimizer(settings));
        if (begun.equals(optimizer(settings))) return;
        throw new FileFormatException(
                file,
                ("its optimizer is %s, and that of this run is %s; a run goes on with the optimizer"
                                + " that it was begun with")
                        .formatted(begun, optimizer(settings)));
    }

    private static <M, S> void restore(Safetensors from, TrainingPrograms<M, S> programs)
            throws FileFormatException {
        var stepper = programs.stepper();
        var names = Tensorwise.names(stepper.form());
        var tensors = Tensorwise.list(stepper.form());
        for (int i = 0; i < names.size(); i++)
            stepper.restore(i, from.read(names.get(i), tensors.get(i).type()));
    }
}
