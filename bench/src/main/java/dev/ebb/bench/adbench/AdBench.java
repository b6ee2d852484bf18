package dev.ebb.bench.adbench;

import dev.ebb.bench.Thresholds;
import dev.ebb.cpu.Cpu;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Times derivatives of ADBench's problems on one thread, in milliseconds, and their ratio to
 * hand-written derivatives. Both run alternately, and the best time of each counts. Results must
 * agree to 1e-9 of the largest entry. Some sizes have a threshold: if a time misses it, it is
 * measured for longer, because other programs may have interfered; if it still misses it, the exit
 * status is 1. Thresholds are milliseconds on two virtual cores of an AMD EPYC. If {@code python3}
 * has PyTorch, it then computes the same derivative of the same data on one thread, and the medians
 * are compared.
 *
 * <p>Arguments: the problems, by default all of {@code gmm ba lstm hand}, and {@code data=FOLDER},
 * the folder of ADBench's own data; without it data are random. With {@code files=FOLDER} nothing
 * is measured; every problem is written to a file in that folder, for {@code adbench.py} on another
 * machine. {@link Grid} times all sizes.
 */
public final class AdBench {
    private static final String FILES = "files=";
    private static final int LEAST_RUNS = 20;
    private static final double SECONDS = 4;
    private static final double MORE_SECONDS = 20;

    private AdBench() {}

    /** A size of a problem, and its threshold in milliseconds. */
    private record Case(Function<Cpu, Problem> problem, OptionalDouble bar) {
        Case(Function<Cpu, Problem> problem) {
            this(problem, OptionalDouble.empty());
        }

        Case(double bar, Function<Cpu, Problem> problem) {
            this(problem, OptionalDouble.of(bar));
        }
    }

    public static void main(String[] arguments) throws IOException {
        var files = Stream.of(arguments).filter(a -> a.startsWith(FILES)).findFirst();
        var others = Stream.of(arguments).filter(a -> !a.startsWith(FILES)).toArray(String[]::new);
        var selected = Inputs.Arguments.of(others, "gmm", "ba", "lstm", "hand");
        var thresholds = new Thresholds();
        boolean beside = files.isEmpty() && PyTorch.INSTALLED.isThere();
        try (var cpu = new Cpu(1)) {
            for (var name : selected.names()) {
                for (var one : cases(name, selected.inputs())) {
                    try (var problem = one.problem.apply(cpu)) {
                        if (files.isEmpty()) compare(problem, one.bar, thresholds, beside);
                        else write(problem, Path.of(files.get().substring(FILES.length())));
                    }
                }
            }
        }
        thresholds.end();
    }

    private static void write(Problem problem, Path folder) throws IOException {
        System.out.println(problem.name() + ": " + PeerFile.write(problem, folder));
    }

    private static List<Case> cases(String name, Inputs in) {
        return switch (name) {
            case "gmm" ->
                    List.of(
                            new Case(0.221, cpu -> Problem.gmm(in.mixture(1000, 2, 5), cpu)),
                            new Case(cpu -> Problem.gmm(in.mixture(10_000, 2, 5), cpu)),
                            new Case(19.2, cpu -> Problem.gmm(in.mixture(10_000, 2, 50), cpu)),
                            new Case(13.3, cpu -> Problem.gmm(in.mixture(10_000, 10, 10), cpu)),
                            new Case(135, cpu -> Problem.gmm(in.mixture(10_000, 20, 50), cpu)),
                            new Case(771, cpu -> Problem.gmm(in.mixture(10_000, 64, 50), cpu)));
            case "ba" ->
                    List.of(
                            new Case(8.1, cpu -> Problem.ba(in.scene(49, 7776, 31_843), cpu)),
                            new Case(
                                    157, cpu -> Problem.ba(in.scene(1197, 126_327, 563_734), cpu)));
            case "lstm" ->
                    List.of(
                            new Case(12.0, cpu -> Problem.lstm(in.sequence(2, 1024), cpu)),
                            new Case(cpu -> Problem.lstm(in.sequence(4, 1024), cpu)),
                            new Case(cpu -> Problem.lstm(in.sequence(2, 4096), cpu)));
            case "hand" ->
                    List.of(
                            new Case(cpu -> Problem.hand(in.hand(544, 12_800, false), cpu)),
                            new Case(
                                    11.4,
                                    cpu ->
                                            Problem.complicatedHand(
                                                    in.hand(544, 12_800, true), cpu)));
            default ->
                    throw new IllegalArgumentException(
                            "no problem is called " + name + "; there are gmm, ba, lstm, hand");
        };
    }

    /** Prints the times of both. */
    private static void compare(
            Problem problem, OptionalDouble bar, Thresholds thresholds, boolean beside)
            throws IOException {
        var times = new ArrayList<Long>();
        long ebb = Long.MAX_VALUE;
        long hand = Long.MAX_VALUE;
        long begun = System.nanoTime();
        for (int i = 0; ; i++) {
            double seconds = (System.nanoTime() - begun) / 1e9;
            boolean met = ebb <= bar.orElse(Double.POSITIVE_INFINITY) * 1e6;
            if (i >= LEAST_RUNS && seconds >= (met ? SECONDS : SECONDS + MORE_SECONDS)) break;
            long start = System.nanoTime();
            var _ = problem.byEbb().get();
            long between = System.nanoTime();
            var _ = problem.byHand().get();
            times.add(between - start);
            ebb = Math.min(ebb, between - start);
            hand = Math.min(hand, System.nanoTime() - between);
        }
        double millis = ebb / 1e6;
        System.out.printf(
                Locale.ROOT,
                "%s: %.3f ms%s, by hand %.3f ms, %.2f times; largest difference %.1e%s%n",
                problem.name(),
                millis,
                bar.isPresent() ? thresholds.atMost(bar.getAsDouble(), millis, problem.name()) : "",
                hand / 1e6,
                (double) ebb / hand,
                problem.difference(),
                beside ? besidePyTorch(problem, times) : "");
    }

    /**
     * Compares with PyTorch: the first half of the runs are warm-up; the median of the others is
     * printed next to PyTorch's.
     */
    private static String besidePyTorch(Problem problem, List<Long> times) throws IOException {
        var later = times.subList(times.size() / 2, times.size()).stream().sorted().toList();
        var file = PeerFile.write(problem, Path.of("target", "adbench"));
        return PyTorch.INSTALLED.beside(file, later.get(later.size() / 2) / 1e6);
    }
}
