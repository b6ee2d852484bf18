package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.Next;
import dev.ebb.ir.Shape;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;

/** Calls from many threads the methods that the guide declares thread-safe. */
class ThreadsTest {
    private static final int THREADS = 8;

    private static final Fn<Tensor, Tensor> SLOPE = Ebb.grad((Tensor x) -> x.matmul(x).sin().sum());

    private static Array matrix(int seed) {
        var values = new float[16 * 16];
        for (int i = 0; i < values.length; i++) values[i] = (float) Math.sin(seed * 31 + i);
        return Array.of(Shape.of(16, 16), values);
    }

    private interface Work<T> {
        T of(int thread) throws Exception;
    }

    /** Runs all at once, from a common start. */
    private static <T> List<T> together(Work<T> work)
            throws InterruptedException, ExecutionException {
        var barrier = new CyclicBarrier(THREADS);
        try (var pool = Executors.newFixedThreadPool(THREADS)) {
            var tasks = new ArrayList<Callable<T>>();
            for (int t = 0; t < THREADS; t++) {
                int thread = t;
                tasks.add(
                        () -> {
                            barrier.await();
                            return work.of(thread);
                        });
            }
            var results = new ArrayList<T>();
            for (var done : pool.invokeAll(tasks)) results.add(done.get());
            return results;
        }
    }

    private static List<float[]> alone() {
        try (var f = Ebb.compile(SLOPE).on(new Cpu(2))) {
            var results = new ArrayList<float[]>();
            for (int t = 0; t < THREADS; t++) results.add(f.apply(matrix(t)).toFloats());
            return results;
        }
    }

    @Test
    void oneCompiledFunction() throws Exception {
        try (var f = Ebb.compile(SLOPE).on(new Cpu(2)).within(Budget.mebibytes(1))) {
            var found =
                    together(
                            t -> {
                                for (int i = 0; i < 20; i++) f.apply(matrix(t + i));
                                return f.apply(matrix(t)).toFloats();
                            });
            assertThat(found).containsExactlyElementsOf(alone());
        }
    }

    @Test
    void aFunctionForEachThreadOnOneDevice() throws Exception {
        var device = new Cpu(2);
        var found =
                together(
                        t -> {
                            try (var f = Ebb.compile(SLOPE).on(device)) {
                                return f.apply(matrix(t)).toFloats();
                            }
                        });
        assertThat(found).containsExactlyElementsOf(alone());
    }

    @Test
    void arraysAndOpsOnThem() throws Exception {
        var shared = matrix(0);
        var expected = shared.matmul(shared).exp().toFloats();
        var found = together(_ -> shared.matmul(shared).exp().toFloats());
        assertThat(found).allSatisfy(f -> assertThat(f).isEqualTo(expected));
    }

    @Test
    void oneStepper() throws Exception {
        Fn2<Tensor, Tensor, Next<Tensor, Tensor>> count =
                (n, by) -> new Next<>(n.add(by), n.add(by));
        var stepper = Ebb.stepper(count).on(new Cpu(1)).start(Array.scalar(0L), Array.scalar(1L));
        var seen = new HashSet<Double>();
        for (var each :
                together(
                        _ -> {
                            var own = new ArrayList<Double>();
                            for (int i = 0; i < 25; i++)
                                own.add(stepper.step(Array.scalar(1L)).item());
                            return own;
                        })) seen.addAll(each);
        // no step is lost, and none is seen twice
        assertThat(seen).hasSize(25 * THREADS);
        assertThat(stepper.state().item()).isEqualTo(25.0 * THREADS);
        together(
                t -> {
                    if (t == 0) stepper.close();
                    return t;
                });
        assertThatThrownBy(() -> stepper.step(Array.scalar(1L))).hasMessageContaining("closed");
    }
}
