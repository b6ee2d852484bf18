package dev.ebb.bench;

import dev.ebb.cpu.Cpu;

import java.util.List;

/**
 * The GPT of {@link Workload} on several numbers of threads. {@code src/peers/python/threads.py}
 * times the same model with PyTorch; {@link ThreadsProfile} tells where a step goes.
 *
 * <p>Every number has a device of its own, whose generated loops the JIT compiles anew: the first
 * {@link #WARM_UP} steps, which take seconds even on many threads, do not count.
 *
 * <p>Arguments: the steps that count, then numbers of threads; without any, 8, 1, 2, 4, 8 and 16.
 */
public final class Threads {
    static final int WARM_UP = 40;

    private Threads() {}

    public static void main(String[] args) {
        var told = args.length > 0 ? List.of(args) : List.of("8", "1", "2", "4", "8", "16");
        int steps = Integer.parseInt(told.getFirst());
        for (var threads : told.subList(1, told.size())) {
            try (var cpu = new Cpu(Integer.parseInt(threads))) {
                Training.gpt(cpu, WARM_UP, steps, "Ebb on " + threads + " threads");
            }
        }
    }
}
