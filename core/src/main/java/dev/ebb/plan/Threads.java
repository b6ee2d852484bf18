package dev.ebb.plan;

/**
 * The number of threads among which a device may divide the kernels of a program.
 *
 * @param asked whether the user chose the number; otherwise it is the number of cores, and no plan
 *     depends on it
 */
public record Threads(int count, boolean asked) {
    /** One thread, on any machine. */
    public static final Threads ONE = new Threads(1, true);

    public Threads {
        if (count < 1) throw new IllegalArgumentException(count + " threads; use at least 1");
    }
}
