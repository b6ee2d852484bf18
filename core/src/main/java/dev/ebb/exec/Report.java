package dev.ebb.exec;

import java.util.List;

/**
 * What was promised and what was measured.
 *
 * @param promisedBytes the arena and what the device owns besides it
 * @param measuredBytes the highest byte of the arena that a running step touched, and what the
 *     device owns
 * @param seconds the time of the whole run
 * @param computed how many distinct nodes ran
 * @param recomputed how many computations were repeats
 * @param kernels seconds by op, most first; empty unless asked for
 */
public record Report(
        long promisedBytes,
        long measuredBytes,
        double seconds,
        int computed,
        int recomputed,
        List<KernelTime> kernels) {

    public Report {
        kernels = List.copyOf(kernels);
    }

    /** The time all computations of one op took. */
    public record KernelTime(String op, int calls, double seconds) {
        KernelTime plus(KernelTime other) {
            return new KernelTime(op, calls + other.calls, seconds + other.seconds);
        }
    }
}
