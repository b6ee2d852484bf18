package dev.ebb.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
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
            var ended = new ExecutorCompletionService<T>(threads);
            var running = new ArrayList<Future<T>>();
            for (int i = 0; i < ranks; i++) {
                int rank = i;
                running.add(ended.submit(() -> body.apply(rank)));
            }
            try {
                for (int i = 0; i < ranks; i++) ended.take().get();
            } catch (ExecutionException e) {
                threads.shutdownNow(); // the others may be waiting for the one that failed
                throw e;
            }
            var all = new ArrayList<T>();
            for (var one : running) all.add(one.resultNow());
            return all;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException r) throw r;
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** {@code BarrierTaskContext.allGather} for threads. */
    static final class Board {
        private final String[] lines;
        private final CyclicBarrier barrier;
        private volatile List<String> gathered = List.of();

        Board(int ranks) {
            lines = new String[ranks];
            // copied while all wait: a rank that returns early must not change what others read
            barrier = new CyclicBarrier(ranks, () -> gathered = List.of(lines));
        }

        List<String> gather(int rank, String own) {
            try {
                lines[rank] = own;
                barrier.await(10, TimeUnit.MINUTES);
                return gathered;
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
