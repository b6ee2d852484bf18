package dev.ebb.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/** Ranks as threads of the test. */
final class Threads {
    private Threads() {}

    static <T> List<T> run(int ranks, IntFunction<T> body) {
        try (var threads = Executors.newFixedThreadPool(ranks)) {
            var running = new ArrayList<Future<T>>();
            for (int i = 0; i < ranks; i++) {
                int rank = i;
                running.add(threads.submit(() -> body.apply(rank)));
            }
            var all = new ArrayList<T>();
            for (var one : running) all.add(one.get());
            return all;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException r) throw r;
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What {@code BarrierTaskContext.allGather} does, for threads. */
    static final class Board {
        private final String[] lines;
        private final CyclicBarrier barrier;

        Board(int ranks) {
            lines = new String[ranks];
            barrier = new CyclicBarrier(ranks);
        }

        List<String> gather(int rank, String own) {
            try {
                lines[rank] = own;
                barrier.await(10, TimeUnit.MINUTES);
                return List.of(lines);
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
