package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.exec.Device;
import dev.ebb.exec.Queue;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Memory;
import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntToLongFunction;

/** Arguments that change from call to call: one budget bounds all, and numbers make no programs. */
class ChangingArgumentsTest {

    /** The slow device, which counts what is allocated on it and given back. */
    private static final class Counting implements Device {
        private final Device slow = Devices.best();
        private long held;
        private long most;
        private int allocations;

        @Override
        public String name() {
            return slow.name();
        }

        @Override
        public long workspaceBytes(Node node) {
            return slow.workspaceBytes(node);
        }

        @Override
        public IntToLongFunction ownBytes(List<Node> nodes) {
            return slow.ownBytes(nodes);
        }

        @Override
        public long mostOwnBytes(int workers) {
            return slow.mostOwnBytes(workers);
        }

        @Override
        public Queue open() {
            return new CountingQueue(slow.open());
        }

        private final class CountingQueue implements Queue {
            private final Queue queue;
            private long own;

            CountingQueue(Queue queue) {
                this.queue = queue;
            }

            @Override
            public Allocation allocate(long bytes) {
                own += bytes;
                held += bytes;
                most = Math.max(most, held);
                allocations++;
                return queue.allocate(bytes);
            }

            @Override
            public Runnable bind(
                    Node node, List<Buffer> inputs, List<Buffer> outputs, Buffer workspace) {
                return queue.bind(node, inputs, outputs, workspace);
            }

            @Override
            public void copy(Memory from, Memory to) {
                queue.copy(from, to);
            }

            @Override
            public void clear(Memory memory) {
                queue.clear(memory);
            }

            @Override
            public void write(MemorySegment from, Memory to) {
                queue.write(from, to);
            }

            @Override
            public void read(Memory from, MemorySegment to) {
                queue.read(from, to);
            }

            @Override
            public void finish() {
                queue.finish();
            }

            @Override
            public Event event() {
                return queue.event();
            }

            @Override
            public void close() {
                held -= own;
                own = 0;
                queue.close();
            }
        }
    }

    record Step(Tensor weights, double rate, float decay, int power) {
        Tensor moved() {
            var gradient = Ebb.grad((Tensor w) -> w.sin().mul(w).sum().mul(power));
            return weights.sub(gradient.apply(weights).mul(rate)).mul(1 - decay);
        }
    }

    private static Array noise(int seed, int... dims) {
        var random = new Random(seed);
        var data = new float[(int) Shape.of(dims).size()];
        for (int i = 0; i < data.length; i++) data[i] = random.nextFloat() - 0.5f;
        return Array.of(Shape.of(dims), data);
    }

    @Test
    void tenThousandRatesAreOneProgram() {
        var device = new Counting();
        var weights = noise(1, 64);
        try (var compiled = Ebb.compile(Step::moved).on(device)) {
            for (int i = 0; i < 10_000; i++) {
                var step = new Step(weights, 1e-4 * i, i % 7 / 8f, 1 + i % 3);
                var found = (Array) compiled.apply(step);
                if (i % 499 == 0) {
                    // a function of its own, in which the numbers are what they are
                    try (var alone = Ebb.compile(Step::moved).on(Devices.best())) {
                        assertThat(found.sameBits((Array) alone.apply(step))).isTrue();
                    }
                }
            }
            assertThat(compiled.plans()).isLessThanOrEqualTo(2);
            assertThat(device.allocations).isLessThanOrEqualTo(4);
        }
        assertThat(device.held).isZero();
    }

