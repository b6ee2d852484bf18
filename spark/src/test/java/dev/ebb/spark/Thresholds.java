package dev.ebb.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The required bounds of a benchmark's figures. Each is printed next to its figure; a benchmark
 * that misses one says so in a sentence and ends with exit code 1.
 */
final class Thresholds {
    private final List<String> missed = new ArrayList<>();

    /** The text after a figure that must be at least {@code bound}. */
    String atLeast(String what, double figure, double bound) {
        return must(figure >= bound, "at least " + number(bound), what + " is " + number(figure));
    }

    /** The text after a figure that must be at most {@code bound}. */
    String atMost(String what, double figure, double bound) {
        return must(figure <= bound, "at most " + number(bound), what + " is " + number(figure));
    }

    /**
     * The text after a condition that must be true.
     *
     * @param otherwise the message if it is not
     */
    String must(boolean is, String bound, String otherwise) {
        if (is) return "(bar: " + bound + ")";
        missed.add(otherwise + "; the bar is " + bound);
        return "(bar: " + bound + ", missed)";
    }

    private static String number(double x) {
        var text = String.format(Locale.ROOT, "%.4f", x);
        return text.replaceAll("\\.?0+$", "");
    }

    /** A sentence for each bar that was missed. */
    List<String> missed() {
        return List.copyOf(missed);
    }

    /** Ends the process with exit code 1 if a bar was missed. */
    void end() {
        if (missed.isEmpty()) return;
        for (var sentence : missed) System.err.println("missed: " + sentence);
        System.exit(1);
    }
}
