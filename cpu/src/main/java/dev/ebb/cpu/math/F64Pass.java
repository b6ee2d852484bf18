package dev.ebb.cpu.math;

import java.util.List;

/**
 * One of the loops of a function that takes several, over at most {@link #BLOCK} elements. All of
 * them in one method would pass what C2 inlines. So there are three at least: as many kinds of
 * passes at one call site are not inlined there.
 */
@FunctionalInterface
interface F64Pass {
    int BLOCK = 128;

    /** From the registers at {@code a} and {@code b}, by way of {@code between}, to that at o. */
    void run(double[] r, int a, int b, int o, double[] between, int n);

    /** All passes over one block. */
    static void run(
            List<F64Pass> passes, double[] r, int a, int b, int o, double[] between, int n) {
        for (F64Pass pass : passes) pass.run(r, a, b, o, between, n);
    }
}
