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
import java.util.function.ToDoubleFunction;

/**
 * How long short commands take, as {@code ./ebb} starts them: the best of some rounds. The user's
 * cache of plans is empty in each round, so that what is known is what the build left; with {@code
 * --no-cache} nothing is. Where there is a bar, the line tells it; if one is missed the last line
 * says which, and the exit code is 1.
 */
public final class Start {
    static final Path EBB = Path.of("..", "ebb").toAbsolutePath().normalize();

    private static final OptionalDouble NO_BAR = OptionalDouble.empty();

    private final Path folder;
    private final int rounds;
    private final List<String> missed = new ArrayList<>();

    private Start(Path folder, int rounds) {
        this.folder = folder;
        this.rounds = rounds;
    }

    /** Seconds by the clock, and of all processors. */
    private record Spent(double clock, double processor) {}

    /** One round of a command. */
    @FunctionalInterface
    private interface Round {
        Spent run() throws IOException, InterruptedException;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        var folder = Files.createTempDirectory("start");
        List<String> missed;
        try {
            var start = new Start(folder, args.length > 0 ? Integer.parseInt(args[0]) : 3);
            start.measure();
            missed = start.missed;
        } finally {
            delete(folder);
        }
        if (missed.isEmpty()) return;
        System.out.println(All.MISSED + String.join("; ", missed));
        System.exit(1);
    }

    private void measure() throws IOException, InterruptedException {
        Files.writeString(
                folder.resolve("text.txt"), "the tide comes, the tide goes. ".repeat(400));
        // builds where sources changed
        run(List.of("--help"));
        processor("help", OptionalDouble.of(0.3), List.of("--help"));
        processor("plan", OptionalDouble.of(2), List.of("plan"));
        processor("plan in another budget", NO_BAR, List.of("plan", "--budget", "50MiB"));
        processor("plan, nothing known", NO_BAR, List.of("plan", "--no-cache"));
        clock("first step of training", OptionalDouble.of(2), List.of());
        clock("first step of training, nothing known", NO_BAR, List.of("--no-cache"));
    }

    /** A whole command; the bar is on its processor time. */
    private void processor(String name, OptionalDouble bar, List<String> command)
            throws IOException, InterruptedException {
        best(name, bar, "of processor time", Spent::processor, () -> run(command));
    }

    /** Training up to its first step; the bar is on the clock. */
    private void clock(String name, OptionalDouble bar, List<String> options)
            throws IOException, InterruptedException {
        best(name, bar, "by the clock", Spent::clock, () -> first(options));
    }

    private void best(
            String name,
            OptionalDouble bar,
            String measure,
            ToDoubleFunction<Spent> barred,
            Round round)
            throws IOException, InterruptedException {
        double processor = Double.POSITIVE_INFINITY;
        double clock = Double.POSITIVE_INFINITY;
        double counts = Double.POSITIVE_INFINITY;
        for (int i = 0; i < rounds; i++) {
            delete(folder.resolve("cache"));
            var spent = round.run();
            processor = Math.min(processor, spent.processor);
            clock = Math.min(clock, spent.clock);
            counts = Math.min(counts, barred.applyAsDouble(spent));
        }
        var told =
                String.format(
                        Locale.ROOT,
                        "%s: %.2f s of processor time, %.2f s by the clock",
                        name,
                        processor,
                        clock);
        if (bar.isPresent())
            told += String.format(Locale.ROOT, "; the bar is %.1f s %s", bar.orElse(0), measure);
        System.out.println(told);
        if (bar.isPresent() && counts > bar.orElse(0)) missed.add(name);
    }

    private ProcessBuilder process(List<String> command) {
        var builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().put("XDG_CACHE_HOME", folder.resolve("cache").toString());
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
