package dev.ebb.cli.studio;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Computes plans on a background thread and caches those of recently requested models. Requests
 * that wait come first, then the rest of the curve of the model used last. A request waits for a
 * moment, and is told if its plan is not ready by then.
 */
final class BackgroundPlanner implements AutoCloseable {
    /** The number of models in the cache. */
    private static final int MOST = 6;

    private final PlanningBackend models;
    private final Map<ModelKey, ModelPlans> known = new HashMap<>();
    private final Thread worker;
    private long uses;
    private boolean closed;

    BackgroundPlanner(PlanningBackend models) {
        this.models = models;
        worker = Thread.ofPlatform().daemon().name("studio plans").start(this::work);
    }

    /** The plans for {@code key}; starts to compute them if necessary. */
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

    /** The next task: a waiting request of the model used last, or else the rest of its curve. */
    private Optional<Runnable> next() {
        List<ModelPlans> latest = new ArrayList<>(known.values());
        latest.sort(Comparator.comparingLong(ModelPlans::lastUse).reversed());
        for (var plans : latest) {
            var asked = plans.waitingTask();
            if (asked.isPresent()) return asked;
        }
        return latest.isEmpty() ? Optional.empty() : latest.getFirst().backgroundTask();
    }

    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
        worker.interrupt();
    }
}
