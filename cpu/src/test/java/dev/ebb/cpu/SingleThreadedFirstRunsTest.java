package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.cpu.work.Workers;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.plan.Threads;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which kernels run on the calling thread alone the first time. */
class SingleThreadedFirstRunsTest {
    private static final Runnable KERNEL = () -> {};

    private static Node product(int size) {
        var x = Key.of(1).normal(new Type(DType.F32, Shape.of(size, size)));
        try (var square = Ebb.compile((Tensor a) -> a.matmul(a))) {
            return square.plan(x).schedule().problem().graph().nodes().getLast();
        }
    }

    private static boolean isLeft(SingleThreadedFirstRuns first, Node node, Workers workers) {
        return first.of(node, KERNEL, new WorkerGroup(workers, 1)) != KERNEL;
    }

    @ParameterizedTest
    @CsvSource({
        "1, false, false",
        "2, false, true",
        "3, false, false",
        "2, true, false",
    })
    void dependsOnTheProcessors(int count, boolean asked, boolean left) {
        var first = new SingleThreadedFirstRuns(new Threads(count, asked));
        try (var workers = new Workers(count)) {
            assertThat(isLeft(first, product(64), workers)).isEqualTo(left);
        }
    }

    @Test
    void takesNoKernelThatIsLong() {
        var first = new SingleThreadedFirstRuns(new Threads(2, false));
        try (var workers = new Workers(2)) {
            assertThat(isLeft(first, product(1024), workers)).isFalse();
        }
    }

    @Test
    void takesNoKernelThatMayWaitForAnotherProgram() {
        var x = Key.of(1).normal(new Type(DType.F32, Shape.of(8, 8)));
        try (var factors = Ebb.compile((Tensor a) -> a.matmul(a.transpose()).cholesky());
                var workers = new Workers(2)) {
            var nodes = factors.plan(x).schedule().problem().graph().nodes();
            var library =
                    nodes.stream().filter(n -> n.kernel() instanceof Kernel.Library).findFirst();
            assertThat(library).isPresent();
            var first = new SingleThreadedFirstRuns(new Threads(2, false));
            assertThat(isLeft(first, library.get(), workers)).isFalse();
        }
    }

    @Test
    void endsAfterTheFirstKernelsOfADevice() {
        var first = new SingleThreadedFirstRuns(new Threads(2, false));
        var node = product(64);
        try (var workers = new Workers(2)) {
            for (int i = 0; i < 1000; i++) assertThat(isLeft(first, node, workers)).isTrue();
            assertThat(isLeft(first, node, workers)).isFalse();
        }
    }

    @Test
    void isLeftOnce() {
        var node = product(64);
        try (var workers = new Workers(2)) {
            var workerGroup = new WorkerGroup(workers, 2);
            var alone = new int[2];
            var caller = Thread.currentThread();
            var runs =
                    new SingleThreadedFirstRuns(new Threads(2, false))
                            .of(
                                    node,
                                    () ->
                                            workerGroup.run(
                                                    100,
                                                    (_, worker) -> {
                                                        if (Thread.currentThread() == caller)
                                                            alone[worker]++;
                                                    }),
                                    workerGroup);
            runs.run();
            assertThat(alone).containsExactly(100, 0);
            runs.run();
            assertThat(alone[0]).isBetween(100, 200);
        }
    }
}