    /** In a loop's body, in its gradient and under a tight budget, with the same bits. */
    @Test
    void ratesInsideLoops() {
        record Run(Tensor x, double rate) {}
        Fn<Run, Tensor> f =
                r -> Loop.repeat(5, r.x(), x -> x.sub(x.sin().mul(r.rate()))).square().sum();
        var device = new Counting();
        try (var compiled = Ebb.compile(Ebb.grad(f)).on(device)) {
            for (int i = 1; i < 40; i++) {
                var run = new Run(noise(2, 50), 0.01 * i);
                try (var alone = Ebb.compile(Ebb.grad(f)).on(Devices.best())) {
                    var found = compiled.apply(run);
                    assertThat(found.rate()).isEqualTo(0.01 * i);
                    var expected = (Array) alone.apply(run).x();
                    assertThat(found.x().sameBits(expected)).isTrue();
                }
            }
            assertThat(compiled.plans()).isLessThanOrEqualTo(2);
            assertThat(device.allocations).isLessThanOrEqualTo(3);
        }
    }

    /** A number that is no operand: a shape, a branch, the setting of an op. */
    @Test
    void numbersThatDecideMakeOtherProgramsButNoMemoryWithoutEnd() {
        record Cut(Tensor x, double bound, int rows) {}
        Fn<Cut, Tensor> f =
                c -> {
                    var y = c.x().slice(0, 0, c.rows()).clamp(-c.bound(), c.bound());
                    return c.bound() > 0.25 ? y.sum() : y.square().sum();
                };
        var device = new Counting();
        var x = noise(3, 20, 16);
        try (var compiled = Ebb.compile(f).on(device)) {
            for (int i = 0; i < 300; i++) {
                var cut = new Cut(x, i / 600.0, 1 + i % 20);
                try (var alone = Ebb.compile(f).on(Devices.best())) {
                    var found = (Array) compiled.apply(cut);
                    assertThat(found.sameBits((Array) alone.apply(cut))).isTrue();
                }
            }
            assertThat(compiled.plans()).isLessThanOrEqualTo(Plans.MOST);
            assertThat(device.most).isLessThan(Plans.MOST * 8192L);
        }
        assertThat(device.held).isZero();
    }

    /** Many shapes under one budget, again and again: the sum of all arenas stays within it. */
    @Test
    void oneBudgetBoundsAllShapes() {
        Fn<Tensor, Tensor> f = x -> x.sin().mul(x.cos()).add(x).square().sum();
        var shapes = new ArrayList<Array>();
        for (int i = 0; i < 100; i++) shapes.add(noise(i, 1 + i, 8));
        var device = new Counting();
        long budget;
        try (var one = Ebb.compile(Ebb.grad(f)).on(Devices.best())) {
            budget = 2 * one.plan(shapes.getLast()).peakBytes();
        }
        try (var compiled = Ebb.compile(Ebb.grad(f)).within(Budget.bytes(budget)).on(device)) {
            for (int round = 0; round < 2; round++) {
                for (var x : shapes) {
                    try (var alone = Ebb.compile(Ebb.grad(f)).on(Devices.best())) {
                        var found = (Array) compiled.apply(x);
                        assertThat(found.sameBits((Array) alone.apply(x))).isTrue();
                    }
                    assertThat(device.held).isLessThanOrEqualTo(budget);
                }
            }
            assertThat(device.most).isLessThanOrEqualTo(budget);
            assertThat(compiled.plans()).isEqualTo(Plans.MOST);
        }
        assertThat(device.held).isZero();
    }

    /** What a function closes over comes back with its memory. */
    @Test
    void whatIsClosedOverSurvives() {
        var table = noise(7, 8);
        Fn<Tensor, Tensor> f = x -> x.mul(table).add(Array.of(Shape.of(8), new float[8])).sum();
        long budget;
        try (var one = Ebb.compile(f).on(Devices.best())) {
            budget = one.plan(noise(1, 9, 8)).peakBytes();
        }
        try (var compiled = Ebb.compile(f).within(Budget.bytes(budget)).on(Devices.best())) {
            var first = (Array) compiled.apply(noise(1, 9, 8));
            compiled.apply(noise(1, 8, 8));
            assertThat(compiled.apply(noise(1, 9, 8)).sameBits(first)).isTrue();
        }
    }
}
