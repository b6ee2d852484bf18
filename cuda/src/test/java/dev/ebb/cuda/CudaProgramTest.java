package dev.ebb.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ebb.Devices;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.Tape;
import dev.ebb.exec.Device;
import dev.ebb.ir.Shape;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Random;

/** Whole programs through the device, on a simulated GPU. */
class CudaProgramTest {
    @TempDir private Path folder;

    private static final Array X = noise(40, 40);

    private static Array noise(int rows, int columns) {
        var random = new Random(7);
        var data = new float[rows * columns];
        for (int i = 0; i < data.length; i++) data[i] = random.nextFloat() - 0.5f;
        return Array.of(Shape.of(rows, columns), data);
    }

    @BeforeEach
    void needsCompiler() {
        assumeTrue(
                InstalledPrograms.has("g++"),
                "no g++ on the PATH: programs are not tried without a card");
    }

    private static Tensor chain(Tensor x) {
        Tensor h = x;
        for (int i = 0; i < 3; i++) h = h.matmul(x).tanh().softmax(1);
        return h.square().sum();
    }

    private static Array run(Fn<Tensor, Tensor> f, Device device, Budget budget, Array x) {
        try (var gradient = Ebb.compile(Ebb.grad(f)).within(budget).on(device)) {
            gradient.apply(x);
            return (Array) gradient.apply(x);
        }
    }

    private static void agree(Array actual, Array expected) {
        var got = actual.toDoubles();
        var want = expected.toDoubles();
        for (int i = 0; i < want.length; i++)
            assertThat(got[i]).isCloseTo(want[i], org.assertj.core.data.Offset.offset(1e-5));
    }

    @Test
    void a_gradient_is_recorded_once_and_has_the_same_bits_at_every_budget() {
        var gpu = new SimulatedGpu(folder);
        var cuda = new Cuda(gpu, Precision.F32);
        var expected = run(CudaProgramTest::chain, Devices.reference(), Budget.unlimited(), X);
        var full = run(CudaProgramTest::chain, cuda, Budget.unlimited(), X);
        agree(full, expected);
        assertThat(gpu.streams().launches).isEqualTo(2);
        long least;
        try (var gradient = Ebb.compile(Ebb.grad(CudaProgramTest::chain)).on(cuda)) {
            least = gradient.plan(X).leastBytes();
        }
        var small = run(CudaProgramTest::chain, cuda, Budget.bytes(least), X);
        assertThat(small.sameBits(full)).isTrue();
        assertThat(gpu.streams().held()).as("all was given back").isZero();
    }

    @Test
    void the_promised_peak_is_the_measured_one_and_kernels_compile_together() {
        var gpu = new SimulatedGpu(folder);
        try (var gradient =
                Ebb.compile(Ebb.grad(CudaProgramTest::chain)).on(new Cuda(gpu, Precision.F32))) {
            gradient.apply(X);
            var report = gradient.report();
            assertThat(report.measuredBytes()).isEqualTo(report.promisedBytes());
            assertThat(report.kernels()).as("of a recorded run").isEmpty();
            assertThat(gpu.builds()).isEqualTo(1);
        }
    }

    @Test
    void a_loop_of_known_length_is_recorded_and_one_that_the_data_end_is_run_by_the_host() {
        var gpu = new SimulatedGpu(folder);
        var cuda = new Cuda(gpu, Precision.F32);
        Fn<Tensor, Tensor> scan = x -> Loop.repeat(5, x, h -> h.matmul(x).tanh()).sum();
        Fn<Tensor, Tensor> open =
                x ->
                        Loop.whileTrue(
                                        50,
                                        x,
                                        h -> h.square().sum().gt(h.literal(0.1)),
                                        h -> h.mul(0.5))
                                .sum();
        agree(
                run(open, cuda, Budget.unlimited(), X),
                run(open, Devices.reference(), Budget.unlimited(), X));
        assertThat(gpu.streams().launches).isZero();
        var all = run(scan, cuda, Budget.unlimited(), X);
        agree(all, run(scan, Devices.reference(), Budget.unlimited(), X));
        assertThat(gpu.streams().launches).isEqualTo(2);
        long least;
        try (var gradient = Ebb.compile(Ebb.grad(scan)).on(cuda)) {
            least = gradient.plan(X).leastBytes();
        }
        assertThat(run(scan, cuda, Budget.bytes(least), X).sameBits(all))
                .as("reversed from checkpoints")
                .isTrue();
        assertThat(gpu.streams().launches).isEqualTo(4);
    }

    @Test
    void a_loop_with_more_launches_than_are_recorded_is_run_by_the_host() {
        var gpu = new SimulatedGpu(folder);
        int rounds = CudaQueue.MOST_RECORDED + 1;
        var x = Array.of(1.0f, 2.0f);
        try (var loop =
                Ebb.compile((Tensor v) -> Loop.repeat(rounds, v, h -> h.mul(0.999).add(0.5)))
                        .on(new Cuda(gpu, Precision.F32))) {
            for (int i = 0; i < 2; i++)
                assertThat(((Array) loop.apply(x)).toDoubles()[1]).isBetween(499.9, 500.1);
        }
        assertThat(gpu.streams().launches).isZero();
        assertThat(gpu.streams().held()).isZero();
    }

    @Test
    void plain_java_runs_on_copies() {
        Fn<Tensor, Tensor> f = x -> x.sort(1, true).values().mul(x).sum();
        agree(
                run(f, new Cuda(new SimulatedGpu(folder), Precision.F32), Budget.unlimited(), X),
                run(f, Devices.reference(), Budget.unlimited(), X));
    }

    @Test
    void an_index_out_of_bounds_is_refused_as_everywhere() {
        Fn<Tensor, Tensor> f = i -> X.indexSelect(0, i).sum();
        var bad = Array.of(Shape.of(2), new int[] {3, 40});
        var cuda = new Cuda(new SimulatedGpu(folder), Precision.F32);
        try (var compiled = Ebb.compile(f).on(cuda);
                var reference = Ebb.compile(f).on(Devices.reference())) {
            assertThatThrownBy(() -> compiled.apply(bad))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessageContaining("index 40 is outside an axis of 40 elements");
            assertThatThrownBy(() -> reference.apply(bad))
                    .hasMessageContaining("index 40 is outside an axis of 40 elements");
            var good = Array.of(Shape.of(2), new int[] {3, 4});
            assertThat(compiled.apply(good).toDoubles()[0])
                    .isCloseTo(
                            reference.apply(good).toDoubles()[0],
                            org.assertj.core.data.Offset.offset(1e-5));
        }
    }

    @Test
    void a_tape_runs_there() {
        var expected = run(CudaProgramTest::chain, Devices.reference(), Budget.unlimited(), X);
        try (var tape =
                new Tape(Budget.mebibytes(64), new Cuda(new SimulatedGpu(folder), Precision.F32))) {
            var x = tape.watch(X);
            agree(tape.array(tape.gradient(chain(x), x)), expected);
        }
    }
}
