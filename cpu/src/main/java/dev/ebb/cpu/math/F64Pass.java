package dev.ebb.cpu.math;

import java.util.List;

/**
 * One of the loops of a function that takes several, over at most {@link #BLOCK} elements. One
 * method with all of the loops would exceed the size that C2 inlines. A function has at least three
 * of them, because C2 does not inline a call site with three or more target classes.
 */
@FunctionalInterface
interface F64Pass {
    int BLOCK = 128;

    /**
     * Computes {@code n} elements from the registers at {@code a} and {@code b} into the register
     * at {@code o}; {@code between} is memory for intermediate values.
     */
    void run(double[] r, int a, int b, int o, double[] between, int n);

    /** All passes over one block. */
    static void run(
            List<F64Pass> passes, double[] r, int a, int b, int o, double[] between, int n) {
        for (F64Pass pass : passes) pass.run(r, a, b, o, between, n);
    }
}
