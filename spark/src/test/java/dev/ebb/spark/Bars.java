package dev.ebb.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The bounds that the figures of a bench must keep. Each is printed beside its figure; a bench that
 * misses one says so in a sentence and ends with exit code 1.
 */
final class Bars {
    private final List<String> missed = new ArrayList<>();

    /** The words behind a figure that must be so large. */
    String atLeast(String what, double figure, double bound) {
        return must(figure >= bound, "at least " + number(bound), what + " is " + number(figure));
    }

    /** The words behind a figure that must not be larger. */
    String atMost(String what, double figure, double bound) {
        return must(figure <= bound, "at most " + number(bound), what + " is " + number(figure));
    }

    /**
     * The words behind something that must be so.
     *
     * @param otherwise what is to be said if it is not
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
