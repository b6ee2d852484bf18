package dev.ebb.reference;

import java.lang.management.ManagementFactory;

/**
 * The time that the calling thread spent on a processor. A bound on it holds on a machine that is
 * busy with other work too, which a bound on the time of the clock does not.
 */
public final class ProcessorTime {
    private ProcessorTime() {}

    /** The seconds that {@code work} takes. */
    public static double seconds(Runnable work) {
        long start = now();
        work.run();
        return (now() - start) / 1e9;
    }

    private static long now() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
