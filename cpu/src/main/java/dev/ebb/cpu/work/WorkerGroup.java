package dev.ebb.cpu.work;

/**
 * The workers that share the kernels of one program: the first few workers of a device.
 *
 * @param threads the most parts that run at the same time; worker numbers are less than this
 */
public record WorkerGroup(Workers workers, int threads) {
    public WorkerGroup {
        if (threads < 1 || threads > workers.threads()) {
            throw new IllegalArgumentException(
                    threads + " workers of a device that has " + workers.threads());
        }
    }

    /**
     * Runs all parts, each once; returns when all are done. Worker numbers are less than {@link
     * #threads}.
     */
    public void run(int parts, Workers.Part body) {
        workers.run(parts, threads, body);
    }

    /** Runs {@code body} with all runs in it executed by the calling thread alone, as worker 0. */
    public void alone(Runnable body) {
        workers.alone(body);
    }
}
