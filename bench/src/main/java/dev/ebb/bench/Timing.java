package dev.ebb.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The seconds of one training step of a contender. Its text form is one line, which another process
 * can parse.
 */
record Timing(String model, String contender, double median, double best, double loss) {
    private static final Pattern LINE =
            Pattern.compile(
                    "(\\S+), (.+): median (\\S+) s a step, best (\\S+) s, loss (\\S+?)(;.*)?");

    /** A contender: a model, a name, and a step that returns its loss. */
    record Contender(String model, String name, DoubleSupplier step) {}

    /**
     * Times steps of the contenders alternately, so that a change in the machine's speed affects
     * all of them. The first {@code warmUp} steps of each do not count.
     */
    static List<Timing> inTurns(int warmUp, int steps, List<Contender> contenders) {
        var seconds = new double[contenders.size()][steps];
        var loss = new double[contenders.size()];
        for (int i = -warmUp; i < steps; i++) {
            for (int c = 0; c < contenders.size(); c++) {
                long start = System.nanoTime();
                loss[c] = contenders.get(c).step().getAsDouble();
                if (i >= 0) seconds[c][i] = (System.nanoTime() - start) / 1e9;
            }
        }
        return IntStream.range(0, contenders.size())
                .mapToObj(c -> of(contenders.get(c), seconds[c], loss[c]))
                .toList();
    }

    /** Times steps of a single contender as {@link #inTurns} does. */
    static Timing alone(int warmUp, int steps, Contender contender) {
        return inTurns(warmUp, steps, List.of(contender)).getFirst();
    }

    private static Timing of(Contender contender, double[] seconds, double loss) {
        Arrays.sort(seconds);
        int half = seconds.length / 2;
        double median = (seconds[half] + seconds[(seconds.length - 1) / 2]) / 2;
        return new Timing(contender.model, contender.name, median, seconds[0], loss);
    }

    /**
     * Parses the output of {@link #toString}, which may be followed by a semicolon and more text.
     */
    static Optional<Timing> parse(String line) {
        var found = LINE.matcher(line);
        if (!found.matches()) return Optional.empty();
        return Optional.of(
                new Timing(
                        found.group(1),
                        found.group(2),
                        Double.parseDouble(found.group(3)),
                        Double.parseDouble(found.group(4)),
                        Double.parseDouble(found.group(5))));
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s, %s: median %.3f s a step, best %.3f s, loss %.4f",
                model,
                contender,
                median,
                best,
                loss);
    }
}
