package dev.ebb.cli.studio;

import dev.ebb.cli.option.CommandText;
import dev.ebb.nn.file.Json;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

/**
 * The runs in the studio's folder, each in its own subfolder. One run trains at a time, by the
 * {@code train} command, so that runs started from the page and from the shell are the same.
 */
final class StudioRuns implements AutoCloseable {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    private static final String HELD_OUT = "held-out.txt";
    private static final String TRAINED = "trained.txt";
    private static final int HELD_OUT_SHARE = 10;

    private final StudioFolder here;
    private final Path root;
    private final TrainingBackend trainings;
    private final Map<String, LiveRun> live = new ConcurrentHashMap<>();

    StudioRuns(StudioFolder here, TrainingBackend trainings) {
        this.here = here;
        root = here.root();
        this.trainings = trainings;
    }

    /** The folder of a run, which must be a direct subfolder of the studio's folder. */
    Path folder(String name) throws IOException {
        if (!NAME.matcher(name).matches())
            throw RequestError.wrong(
                    "a run's name has letters, digits, dots, dashes and underscores, 64 at most");
        var folder = root.resolve(name);
        if (Files.exists(folder)) {
            if (!Files.isDirectory(folder) || !folder.toRealPath().equals(folder))
                throw RequestError.wrong("'" + name + "' is no folder of a run here");
        }
        return folder;
    }

    /** All runs in the folder, and the text files to train on. */
    Json list() throws IOException {
        var runs = new ArrayList<Json>();
        for (var entry : here.entries()) {
            var name = entry.getFileName().toString();
            if (Files.exists(entry.resolve(StoredRun.CHECKPOINT)) || live.containsKey(name))
                runs.add(summary(name, entry));
        }
        var all = new LinkedHashMap<String, Json>();
        all.put("folder", Json.of(root.toString()));
        all.put("runs", Json.of(runs));
        all.put("texts", Json.of(here.files(".txt").stream().map(Json::of).toList()));
        return Json.of(all);
    }

    /**
     * The checkpoints and models in the folder that can be planned for or trained further, with
     * their properties.
     */
    Json checkpoints() throws IOException {
        var all = new ArrayList<Json>();
        for (var entry : here.entries()) {
            var name = entry.getFileName().toString();
            if (!Files.exists(entry.resolve(StoredRun.CHECKPOINT))) continue;
            var row = new LinkedHashMap<String, Json>();
            row.put("file", Json.of(name + "/" + StoredRun.CHECKPOINT));
            row.put("name", Json.of(name));
            try {
                var stored = StoredRun.read(folder(name)).json();
                for (var member : List.of("batch", "context", "step"))
                    stored.at(member).ifPresent(value -> row.put(member, value));
                all.add(Json.of(row));
            } catch (IOException | RequestError e) {
                // the list of runs has this file and shows its error
            }
        }
        for (var name : here.files(".safetensors"))
            all.add(Json.of(Map.of("file", Json.of(name), "name", Json.of(name))));
        return Json.of(List.copyOf(all));
    }

    private Json summary(String name, Path folder) {
        var all = new LinkedHashMap<String, Json>();
        all.put("name", Json.of(name));
        try {
            if (Files.exists(folder.resolve(StoredRun.CHECKPOINT)))
                put(all, StoredRun.read(folder).json());
        } catch (IOException e) {
            all.put("state", Json.of("unreadable"));
            all.put("said", Json.of(String.valueOf(e.getMessage())));
        }
        var running = live.get(name);
        if (running != null) {
            put(all, running.json());
            List.of("losses", "heldOuts", "speeds", "kernels").forEach(all::remove);
        }
        return Json.of(all);
    }

    private static void put(Map<String, Json> all, Json more) {
        if (more instanceof Json.Obj(var members)) all.putAll(members);
    }

    /** One run with its curves. */
    Json run(String name) throws IOException {
        var folder = folder(name);
        var all = new LinkedHashMap<String, Json>();
        if (Files.exists(folder.resolve(StoredRun.CHECKPOINT))) {
            var stored = StoredRun.read(folder);
            put(all, stored.json());
            all.put("losses", stored.series());
        }
        var running = live.get(name);
        if (running != null) {
            var stored = all.get("losses");
            put(all, running.json());
            if (running.state().isOver() && stored != null) all.put("losses", stored);
            else if (stored != null) all.put("before", stored);
        }
        if (all.isEmpty()) throw new RequestError(404, "there is no run of this name here");
        return Json.of(all);
    }

    LiveRun watched(String name) {
        return Optional.ofNullable(live.get(name))
                .orElseThrow(
                        () -> new RequestError(404, "the studio did not start a run of this name"));
    }

