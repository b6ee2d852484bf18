package dev.ebb.cpu.tile;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The worker memory that the kernels of a program need. Worker {@code i} needs, of each bank, the
 * maximum over the kernels that have work for that many workers: the first worker needs the most,
 * later ones less.
 */
public record ProgramScratch(Set<KernelScratch> kernels) {
    public static final ProgramScratch NONE = new ProgramScratch(Set.of());

    public ProgramScratch {
        kernels = Set.copyOf(kernels);
    }

    public ProgramScratch and(ProgramScratch other) {
        var all = new LinkedHashSet<>(kernels);
        all.addAll(other.kernels);
        return new ProgramScratch(all);
    }

    /** The need of worker {@code i}. */
    public KernelScratch worker(int i) {
        var scratch = KernelScratch.NOTHING;
        for (KernelScratch kernel : kernels)
            if (kernel.workers() > i) scratch = scratch.and(kernel);
        return scratch;
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
