package dev.ebb.reference;

/**
 * The time that this process spent on processors. A bound on it holds on a machine that is busy
 * with other work too, which a bound on the time of the clock does not.
 */
public final class ProcessorTime {
    private ProcessorTime() {}

    /** The seconds that {@code work} takes, the compiler's beside it included. */
    public static double seconds(Runnable work) {
        double start = now();
        work.run();
        return now() - start;
    }

    private static double now() {
        var spent = ProcessHandle.current().info().totalCpuDuration().orElseThrow();
        return spent.toNanos() / 1e9;
    }
}
