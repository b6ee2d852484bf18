package dev.ebb.bench.adbench;

import dev.ebb.cpu.Cpu;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Times every size of ADBench's problems on one thread, in milliseconds, and the ratio to
 * hand-written derivatives, each in few runs, so that all of them take minutes. Results must agree
 * to 1e-9 of the largest entry. Scenes of more than a million observations are processed in parts
 * of at most a million, because their blocks take up to 7 GB. The largest mixtures are not computed
 * by hand, which would take up to a minute.
 *
 * <p>Arguments: the parts, by default all of {@code gmm-1k gmm-10k ba lstm hand}, and {@code
 * data=FOLDER}, as for {@link AdBench}.
 */
public final class Grid {
    private static final int LEAST_RUNS = 2;
    private static final double HAND_SECONDS = 0.3;

    /**
     * The product of squared dimension, clusters and points above which the hand-written code is
     * not run.
     */
    private static final double MOST_BY_HAND = 1e10;

    private static final int MOST_OBSERVATIONS = 1_000_000;

    /** Cameras, points and observations. */
    private static final int[][] SCENES = {
        {49, 7776, 31_843},
        {21, 11_315, 36_455},
        {161, 48_126, 182_072},
        {372, 47_423, 204_472},
        {257, 65_132, 225_911},
        {539, 65_220, 277_273},
        {93, 61_203, 287_451},
        {88, 64_298, 383_937},
        {810, 88_814, 393_775},
        {1197, 126_327, 563_734},
        {1723, 156_502, 678_718},
        {253, 163_691, 899_155},
        {245, 198_739, 1_091_386},
        {356, 226_730, 1_255_268},
        {1102, 780_462, 4_052_340},
        {1544, 942_409, 4_750_193},
        {1778, 993_923, 5_001_946},
        {1936, 649_673, 5_213_733},
        {4585, 1_324_582, 9_125_125},
        {13_682, 4_456_117, 28_987_644}
    };

    /** The numbers of measured points of a hand. */
    private static final int[] POINTS = {
        100, 192, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 100_000
    };

    /**
     * A size of a problem, and the least seconds for which it is run, some of which the JIT
     * compilers need.
     */
    private record Case(Function<Cpu, Problem> problem, double seconds, boolean byHand) {}

    private Grid() {}

    public static void main(String[] arguments) {
        var selected = Inputs.Arguments.of(arguments, "gmm-1k", "gmm-10k", "ba", "lstm", "hand");
        try (var cpu = new Cpu(1)) {
            for (var part : selected.names())
                for (var one : cases(part, selected.inputs()))
                    try (var problem = one.problem.apply(cpu)) {
                        if (one.byHand) compare(problem, one.seconds);
                        else alone(problem, one.seconds);
                    }
        }
    }

    private static List<Case> cases(String part, Inputs in) {
        var all = new ArrayList<Case>();
        switch (part) {
            case "gmm-1k" -> mixtures(1000, in, all);
            case "gmm-10k" -> mixtures(10_000, in, all);
            case "ba" -> {
                for (var s : SCENES)
                    all.add(
                            new Case(
                                    cpu ->
                                            Problem.ba(
                                                    in.scene(s[0], s[1], s[2]),
                                                    MOST_OBSERVATIONS,
                                                    cpu),
                                    2,
                                    true));
            }
            case "lstm" -> {
                for (int layers : new int[] {2, 4})
                    for (int length : new int[] {1024, 4096})
                        all.add(
                                new Case(
                                        cpu -> Problem.lstm(in.sequence(layers, length), cpu),
                                        4,
                                        true));
            }
            case "hand" -> {
                for (int vertices : new int[] {544, 10_000})
                    for (int points : POINTS) {
                        all.add(
                                new Case(
                                        cpu -> Problem.hand(in.hand(vertices, points, false), cpu),
                                        4,
                                        true));
                        all.add(
                                new Case(
                                        cpu ->
                                                Problem.complicatedHand(
                                                        in.hand(vertices, points, true), cpu),
                                        4,
                                        true));
                    }
            }
            default ->
                    throw new IllegalArgumentException(
                            "no part of the grid is called "
                                    + part
                                    + "; there are gmm-1k, gmm-10k, ba, lstm, hand");
        }
        return all;
    }

    private static void mixtures(int points, Inputs in, List<Case> all) {
        for (int d : new int[] {2, 10, 20, 32, 64, 128})
            for (int k : new int[] {5, 10, 25, 50, 100, 200})
                all.add(
                        new Case(
                                cpu -> Problem.gmm(in.mixture(points, d, k), cpu),
                                1.5,
                                (double) points * d * d * k < MOST_BY_HAND));
    }

    /** The least nanoseconds of a run, and the result of the last run. */
    private record Measured<R>(long nanos, R result) {
        static <R> Measured<R> of(Supplier<R> run, int least, double seconds) {
            long begun = System.nanoTime();
            long nanos = Long.MAX_VALUE;
            for (int i = 1; ; i++) {
                long start = System.nanoTime();
                var result = run.get();
                nanos = Math.min(nanos, System.nanoTime() - start);
                if (i >= least && System.nanoTime() - begun >= seconds * 1e9)
                    return new Measured<>(nanos, result);
            }
        }
    }

    private static void compare(Problem problem, double seconds) {
        var ebb = Measured.of(problem.byEbb(), LEAST_RUNS, seconds);
        var hand = Measured.of(problem.byHand(), 1, HAND_SECONDS);
        System.out.printf(
                Locale.ROOT,
                "%s: %.3f ms, by hand %.3f ms, %.2f times; largest difference %.1e%n",
                problem.name(),
                ebb.nanos / 1e6,
                hand.nanos / 1e6,
                (double) ebb.nanos / hand.nanos,
                problem.difference(ebb.result, hand.result));
    }

    private static void alone(Problem problem, double seconds) {
        var ebb = Measured.of(problem.byEbb(), LEAST_RUNS, seconds);
        System.out.printf(Locale.ROOT, "%s: %.3f ms%n", problem.name(), ebb.nanos / 1e6);
    }
}
