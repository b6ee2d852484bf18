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
import java.util.OptionalDouble;

/**
 * Times short commands, as {@code ./ebb} starts them: the best of several rounds. The user's cache
 * of plans is empty in each round, so only plans made at build time are cached; with {@code
 * --no-cache} none are.
 */
public final class Start {
    static final Path EBB = Path.of("..", "ebb").toAbsolutePath().normalize();

    private static final OptionalDouble NO_BAR = OptionalDouble.empty();

    private final Path folder;
    private final int rounds;
    private final Thresholds thresholds = new Thresholds();

    private Start(Path folder, int rounds) {
        this.folder = folder;
        this.rounds = rounds;
    }

    /** Elapsed seconds, and processor seconds of all processors. */
    private record Spent(double clock, double processor) {}

    /** One round of a command. */
    @FunctionalInterface
    private interface Round {
        Spent run() throws IOException, InterruptedException;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        var folder = Files.createTempDirectory("start");
        var start = new Start(folder, args.length > 0 ? Integer.parseInt(args[0]) : 3);
        try {
            start.measure();
        } finally {
            delete(folder);
        }
        start.thresholds.end();
    }

    private void measure() throws IOException, InterruptedException {
        Files.writeString(
                folder.resolve("text.txt"), "the tide comes, the tide goes. ".repeat(400));
        // builds the program if sources have changed
        run(List.of("--help"));
        processor("help", OptionalDouble.of(0.3), List.of("--help"));
        processor("plan", OptionalDouble.of(2), List.of("plan"));
        processor("plan in another budget", NO_BAR, List.of("plan", "--budget", "50MiB"));
        processor("plan, nothing known", NO_BAR, List.of("plan", "--no-cache"));
        clock("first step of training", OptionalDouble.of(2), List.of());
        clock("first step of training, nothing known", NO_BAR, List.of("--no-cache"));
    }

    /** Times a whole command; the threshold is for its processor time. */
    private void processor(String name, OptionalDouble bar, List<String> command)
            throws IOException, InterruptedException {
        var spent = best(() -> run(command));
        print(name, threshold(bar, spent.processor, name), "", spent);
    }

    /** Times training up to its first step; the threshold is for the elapsed time. */
    private void clock(String name, OptionalDouble bar, List<String> options)
            throws IOException, InterruptedException {
        var spent = best(() -> first(options));
        print(name, "", threshold(bar, spent.clock, name), spent);
    }

    /** The least elapsed and the least processor time of all rounds. */
    private Spent best(Round round) throws IOException, InterruptedException {
        double clock = Double.POSITIVE_INFINITY;
        double processor = Double.POSITIVE_INFINITY;
        for (int i = 0; i < rounds; i++) {
            delete(folder.resolve("cache"));
            var spent = round.run();
            clock = Math.min(clock, spent.clock);
            processor = Math.min(processor, spent.processor);
        }
        return new Spent(clock, processor);
    }

    private String threshold(OptionalDouble bar, double seconds, String name) {
        return bar.isPresent() ? thresholds.atMost(bar.getAsDouble(), seconds, name) : "";
    }

    private static void print(String name, String onProcessor, String onClock, Spent spent) {
        System.out.printf(
                Locale.ROOT,
                "%s: %.2f s of processor time%s, %.2f s by the clock%s%n",
                name,
                spent.processor,
                onProcessor,
                spent.clock,
                onClock);
    }

    private ProcessBuilder process(List<String> command) {
        var builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().put("XDG_CACHE_HOME", folder.resolve("cache").toString());
        return builder;
    }

    /** Runs a whole command, timed like by the shell. */
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
        var times = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0)
            throw new IllegalStateException(
                    command + " failed: " + Files.readString(folder.resolve("out")));
        var seconds = times.strip().split(" ", -1);
        return new Spent(
                Double.parseDouble(seconds[0]),
                Double.parseDouble(seconds[1]) + Double.parseDouble(seconds[2]));
    }

    /** Runs training up to the line of its first step, then ends it. */
    private Spent first(List<String> options) throws IOException, InterruptedException {
        delete(folder.resolve("run"));
        var command = new ArrayList<>(List.of(EBB.toString(), "train", "--out", "run"));
        command.addAll(List.of("--text", folder.resolve("text.txt").toString()));
        command.addAll(options);
        long from = System.nanoTime();
        var process = process(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (var lines = process.inputReader(StandardCharsets.UTF_8)) {
            var line = lines.readLine();
            while (line != null && !line.startsWith("step 1/")) line = lines.readLine();
            if (line == null) throw new IllegalStateException("training ended before its step 1");
            double clock = (System.nanoTime() - from) / 1e9;
            var spent = process.info().totalCpuDuration().orElse(Duration.ZERO);
            return new Spent(clock, spent.toMillis() / 1e3);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) return;
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList())
                Files.deleteIfExists(file);
        }
    }
}
