package dev.ebb.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The thresholds with which a benchmark compares its figures. Each is printed next to its figure.
 * The last line that the benchmark prints lists the missed thresholds; then its exit status is 1.
 */
public final class Thresholds {
    private static final String MISSED = "bars missed: ";

    private final List<String> missed = new ArrayList<>();

    /** Checks an upper threshold; returns the text that is printed after the figure. */
    public String atMost(double bar, double figure, String name) {
        return compare("at most", bar, figure <= bar, name);
    }

    /** Prints a figure that is held to a bar from above. */
    public void line(String name, double figure, double bar, String unit) {
        System.out.println(
                String.format(Locale.ROOT, "%s: %.2f %s", name, figure, unit)
                        + atMost(bar, figure, name));
    }

    /** Checks a lower threshold; returns the text that is printed after the figure. */
    public String atLeast(double bar, double figure, String name) {
        return compare("at least", bar, figure >= bar, name);
    }

    private String compare(String side, double bar, boolean met, String name) {
        if (!met) missed.add(name);
        return String.format(Locale.ROOT, " (bar: %s %s, %s)", side, bar, met ? "met" : "MISSED");
    }

    /** Ends the program with status 1 if a threshold was missed. */
    public void end() {
        if (missed.isEmpty()) return;
        System.out.println(MISSED + String.join("; ", missed));
        System.exit(1);
    }

    /**
     * Whether these lines of a benchmark with exit status 1 are figures, and not those of a
     * failure.
     */
    static boolean areFigures(List<String> lines) {
        return !lines.isEmpty() && lines.getLast().startsWith(MISSED);
    }
}
