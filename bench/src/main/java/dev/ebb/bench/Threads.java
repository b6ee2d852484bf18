package dev.ebb.bench;

import dev.ebb.cpu.Cpu;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The GPT of {@link Workload} on several numbers of threads. Where {@code python3} has PyTorch,
 * {@code src/peers/python/threads.py} times the same model with it, in turns with Ebb and for as
 * many rounds, as a machine that others use too changes its speed; each keeps the round with its
 * best median, and the line ends in the ratio Ebb / PyTorch. {@link ThreadsProfile} tells where a
 * step goes.
 *
 * <p>Each number of threads has a separate device, whose generated loops are compiled again by the
 * JIT: the first {@link #WARM_UP} steps, which take seconds even on many threads, do not count.
 *
 * <p>Arguments: the steps that count in a round, then numbers of threads; without any, 8, 1, 2, 4,
 * 8 and 16. Numbers beyond the machine's processors are left out.
 */
public final class Threads {
    static final int WARM_UP = 40;
    private static final int ROUNDS = 3;

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
            var medians = new ArrayList<Double>();
            Runnable timed = () -> seconds(peer, threads).ifPresent(medians::add);
            double own;
            try (var cpu = new Cpu(Integer.parseInt(threads))) {
                var name = "Ebb on " + threads + " threads";
                Runnable between = version.succeeded() ? timed : () -> {};
                own = Training.gpt(cpu, WARM_UP, steps, name, ROUNDS, between).median();
            }
            if (medians.isEmpty()) continue;
            double best = Collections.min(medians);
            System.out.printf(
                    Locale.ROOT,
                    "  PyTorch on %s threads: median %.3f s a step, the best of %d rounds; Ebb /"
                            + " PyTorch %.2f%n",
                    threads,
                    best,
                    medians.size(),
                    own / best);
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
