package dev.ebb.cpu.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;

class WorkersTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8})
    void runsEveryPartOnce(int threads) {
        try (var workers = new Workers(threads)) {
            for (int round = 0; round < 2_000; round++) {
                int parts = round % 17;
                var runs = new AtomicIntegerArray(17);
                workers.run(
                        parts,
                        (part, worker) -> {
                            assertThat(worker).isBetween(0, threads - 1);
                            runs.incrementAndGet(part);
                        });
                for (int i = 0; i < 17; i++) assertThat(runs.get(i)).isEqualTo(i < parts ? 1 : 0);
            }
        }
    }

    @Test
    void givesAWorkerOnePartAtATime() {
        try (var workers = new Workers(3)) {
            var busy = new AtomicIntegerArray(3);
            workers.run(
                    1_000,
                    (_, worker) -> {
                        assertThat(busy.getAndIncrement(worker)).isZero();
                        busy.decrementAndGet(worker);
                    });
        }
    }

    /**
     * The first part ends when all others have ended, including those in its own worker's range.
     */
    @Test
    void doesThePartsOfAWorkerThatIsBusy() {
        try (var workers = new Workers(2)) {
            var others = new CountDownLatch(39);
            var waited = new AtomicBoolean();
            workers.run(
                    40,
                    (part, _) -> {
                        if (part == 0) waited.set(isDone(others));
                        else others.countDown();
                    });
            assertThat(waited).isTrue();
        }
    }

    @Test
    void leavesToTheCallerWhatItIsToRunAlone() {
        try (var workers = new Workers(4)) {
            var workerGroup = new WorkerGroup(workers, 4);
            var ran = new AtomicIntegerArray(40);
            var caller = Thread.currentThread();
            workerGroup.alone(
                    () ->
                            workerGroup.run(
                                    40,
                                    (part, worker) -> {
                                        assertThat(worker).isZero();
                                        assertThat(Thread.currentThread()).isSameAs(caller);
                                        ran.incrementAndGet(part);
                                    }));
            for (int i = 0; i < 40; i++) assertThat(ran.get(i)).isEqualTo(1);
            assertThatThrownBy(
                            () ->
                                    workerGroup.alone(
                                            () -> {
                                                throw new IllegalStateException("a part failed");
                                            }))
                    .hasMessage("a part failed");
            // and is shared again afterwards: the first part waits for the others
            var others = new CountDownLatch(3);
            var waited = new AtomicBoolean();
            workerGroup.run(
                    4,
                    (part, _) -> {
                        if (part == 0) waited.set(isDone(others));
                        else others.countDown();
                    });
            assertThat(waited).isTrue();
        }
    }

    /** A part of a kernel may run a program, which runs a kernel for the first time. */
    @Test
    void runsAloneWithinAPartToo() {
        try (var workers = new Workers(3)) {
            var workerGroup = new WorkerGroup(workers, 3);
            var ran = new AtomicIntegerArray(30);
            workerGroup.run(
                    30,
                    (part, _) ->
                            workerGroup.alone(
                                    () -> workerGroup.run(1, (_, _) -> ran.incrementAndGet(part))));
            for (int i = 0; i < 30; i++) assertThat(ran.get(i)).isEqualTo(1);
        }
    }

    private static boolean isDone(CountDownLatch latch) {
        try {
            return latch.await(5, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Later runs with fewer workers, while those without a part may still be looking for work. */
    @Test
    void leavesOutWorkersBeyondTheNumber() {
        try (var workers = new Workers(4)) {
            for (int round = 0; round < 2_000; round++) {
                int most = 2 + round % 3;
                workers.run(12, most, (_, worker) -> assertThat(worker).isLessThan(most));
            }
        }
    }

    @Test
    void throwsWhatAPartThrowsAndGoesOn() {
        try (var workers = new Workers(2)) {
            assertThatThrownBy(
                            () ->
                                    workers.run(
                                            50,
                                            (part, _) -> {
                                                if (part == 13)
                                                    throw new IllegalStateException("part 13");
                                            }))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("part 13");
            var runs = new AtomicIntegerArray(9);
            workers.run(9, (part, _) -> runs.incrementAndGet(part));
            for (int i = 0; i < 9; i++) assertThat(runs.get(i)).isOne();
        }
    }

    @Test
    void runsNestedPartsWhereTheyAre() {
        try (var workers = new Workers(2)) {
            var runs = new AtomicIntegerArray(20);
            workers.run(
                    4,
                    (outer, worker) ->
                            workers.run(
                                    5,
                                    (inner, nested) -> {
                                        assertThat(nested).isEqualTo(worker);
                                        runs.incrementAndGet(outer * 5 + inner);
                                    }));
            for (int i = 0; i < 20; i++) assertThat(runs.get(i)).isOne();
        }
    }

    @Test
    void runsAfterItIsClosed() {
        var workers = new Workers(2);
        workers.close();
        var runs = new AtomicIntegerArray(3);
        workers.run(3, (part, _) -> runs.incrementAndGet(part));
        for (int i = 0; i < 3; i++) assertThat(runs.get(i)).isOne();
    }

    @Test
    void refusesToHaveNoThreads() {
        assertThatThrownBy(() -> new Workers(0)).hasMessageContaining("use at least 1");
    }
}
