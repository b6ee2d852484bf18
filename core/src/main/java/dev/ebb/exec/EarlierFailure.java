package dev.ebb.exec;

/**
 * Work on a queue has failed, and a thread that moves values heard of it because it read that
 * queue's memory: the cause is a failure of the work, not of the place that the values go to.
 */
public final class EarlierFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final RuntimeException failure;

    private EarlierFailure(RuntimeException failure) {
        super(failure);
        this.failure = failure;
    }

    /** The failure of the work, as the queue has thrown it. */
    public RuntimeException failure() {
        return failure;
    }

    /** Runs {@code read}, which reads memory of a queue and does nothing else that may fail. */
    public static void of(Runnable read) {
        try {
            read.run();
        } catch (RuntimeException e) {
            throw new EarlierFailure(e);
        }
    }
}
