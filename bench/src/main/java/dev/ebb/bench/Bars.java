package dev.ebb.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The bars that a benchmark holds its figures to. Each is told beside its figure. What is missed is
 * the last line that the benchmark prints, and makes its exit status 1.
 */
public final class Bars {
    private static final String MISSED = "bars missed: ";

    private final List<String> missed = new ArrayList<>();

    /** Holds a figure to a bar from above; the words that follow the figure where it is printed. */
    public String atMost(double bar, double figure, String name) {
        return told("at most", bar, figure <= bar, name);
    }

    /** Prints a figure that is held to a bar from above. */
    public void line(String name, double figure, double bar, String unit) {
        System.out.println(
                String.format(Locale.ROOT, "%s: %.2f %s", name, figure, unit)
                        + atMost(bar, figure, name));
    }

    /** Holds a figure to a bar from below; the words that follow the figure where it is printed. */
    public String atLeast(double bar, double figure, String name) {
        return told("at least", bar, figure >= bar, name);
    }

    private String told(String side, double bar, boolean met, String name) {
        if (!met) missed.add(name);
        return String.format(Locale.ROOT, " (bar: %s %s, %s)", side, bar, met ? "met" : "MISSED");
    }

    /** Ends the program with status 1 if a bar was missed. */
    public void end() {
        if (missed.isEmpty()) return;
        System.out.println(MISSED + String.join("; ", missed));
        System.exit(1);
    }

    /** Whether these lines of a benchmark with status 1 are figures, not those of a failure. */
    static boolean areFigures(List<String> lines) {
        return !lines.isEmpty() && lines.getLast().startsWith(MISSED);
    }
}