    /** The number of steps for which two runs have the same losses. */
    Json compare(String a, String b) throws IOException {
        var one = StoredRun.read(folder(a));
        var other = StoredRun.read(folder(b));
        var all = new LinkedHashMap<String, Json>();
        all.put("same", Json.of(one.sameSteps(other)));
        all.put("of", Json.of(Math.min(one.losses().length, other.losses().length)));
        return Json.of(all);
    }

    Json sample(String name, String prompt) throws IOException {
        var checkpoint = folder(name).resolve(StoredRun.CHECKPOINT);
        if (!Files.exists(checkpoint)) throw RequestError.wrong("this run has no checkpoint yet");
        return Json.of(Map.of("text", Json.of(trainings.sample(checkpoint, prompt))));
    }

    /** Starts a run. */
    synchronized Json start(Query query) throws IOException {
        var name = query.text("name");
        var folder = folder(name);
        refuseSecond();
        if (Files.exists(folder.resolve(StoredRun.CHECKPOINT)))
            throw RequestError.wrong(
                    "there is a run of this name already; resume it, or take another");
        var arguments = new ArrayList<>(List.of("train", "--out", folder.toString()));
        for (var option : List.of("model", "batch", "context", "steps", "seed", "budget", "device"))
            query.find(option).ifPresent(value -> arguments.addAll(List.of("--" + option, value)));
        query.find("every").ifPresent(value -> arguments.addAll(List.of("--checkpoint", value)));
        var from = query.find("from");
        if (from.isPresent()) arguments.addAll(List.of("--from", here.file(from.get()).toString()));
        var text = query.find("text");
        boolean hold = query.find("holdOut").isPresent();
        if (hold) {
            Files.createDirectories(folder);
            var bytes =
                    text.isPresent()
                            ? Files.readAllBytes(here.file(text.get()))
                            : trainings.ownText();
            int cut = bytes.length - bytes.length / HELD_OUT_SHARE;
            Files.write(folder.resolve(TRAINED), Arrays.copyOf(bytes, cut));
            Files.write(folder.resolve(HELD_OUT), Arrays.copyOfRange(bytes, cut, bytes.length));
            arguments.addAll(List.of("--text", folder.resolve(TRAINED).toString()));
        } else if (text.isPresent()) {
            arguments.addAll(List.of("--text", here.file(text.get()).toString()));
        }
        return begin(name, arguments);
    }

    /** Resumes a run. */
    synchronized Json resume(Query query) throws IOException {
        var name = query.text("name");
        var folder = folder(name);
        refuseSecond();
        var arguments = new ArrayList<>(List.of("train", "--resume", "--out", folder.toString()));
        for (var option : List.of("steps", "budget"))
            query.find(option).ifPresent(value -> arguments.addAll(List.of("--" + option, value)));
        return begin(name, arguments);
    }

    Json stop(String name) {
        var run = watched(name);
        run.stop();
        return run.json();
    }

    private void refuseSecond() {
        for (var run : live.values())
            if (!run.state().isOver())
                throw new RequestError(409, "the run " + run.name() + " trains; stop it first");
    }

    // correctness does not depend on the priority, which only shortens waits
    @SuppressWarnings("ThreadPriorityCheck")
    private Json begin(String name, List<String> arguments) throws IOException {
        var folder = folder(name);
        var trying = new AtomicBoolean();
        var shown = CommandText.of(arguments);
        var run =
                new LiveRun(
                        name,
                        shown,
                        step -> {
                            if (Files.exists(folder.resolve(HELD_OUT))
                                    && trying.compareAndSet(false, true))
                                Thread.ofVirtual().start(() -> tryOut(name, folder, step, trying));
                        });
        live.put(name, run);
        // its workers inherit the priority: planning for the page goes before training
        Thread.ofPlatform()
                .name("studio training")
                .priority(Thread.MIN_PRIORITY)
                .start(
                        () -> {
                            var said = new TailWriter();
                            var out = new PrintWriter(said, true);
                            int code;
                            try {
                                code = trainings.train(arguments, run, out, out);
                            } catch (RuntimeException e) {
                                out.println(e.getMessage());
                                code = 70;
                            }
                            run.ended(code, said.toString());
                        });
        return run.json();
    }

    private void tryOut(String name, Path folder, long step, AtomicBoolean trying) {
        try {
            double loss =
                    trainings.loss(folder.resolve(StoredRun.CHECKPOINT), folder.resolve(HELD_OUT));
            watched(name).evaluated(step, loss);
        } catch (IOException | RuntimeException e) {
            // the run continues: a checkpoint that was replaced while it was read is evaluated next
            // time
            System.getLogger(StudioRuns.class.getName())
                    .log(System.Logger.Level.DEBUG, "held-out loss of " + name, e);
        } finally {
            trying.set(false);
        }
    }

    /** Asks the current run to stop and to write its checkpoint. */
    @Override
    public void close() {
        live.values().forEach(LiveRun::stop);
    }
}
