package dev.ebb.bench;

import dev.ebb.cpu.Cpu;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The GPT of {@link Workload} on several numbers of threads. Where {@code python3} has PyTorch,
 * {@code src/peers/python/threads.py} times the same model with it before Ebb and once more after,
 * as a machine that others use too changes its speed; the line ends in the ratios Ebb / PyTorch of
 * the medians. {@link ThreadsProfile} tells where a step goes.
 *
 * <p>Each number of threads has a separate device, whose generated loops are compiled again by the
 * JIT: the first {@link #WARM_UP} steps, which take seconds even on many threads, do not count.
 *
 * <p>Arguments: the steps that count, then numbers of threads; without any, 8, 1, 2, 4, 8 and 16.
 * Numbers beyond the machine's processors are left out.
 */
public final class Threads {
    static final int WARM_UP = 40;

    private Threads() {}

    public static void main(String[] args) {
        var given = args.length > 0 ? List.of(args) : List.of("8", "1", "2", "4", "8", "16");
        int steps = Integer.parseInt(given.getFirst());
        int processors = Runtime.getRuntime().availableProcessors();
        var peer = PythonPeer.script("threads.py");
        var version = peer.run(List.of());
        System.out.println((version.succeeded() ? "beside " : "without ") + version.lastLine());
        for (var threads : given.subList(1, given.size())) {
            if (Integer.parseInt(threads) > processors) continue;
            var before = version.succeeded() ? seconds(peer, threads) : Optional.<Double>empty();
            double own;
            try (var cpu = new Cpu(Integer.parseInt(threads))) {
                own = Training.gpt(cpu, WARM_UP, steps, "Ebb on " + threads + " threads").median();
            }
            var after = version.succeeded() ? seconds(peer, threads) : Optional.<Double>empty();
            if (before.isPresent() && after.isPresent())
                System.out.printf(
                        Locale.ROOT,
                        "  PyTorch on %s threads: median %.3f s a step before, %.3f s after; Ebb /"
                                + " PyTorch %.2f and %.2f%n",
                        threads,
                        before.get(),
                        after.get(),
                        own / before.get(),
                        own / after.get());
        }
    }

    /** The median of PyTorch's steps; empty, with a line printed, if its program failed. */
    private static Optional<Double> seconds(PythonPeer peer, String threads) {
        var output = peer.run(List.of(threads));
        if (output.succeeded()) return Optional.of(Double.valueOf(output.lastLine()));
        System.out.println("PyTorch FAILED: " + output.lastLine());
        return Optional.empty();
    }
}
