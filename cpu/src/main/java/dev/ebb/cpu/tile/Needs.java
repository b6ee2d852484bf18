package dev.ebb.cpu.tile;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The worker memory that the kernels of a program need. Worker {@code i} needs, of each bank, the
 * maximum over the kernels that have work for that many workers: the first worker needs the most,
 * later ones less.
 */
public record Needs(Set<Need> kernels) {
    public static final Needs NONE = new Needs(Set.of());

    public Needs {
        kernels = Set.copyOf(kernels);
    }

    public Needs and(Needs other) {
        var all = new LinkedHashSet<>(kernels);
        all.addAll(other.kernels);
        return new Needs(all);
    }

    /** The need of worker {@code i}. */
    public Need worker(int i) {
        var need = Need.NOTHING;
        for (Need kernel : kernels) if (kernel.workers() > i) need = need.and(kernel);
        return need;
    }

    /** The bytes of this number of workers in total. */
    public long bytes(int workers) {
        // workers between two consecutive kernels' worker counts all have the same need
        var ends = kernels.stream().mapToInt(k -> Math.min(k.workers(), workers)).sorted();
        long bytes = 0;
        int from = 0;
        for (int to : ends.distinct().toArray()) {
            bytes += worker(from).bytes() * (to - from);
            from = to;
        }
        return bytes;
    }
}
