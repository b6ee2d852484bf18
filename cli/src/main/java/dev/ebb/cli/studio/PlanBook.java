package dev.ebb.cli.studio;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The plans that were asked for lately. They are computed one after the other on a thread of their
 * own: first what somebody waits for, then, for the model that was looked at last, the rest of its
 * curve. Whoever asks waits a moment and is told if the answer is not ready.
 */
final class PlanBook implements AutoCloseable {
    /** So many models are kept. */
    private static final int MOST = 6;

    private final Models models;
    private final Map<ModelKey, ModelPlans> known = new HashMap<>();
    private final Thread worker;
    private long uses;
    private boolean closed;

    PlanBook(Models models) {
        this.models = models;
        worker = Thread.ofPlatform().daemon().name("studio plans").start(this::work);
    }

    /** The plans for {@code key}, which are begun if there are none. */
    synchronized ModelPlans of(ModelKey key) {
        var plans = known.computeIfAbsent(key, k -> new ModelPlans(k, models, this::wake));
        plans.used(++uses);
        if (known.size() > MOST) {
            known.values().stream()
                    .min(Comparator.comparingLong(ModelPlans::lastUse))
                    .ifPresent(oldest -> known.remove(oldest.key()));
        }
        notifyAll();
        return plans;
    }

    private synchronized void wake() {
        notifyAll();
    }

    private void work() {
        while (true) {
            Optional<Runnable> task;
            synchronized (this) {
                task = next();
                while (task.isEmpty() && !closed) {
                    try {
                        wait();
                    } catch (InterruptedException _) {
                        return;
                    }
                    task = next();
                }
                if (closed) return;
            }
            task.get().run();
        }
    }

    /** What is to be done now: what is asked for, the latest used first, then its curve. */
    private Optional<Runnable> next() {
        List<ModelPlans> latest = new ArrayList<>(known.values());
        latest.sort(Comparator.comparingLong(ModelPlans::lastUse).reversed());
        for (var plans : latest) {
            var asked = plans.asked();
            if (asked.isPresent()) return asked;
        }
        return latest.isEmpty() ? Optional.empty() : latest.getFirst().growth();
    }

    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
        worker.interrupt();
    }
}
