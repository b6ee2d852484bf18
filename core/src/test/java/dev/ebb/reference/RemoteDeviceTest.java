package dev.ebb.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Devices;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.Tape;
import dev.ebb.exec.Device;
import dev.ebb.exec.Queue;
import dev.ebb.plan.Budget;
import dev.ebb.plan.RecomputeAll;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Random;

/** What the host may and may not do with memory that is not its own. */
class RemoteDeviceTest {
    private static final Array X = noise(16, 16);

    private static Array noise(int rows, int columns) {
        var random = new Random(7);
        var data = new float[rows * columns];
        for (int i = 0; i < data.length; i++) data[i] = random.nextFloat() - 0.5f;
        return Array.of(dev.ebb.ir.Shape.of(rows, columns), data);
    }

    private static Tensor chain(Tensor x) {
        Tensor h = x;
        for (int i = 0; i < 6; i++) h = h.matmul(x).tanh();
        return h.sum();
    }

    private static Tensor scan(Tensor x) {
        return Loop.repeat(40, x, h -> h.matmul(x).tanh()).sum();
    }

    private static Tensor loops(Tensor x) {
        return Loop.whileTrue(100, x, h -> h.square().sum().gt(h.literal(0.01)), h -> h.mul(0.9))
                .sum();
    }

    private static Array run(Fn<Tensor, Tensor> f, Device device, Budget budget) {
        try (var gradient = Ebb.compile(Ebb.grad(f)).within(budget).on(device)) {
            return (Array) gradient.apply(X);
        }
    }

    @Test
    void itsMemoryCannotBeTouched() {
        try (var queue = new RemoteDevice().open()) {
            var memory = queue.allocate(64).memory();
            assertThatThrownBy(memory::segment).hasMessageContaining("not the host's");
        }
    }

    @Test
    void whatIsWrittenMayChangeAtOnce() {
        try (var queue = new RemoteDevice().open()) {
            var memory = queue.allocate(64).memory();
            var data = new long[] {1, 2, 3, 4, 5, 6, 7, 8};
            queue.write(MemorySegment.ofArray(data), memory);
            data[0] = -1;
            var back = new long[8];
            queue.read(memory, MemorySegment.ofArray(back));
            assertThat(back).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
        }
    }

    @Test
    void bitsAreThoseOfItsKernelsAtEveryBudget(@TempDir Path folder) {
        for (Fn<Tensor, Tensor> f :
                java.util.List.<Fn<Tensor, Tensor>>of(
                        RemoteDeviceTest::chain, RemoteDeviceTest::scan, RemoteDeviceTest::loops)) {
            var expected = run(f, Devices.reference(), Budget.unlimited());
            var least = least(f);
            for (var budget :
                    new Budget[] {
                        Budget.unlimited(),
                        Budget.bytes(least),
                        Budget.bytes(least).with(Disk.in(folder, 64L << 20))
                    }) {
                assertThat(run(f, new RemoteDevice(), budget).sameBits(expected)).isTrue();
            }
        }
    }

    private static long least(Fn<Tensor, Tensor> f) {
        try (var gradient = Ebb.compile(Ebb.grad(f))) {
            return gradient.on(Devices.reference()).plan(X).leastBytes();
        }
    }

    /** A program whose course is known beforehand is read when its results are, and not before. */
    @Test
    void theHostReadsResultsAndDecisionsAlone() {
        var device = new RemoteDevice();
        try (var gradient = Ebb.compile(Ebb.grad(RemoteDeviceTest::scan)).on(device)) {
            gradient.apply(X);
            long before = device.reads();
            gradient.apply(X);
            assertThat(device.reads() - before).isEqualTo(1);
        }
    }

    @Test
    void recomputedValuesAreVerifiedThere() {
        var strategy = new RecomputeAll();
        try (var gradient =
                Ebb.compile(Ebb.grad(RemoteDeviceTest::chain))
                        .with(strategy)
                        .on(new RemoteDevice())) {
            var expected = run(RemoteDeviceTest::chain, Devices.reference(), Budget.unlimited());
            assertThat(gradient.verify(X).sameBits(expected)).isTrue();
        }
    }

    @Test
    void aTapeRunsThere() {
        var expected = run(RemoteDeviceTest::chain, Devices.reference(), Budget.unlimited());
        try (var tape = new Tape(Budget.kibibytes(16), new RemoteDevice())) {
            var x = tape.watch(X);
            var slope = tape.gradient(chain(x), x);
            assertThat(tape.array(slope).sameBits(expected)).isTrue();
        }
    }

    /** A failure on the queue reaches the host where it waits, and the next work runs. */
    @Test
    void aFailureIsHeardWhereTheHostWaits() {
        try (Queue queue = new RemoteDevice().open()) {
            var memory = queue.allocate(64).memory();
            queue.copy(memory, memory.slice(0, 8));
            assertThatThrownBy(queue::finish).isInstanceOf(IndexOutOfBoundsException.class);
            queue.clear(memory);
            queue.finish();
        }
    }
}
