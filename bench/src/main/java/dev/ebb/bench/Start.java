package dev.ebb.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * How long short commands take, as {@code ./ebb} starts them: seconds of processor time, the best
 * of some rounds. The cache of plans is one of its own: empty, or left by the round before. Plans
 * and runs are of the model and the budget that the commands take without options.
 */
public final class Start {
    static final Path EBB = Path.of("..", "ebb").toAbsolutePath().normalize();

    private final Path folder;
    private final int rounds;

    private Start(Path folder, int rounds) {
        this.folder = folder;
        this.rounds = rounds;
    }

    /** Seconds by the clock, and of all processors. */
    private record Spent(double clock, double processor) {}

    /** What is in the cache of plans before a round. */
    private enum Known {
        NOTHING,
        ANOTHER_BUDGET,
        THIS
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        var folder = Files.createTempDirectory("start");
        try {
            new Start(folder, args.length > 0 ? Integer.parseInt(args[0]) : 3).measure();
        } finally {
            delete(folder);
        }
    }

    private void measure() throws IOException, InterruptedException {
        Files.writeString(
                folder.resolve("text.txt"), "the tide comes, the tide goes. ".repeat(400));
        run(List.of("--help"));
        row("help", Known.THIS, List.of("--help"));
        row("plan, nothing known", Known.NOTHING, List.of("plan"));
        row("plan, known in another budget", Known.ANOTHER_BUDGET, List.of("plan"));
        row("plan, known", Known.THIS, List.of("plan"));
        first("first step of training, nothing known", Known.NOTHING);
        first("first step of training, plan known", Known.THIS);
    }

    private void row(String name, Known known, List<String> command)
            throws IOException, InterruptedException {
        var all = new ArrayList<Spent>();
        for (int i = 0; i < rounds; i++) {
            prepare(known);
            all.add(run(command));
        }
        print(name, all);
    }

    private void prepare(Known known) throws IOException, InterruptedException {
        if (known == Known.THIS) return;
        delete(cache());
        if (known == Known.ANOTHER_BUDGET) run(List.of("plan", "--budget", "50MiB"));
    }

    private static void print(String name, List<Spent> all) {
        System.out.printf(
                Locale.ROOT,
                "%s: %.2f s of processor time, %.2f s by the clock%n",
                name,
                all.stream().mapToDouble(Spent::processor).min().orElseThrow(),
                all.stream().mapToDouble(Spent::clock).min().orElseThrow());
    }

    private Path cache() {
        return folder.resolve("cache");
    }

    private ProcessBuilder process(List<String> command) {
        var builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().put("XDG_CACHE_HOME", cache().toString());
        return builder;
    }

    /** A whole command, as the shell times it. */
    private Spent run(List<String> command) throws IOException, InterruptedException {
        var line =
                new ArrayList<>(
                        List.of(
                                "bash",
                                "-c",
                                "TIMEFORMAT='%R %U %S'; time \"$@\" > out 2>&1",
                                "start",
                                EBB.toString()));
        line.addAll(command);
        var process = process(line).start();
        var told = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0)
            throw new IllegalStateException(
                    command + " failed: " + Files.readString(folder.resolve("out")));
        var seconds = told.strip().split(" ", -1);
        return new Spent(
                Double.parseDouble(seconds[0]),
                Double.parseDouble(seconds[1]) + Double.parseDouble(seconds[2]));
    }

    /** Training, up to the line that tells of its first step; then it is ended. */
    private void first(String name, Known known) throws IOException, InterruptedException {
        var all = new ArrayList<Spent>();
        for (int i = 0; i < rounds; i++) {
            prepare(known);
            delete(folder.resolve("run"));
            long from = System.nanoTime();
            var text = folder.resolve("text.txt").toString();
            var process =
                    process(List.of(EBB.toString(), "train", "--text", text, "--out", "run"))
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            try (var lines = process.inputReader(StandardCharsets.UTF_8)) {
                for (var line = lines.readLine();
                        line != null && !line.startsWith("step 1/");
                        line = lines.readLine()) {
                    // what comes before the first step
                }
                var spent = process.info().totalCpuDuration().orElse(Duration.ZERO);
                all.add(new Spent((System.nanoTime() - from) / 1e9, spent.toMillis() / 1e3));
            } finally {
                process.destroyForcibly().waitFor();
            }
        }
        print(name, all);
    }

    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) return;
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList())
                Files.deleteIfExists(file);
        }
    }
}
