package dev.ebb.cpu.work;

/**
 * The workers that share the kernels of one program: the first few of a device's.
 *
 * @param threads how many parts may run at once; worker numbers are below it
 */
public record Crew(Workers workers, int threads) {
    public Crew {
        if (threads < 1 || threads > workers.threads()) {
            throw new IllegalArgumentException(
                    threads + " workers of a device that has " + workers.threads());
        }
    }

    /** As {@link Workers#run(int, int, Workers.Part)}: a part's worker is below its number too. */
    public void run(int parts, Workers.Part body) {
        workers.run(parts, threads, body);
    }

    /** Runs {@code body}, whose runs share nothing: each has the worker numbered 0 alone. */
    public void alone(Runnable body) {
        workers.alone(body);
    }
}
