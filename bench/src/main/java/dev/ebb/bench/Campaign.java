package dev.ebb.bench;

import dev.ebb.cpu.Cpu;
import dev.ebb.exec.Device;
import dev.ebb.exec.reference.Reference;
import dev.ebb.reference.Guarded;
import dev.ebb.reference.Trial;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;

/**
 * Random programs at random budgets, on random devices, by random strategies, each held to the
 * promises: within the budget by counts of its own, the same bits as with everything kept, the
 * least exact to the byte. Arguments: the first seed, 1 unless given, and how many, 10,000. A
 * program that fails is named with its seed; to run it alone give that seed and 1.
 */
public final class Campaign {
    private static final int THREADS = 4;
    private static final int SHOWN = 500;

    private Campaign() {}

    public static void main(String[] args) throws IOException {
        long first = args.length > 0 ? Long.parseLong(args[0]) : 1;
        long count = args.length > 1 ? Long.parseLong(args[1]) : 10_000;
        var folder = Files.createTempDirectory("ebb-campaign");
        var cpus = new ArrayList<Cpu>();
        for (int threads = 1; threads <= THREADS; threads++) cpus.add(new Cpu(threads));
        var done = new EnumMap<Trial.Way, Integer>(Trial.Way.class);
        var failed = new ArrayList<Long>();
        long begun = System.nanoTime();
        try {
            for (long seed = first; seed < first + count; seed++) {
                try {
                    done.merge(trial(seed, cpus, folder).run(), 1, Integer::sum);
                } catch (AssertionError e) {
                    failed.add(seed);
                    tell(e);
                }
                if ((seed - first + 1) % SHOWN == 0) show(seed - first + 1, done, failed, begun);
            }
        } finally {
            cpus.forEach(Cpu::close);
            Files.delete(folder);
        }
        show(count, done, failed, begun);
        if (!failed.isEmpty()) System.out.println("failed: " + failed);
    }

    /** By its seed alone: on the Reference device, or on the processor with 1 to 4 threads. */
    private static Trial trial(long seed, List<Cpu> cpus, java.nio.file.Path folder) {
        int pattern = seed % 2 == 0 ? 0xa5 : 0x5a;
        int which = (int) (seed % (THREADS + 1));
        Device base = which == 0 ? new Reference() : cpus.get(0);
        Device device = which == 0 ? new Reference() : cpus.get(which - 1);
        return new Trial(seed, base, new Guarded(device, pattern), folder);
    }

    private static void tell(Throwable fault) {
        System.out.println("FAILED " + fault.getMessage());
        for (var t = fault.getCause(); t != null; t = t.getCause())
            System.out.println("  because " + t.getMessage());
    }

    private static void show(
            long count, EnumMap<Trial.Way, Integer> done, List<Long> failed, long begun) {
        System.out.printf(
                Locale.ROOT,
                "%,d programs in %.0f s: %s, %d failed%n",
                count,
                (System.nanoTime() - begun) / 1e9,
                done,
                failed.size());
    }
}
