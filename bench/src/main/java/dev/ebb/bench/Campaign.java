package dev.ebb.bench;

import dev.ebb.cpu.Cpu;
import dev.ebb.exec.Device;
import dev.ebb.exec.reference.Reference;
import dev.ebb.reference.Guarded;
import dev.ebb.reference.Trial;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs random programs at random budgets, on random devices, with random strategies, and checks
 * each against Ebb's guarantees: the measured memory is within the budget, the bits are those of
 * keeping everything, and the smallest budget is exact to the byte. Arguments: the first seed, by
 * default 1; the number of programs, by default 10,000; the number that run at the same time, by
 * default 1. A program that fails is printed with its seed; to run it alone, give that seed and 1.
 * Exits with status 1 if any program failed.
 */
public final class Campaign {
    private static final int THREADS = 4;
    private static final int SHOWN = 100;

    private final Path folder;
    private final long end;
    private final AtomicLong next;
    private final EnumMap<Trial.Way, Integer> done = new EnumMap<>(Trial.Way.class);
    private final List<Long> failed = new ArrayList<>();
    private final long begun = System.nanoTime();

    private Campaign(Path folder, long first, long count) {
        this.folder = folder;
        this.end = first + count;
        this.next = new AtomicLong(first);
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        long first = args.length > 0 ? Long.parseLong(args[0]) : 1;
        long count = args.length > 1 ? Long.parseLong(args[1]) : 10_000;
        int together = args.length > 2 ? Integer.parseInt(args[2]) : 1;
        var folder = Files.createTempDirectory("ebb-campaign");
        var campaign = new Campaign(folder, first, count);
        var workers = new ArrayList<Thread>();
        for (int i = 0; i < together; i++) workers.add(Thread.ofPlatform().start(campaign::work));
        for (var worker : workers) worker.join();
        Files.delete(folder);
        campaign.show();
        if (campaign.failed.isEmpty()) return;
        System.out.println("failed: " + campaign.failed);
        System.exit(1);
    }

    private void work() {
        var cpus = new ArrayList<Cpu>();
        for (int threads = 1; threads <= THREADS; threads++) cpus.add(new Cpu(threads));
        try {
            for (long seed = next.getAndIncrement(); seed < end; seed = next.getAndIncrement())
                run(seed, cpus);
        } finally {
            cpus.forEach(Cpu::close);
        }
    }

    private void run(long seed, List<Cpu> cpus) {
        try {
            ran(trial(seed, cpus).run());
        } catch (AssertionError e) {
            fell(seed, e);
        }
    }

    private synchronized void ran(Trial.Way way) {
        done.merge(way, 1, Integer::sum);
        if (count() % SHOWN == 0) show();
    }

    private synchronized void fell(long seed, AssertionError fault) {
        failed.add(seed);
        System.out.println("FAILED " + fault.getMessage());
        for (var t = fault.getCause(); t != null; t = t.getCause())
            System.out.println("  because " + t.getMessage());
    }

    private int count() {
        return done.values().stream().mapToInt(i -> i).sum() + failed.size();
    }

    private synchronized void show() {
        System.out.printf(
                Locale.ROOT,
                "%,d programs in %.0f s: %s, %d failed%n",
                count(),
                (System.nanoTime() - begun) / 1e9,
                done,
                failed.size());
    }

    /**
     * A trial that depends on its seed alone: on the Reference device, or on the CPU with 1 to 4
     * threads.
     */
    private Trial trial(long seed, List<Cpu> cpus) {
        int pattern = seed % 2 == 0 ? 0xa5 : 0x5a;
        int which = (int) (seed % (THREADS + 1));
        Device base = which == 0 ? new Reference() : cpus.get(0);
        Device device = which == 0 ? new Reference() : cpus.get(which - 1);
        var guarded = new Guarded(device, pattern);
        return new Trial(
                seed,
                seed / 7 % 2 == 0,
                base,
                seed / 3 % 2 == 0 ? guarded : guarded.joiningFolds(),
                folder);
    }
}
