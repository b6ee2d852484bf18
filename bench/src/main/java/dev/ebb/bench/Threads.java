package dev.ebb.bench;

import dev.ebb.cpu.Cpu;

import java.util.List;

/**
 * Trains the GPT of {@link Workload} on several numbers of threads. {@code
 * src/peers/python/threads.py} times the same model with PyTorch; {@link ThreadsProfile} breaks
 * down the time of a step.
 *
 * <p>Each number of threads has a separate device, whose generated loops are compiled again by the
 * JIT: the first {@link #WARM_UP} steps, which take seconds even on many threads, do not count.
 *
 * <p>Arguments: the number of steps that count, then numbers of threads; by default 8, and 1, 2, 4,
 * 8 and 16.
 */
public final class Threads {
    static final int WARM_UP = 40;

    private Threads() {}

    public static void main(String[] args) {
        var arguments = args.length > 0 ? List.of(args) : List.of("8", "1", "2", "4", "8", "16");
        int steps = Integer.parseInt(arguments.getFirst());
        for (var threads : arguments.subList(1, arguments.size())) {
            try (var cpu = new Cpu(Integer.parseInt(threads))) {
                Training.gpt(cpu, WARM_UP, steps, "Ebb on " + threads + " threads");
            }
        }
    }
}
