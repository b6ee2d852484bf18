package dev.ebb.cuda;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs the device tests of core on the card, many at a time, each class for a limited time. */
final class DeviceSweep {
    private static final int THREADS = 8;

    private final PrintWriter log;
    private final List<String> failures = new ArrayList<>();

    DeviceSweep(PrintWriter log) {
        this.log = log;
    }

    private record Trial(String name, Callable<Void> body) {}

    /** Prints a line for the class; returns how many of its tests failed. */
    int run(Object tests, int seconds) throws InterruptedException {
        long start = System.nanoTime();
        var trials = new ArrayList<Trial>();
        for (Class<?> type = tests.getClass(); type != Object.class; type = type.getSuperclass()) {
            for (var method : type.getDeclaredMethods()) add(tests, method, trials);
        }
        int passed = 0;
        int late = 0;
        int before = failures.size();
        // daemon threads: a test that is late must not delay the end
        var pool = Executors.newFixedThreadPool(THREADS, Thread.ofPlatform().daemon().factory());
        var all =
                pool.invokeAll(
                        trials.stream().map(Trial::body).toList(), seconds, TimeUnit.SECONDS);
        pool.shutdownNow();
        for (int i = 0; i < all.size(); i++) {
            try {
                all.get(i).get();
                passed++;
            } catch (CancellationException e) {
                late++;
            } catch (ExecutionException e) {
                var text =
                        tests.getClass().getSimpleName()
                                + " | "
                                + trials.get(i).name()
                                + " | "
                                + e.getCause();
                failures.add(text.replaceAll("\\s+", " "));
                log.println(text);
                e.getCause().printStackTrace(log);
            }
        }
        log.flush();
        System.out.printf(
                "%-26s %5d passed %4d failed %4d not reached, %.1f s%n",
                tests.getClass().getSimpleName(),
                passed,
                failures.size() - before,
                late,
                (System.nanoTime() - start) / 1e9);
        failures.subList(before, failures.size()).stream()
                .limit(6)
                .forEach(
                        f ->
                                System.out.println(
                                        "  FAILED " + f.substring(0, Math.min(300, f.length()))));
        return failures.size() - before;
    }

    private static void add(Object tests, Method method, List<Trial> trials) {
        if (method.isAnnotationPresent(Test.class)) {
            method.setAccessible(true);
            trials.add(new Trial(method.getName(), () -> call(tests, method)));
        } else if (method.isAnnotationPresent(TestFactory.class)) {
            method.setAccessible(true);
            dynamic(call(tests, method))
                    .forEach(
                            t ->
                                    trials.add(
                                            new Trial(
                                                    method.getName() + " " + t.getDisplayName(),
                                                    () -> execute(t))));
        }
    }

    private static Void execute(DynamicTest test) throws Exception {
        try {
            test.getExecutable().execute();
            return null;
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static Stream<DynamicTest> dynamic(Object made) {
        return switch (made) {
            case Stream<?> s -> s.map(DynamicTest.class::cast);
            case Iterable<?> all -> {
                var list = new ArrayList<DynamicTest>();
                all.forEach(t -> list.add((DynamicTest) t));
                yield list.stream();
            }
            default -> throw new IllegalStateException("tests as " + made.getClass());
        };
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T> T call(Object tests, Method method) {
        try {
            return (T) method.invoke(tests);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Error error) throw error;
            if (e.getCause() instanceof RuntimeException fault) throw fault;
            throw new IllegalStateException(e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
