package dev.ebb.exec.program;

import dev.ebb.exec.Report;

/**
 * A program as one method.
 *
 * @param counted what a run step by step reported: memory is the same in every run
 */
record StraightRun(Runnable method, Report counted) {

    Report run() {
        long start = System.nanoTime();
        method.run();
        return counted.taking((System.nanoTime() - start) / 1e9);
    }
}
