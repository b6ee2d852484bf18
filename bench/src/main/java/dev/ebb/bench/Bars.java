package dev.ebb.bench;

import java.util.Locale;

/**
 * What a benchmark is held to: each bar is printed with what was measured, and a process that
 * missed one ends with exit code 1.
 */
final class Bars {
    /** In the line of every bar that was missed. */
    static final String MISSED = "MISSED";

    private int missed;

    /** {@code measured} is to be at most {@code bar}. */
    void atMost(String what, double measured, double bar, String unit) {
        boolean met = measured <= bar;
        if (!met) missed++;
        System.out.println(
                String.format(
                        Locale.ROOT,
                        "bar %s: %s, %.2f of at most %.2f %s",
                        met ? "met" : MISSED,
                        what,
                        measured,
                        bar,
                        unit));
    }

    /** Ends the process with 1 if a bar was missed. */
    void end() {
        if (missed > 0) System.exit(1);
    }
}
