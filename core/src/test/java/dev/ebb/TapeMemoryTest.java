package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.exec.Device;
import dev.ebb.exec.Queue;
import dev.ebb.exec.reference.Reference;
import dev.ebb.ir.DType;
import dev.ebb.ir.Memory;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Threads;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.function.UnaryOperator;

/** A tape takes memory as it needs it, and never more than its budget, even while that moves. */
class TapeMemoryTest {
    private long allocated;
    private long most;

    private static Object call(Object on, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T instead(Class<T> type, T of, Map<String, UnaryOperator<Object>> change) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (_, method, arguments) -> {
                            var result = call(of, method, arguments);
                            var changed = change.get(method.getName());
                            return changed == null ? result : changed.apply(result);
                        }));
    }

    /** The reference, which sets memory aside for workers and counts what is allocated. */
    private Device counting(long own) {
        return instead(
                Device.class,
                new Reference(),
                Map.of(
                        "threads",
                        _ -> new Threads(2, false),
                        "mostOwnBytes",
                        _ -> own,
                        "open",
                        queue ->
                                instead(
                                        Queue.class,
                                        (Queue) queue,
                                        Map.of("allocate", this::count))));
    }

    private Object count(Object made) {
        var allocation = (Queue.Allocation) made;
        long bytes = allocation.memory().bytes();
        allocated += bytes;
        most = Math.max(most, allocated);
        return new Queue.Allocation() {
            @Override
            public Memory memory() {
                return allocation.memory();
            }

            @Override
            public void close() {
                allocated -= bytes;
                allocation.close();
            }
        };
    }

    @Test
    void aLargeBudgetCostsNothingUntilItIsUsed() {
        try (var tape = new Tape(Budget.mebibytes(4096), counting(1 << 26))) {
            var x = tape.watch((Tensor) Array.of(1.0, 2.0));
            assertThat(most).isLessThanOrEqualTo(1 << 16);
            for (int i = 0; i < 3_000; i++) x = x.add(1);
            assertThat(tape.array(x).toDoubles()).containsExactly(3001, 3002);
            assertThat(most).isLessThanOrEqualTo(1 << 20);
        }
    }

    @Test
    void memoryStaysWithinTheBudgetWhileItMoves() {
        long budget = 4 << 20;
        try (var tape = new Tape(Budget.bytes(budget), counting(1 << 19))) {
            Tensor first = tape.watch((Tensor) Tensors.arange(DType.F64, 2_000));
            Tensor x = first;
            for (int i = 0; i < 200; i++) {
                x = x.add(1);
                assertThat(most).isLessThanOrEqualTo(budget);
            }
            assertThat(most).isGreaterThan(budget / 2);
            assertThat(tape.array(x.sub(first)).toDoubles()).containsOnly(200);
            assertThat(tape.array(first).toDoubles()[1_999]).isEqualTo(1_999);
        }
    }
}
