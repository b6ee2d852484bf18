package dev.ebb.cli.option;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Turns Ctrl-C and SIGTERM into a flag that training checks between two steps. */
public final class StopSignal implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 30;

    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook = new Thread(this::onShutdown, "ebb stop");
    private volatile boolean asked;

    private final BooleanSupplier also;

    private StopSignal(BooleanSupplier also) {
        this.also = also;
    }

    public static StopSignal listen() {
        return listen(() -> false);
    }

    /** A flag that {@code also} can set too. */
    public static StopSignal listen(BooleanSupplier also) {
        var stop = new StopSignal(also);
        Runtime.getRuntime().addShutdownHook(stop.hook);
        return stop;
    }

    private void onShutdown() {
        asked = true;
        try {
            if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS))
                System.err.println("ebb: the step takes too long; stopping at the last checkpoint");
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    public boolean isAsked() {
        return asked || also.getAsBoolean();
    }

    @Override
    public void close() {
        done.countDown();
        if (asked) return;
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) {
            // the JVM is shutting down already
        }
    }
}
