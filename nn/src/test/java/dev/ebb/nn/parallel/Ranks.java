package dev.ebb.nn.parallel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

/** Runs a function on every rank of a group, a thread each. */
final class Ranks {
    private Ranks() {}

    /** The results of all ranks; throws the first error of any. */
    static <T> List<T> run(int size, Function<Group, T> body) {
        return run(LocalGroup.of(size, Duration.ofMinutes(10)), body);
    }

    static <T> List<T> run(List<Group> groups, Function<Group, T> body) {
        try (var threads = Executors.newFixedThreadPool(groups.size())) {
            var running = new ArrayList<Future<T>>();
            for (var group : groups) {
                running.add(
                        threads.submit(
                                () -> {
                                    try (group) {
                                        return body.apply(group);
                                    }
                                }));
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
}
