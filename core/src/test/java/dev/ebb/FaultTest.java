package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.plan.Budget;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Interrupts, errors and closes at any moment end in an error in words, and the next run works. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FaultTest {
    private static final int SIDE = 40;

    @TempDir Path folder;

    private static Array filled(int seed, int... dims) {
        var shape = Shape.of(dims);
        return Array.of(shape, new Random(seed).doubles(shape.size(), -1, 1).toArray());
    }

    private Compiled<Tensor, Tensor> onDisk(Fn<Tensor, Tensor> f, Tensor x) {
        var disk = Budget.unlimited().with(Disk.in(folder, 64L << 20));
        var curve = Ebb.compile(f).within(disk).on(Devices.best()).plan(x).curve();
        var least = Budget.bytes(curve.leastBytes()).with(Disk.in(folder, 64L << 20));
        var compiled = Ebb.compile(f).within(least).on(Devices.best());
        assertThat(compiled.plan(x).layout().offloadedBytes()).as("on disk").isPositive();
        return compiled;
    }

    private static Fn<Tensor, Tensor> chain() {
        return Ebb.grad((Tensor x) -> x.matmul(x).tanh().matmul(x).sin().matmul(x).square().mean());
    }

    @Test
    void aRunOnAnInterruptedThreadEndsWithAnError() {
        var x = filled(1, SIDE, SIDE);
        try (var f = onDisk(chain(), x)) {
            var expected = f.apply(x).toDoubles();
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> f.apply(x))
                    .isInstanceOf(CancellationException.class)
                    .hasMessageContaining("interrupted");
            assertThat(Thread.interrupted()).as("the flag is kept").isTrue();
            assertThat(f.apply(x).toDoubles()).isEqualTo(expected);
        }
    }

    @Test
    void anInterruptAtAnyMomentEndsTheRunOrLetsItEnd() throws Exception {
        var x = filled(2, SIDE, SIDE);
        var random = new Random(3);
        try (var f = onDisk(chain(), x)) {
            long begun = System.nanoTime();
            var expected = f.apply(x).toDoubles();
            long nanos = System.nanoTime() - begun;
            int ended = 0;
            for (int i = 0; i < 60; i++) {
                var run = new FutureTask<>(() -> f.apply(x).toDoubles());
                var thread = Thread.ofPlatform().start(run);
                TimeUnit.NANOSECONDS.sleep(random.nextLong(nanos));
                thread.interrupt();
                try {
                    assertThat(run.get()).isEqualTo(expected);
                } catch (java.util.concurrent.ExecutionException e) {
                    assertThat(e.getCause()).isInstanceOf(CancellationException.class);
                    ended++;
                }
            }
            assertThat(ended).as("some were interrupted").isPositive();
            assertThat(f.apply(x).toDoubles()).isEqualTo(expected);
        }
    }

    /** The identity; its kernel fails at one of its calls, or waits in it. */
    private record Failing(AtomicInteger left, CountDownLatch inside, CountDownLatch go)
            implements Differentiable, Kernel.Library {
        Failing(int calls) {
            this(new AtomicInteger(calls), new CountDownLatch(1), new CountDownLatch(0));
        }

        @Override
        public List<Type> infer(List<Type> in) {
            return in;
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return this;
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, rule.dout(0).apply(this));
        }

        @Override
        public long workspaceBytes() {
            return 0;
        }

        @Override
        public void run(List<Buffer> in, List<Buffer> out, Buffer workspace) {
            inside.countDown();
            try {
                go.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            if (left.decrementAndGet() == 0) throw new ArithmeticException("it failed");
            for (long i = 0; i < in.getFirst().size(); i++)
                out.getFirst().set(i, in.getFirst().get(i));
        }
    }

    @Test
    void whatAFunctionClosesOverOutlivesAFailedRun() {
        var x = filled(4, SIDE, SIDE);
        for (int at = 1; at <= 4; at++) {
            var op = new Failing(at + 4);
            var a = filled(5, SIDE, SIDE);
            var b = filled(6, SIDE, SIDE);
            Fn<Tensor, Tensor> f =
                    Ebb.grad(
                            (Tensor t) ->
                                    a.matmul(t)
                                            .apply(op)
                                            .tanh()
                                            .matmul(b)
                                            .apply(op)
                                            .sin()
                                            .matmul(a.mul(b))
                                            .square()
                                            .mean());
            try (var compiled = onDisk(f, x)) {
                var expected = compiled.apply(x).toDoubles();
                assertThatThrownBy(
                                () -> {
                                    for (int i = 0; i < 4; i++) compiled.apply(x);
                                })
                        .isInstanceOf(ArithmeticException.class);
                assertThat(compiled.apply(x).toDoubles()).isEqualTo(expected);
            }
        }
    }

    private static Stepper<Tensor, Tensor, Tensor> stepper(Failing op) {
        return Ebb.stepper((Tensor s, Tensor b) -> new Next<>(s.add(b).apply(op), s.sum()))
                .start(filled(7, 8), filled(8, 8));
    }

    @Test
    void aStateThatAFailedStepMayHaveChangedIsNotUsed() {
        try (var stepper = stepper(new Failing(2))) {
            var input = filled(8, 8);
            stepper.step(input);
            var saved = stepper.state();
            assertThatThrownBy(() -> stepper.step(input)).isInstanceOf(ArithmeticException.class);
            assertThatThrownBy(() -> stepper.step(input)).hasMessageContaining("restore a state");
            assertThatThrownBy(stepper::state).hasMessageContaining("restore a state");
            stepper.restore(saved);
            stepper.step(input);
            assertThat(stepper.state().toDoubles()).isEqualTo(saved.add(input).toDoubles());
        }
    }

    @Test
    void aCloseWaitsForTheStepOfAnotherThread() throws Exception {
        var op = new Failing(new AtomicInteger(9), new CountDownLatch(1), new CountDownLatch(1));
        var stepper = stepper(op);
        var step = new FutureTask<>(() -> stepper.step(filled(8, 8)));
        Thread.ofPlatform().start(step);
        op.inside().await();
        var close = Thread.ofPlatform().start(stepper::close);
        op.go().countDown();
        assertThat(step.get().item()).isFinite();
        close.join();
        stepper.close();
        assertThatThrownBy(() -> stepper.step(filled(8, 8))).hasMessageContaining("is closed");
        assertThatThrownBy(stepper::state).hasMessageContaining("is closed");
        assertThatThrownBy(() -> stepper.restore(filled(8, 8))).hasMessageContaining("is closed");
    }
}
