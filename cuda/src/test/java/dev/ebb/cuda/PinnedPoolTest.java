package dev.ebb.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.ir.Memory;
import dev.ebb.ir.Shape;
import dev.ebb.plan.Budget;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Host;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Random;

/** Pinned host memory as a place for a card's values. */
class PinnedPoolTest {
    @TempDir private Path folder;

    private static long[] numbers(int count, long from) {
        var data = new long[count];
        for (int i = 0; i < count; i++) data[i] = from + i;
        return data;
    }

    @Test
    void what_was_stored_comes_back_after_the_memory_was_used_otherwise() {
        var gpu = new SimulatedGpu(folder);
        var streams = gpu.streams();
        int before = streams.held();
        try (var queue = new CudaQueue(gpu, new RecipeCache(Precision.F32))) {
            var memory = queue.allocate(8 * 100).memory();
            try (var pool = queue.hostPool(Host.Kind.PINNED, 8 * 150)) {
                queue.write(MemorySegment.ofArray(numbers(100, 1)), memory);
                var ready = queue.event();
                ready.mark();
                pool.store(memory, ready, 8 * 50);
                queue.write(MemorySegment.ofArray(numbers(100, 1000)), memory);
                ready.mark();
                pool.load(8 * 50, memory, ready);
                var back = new long[100];
                queue.read(memory, MemorySegment.ofArray(back));
                assertThat(back).isEqualTo(numbers(100, 1));
            }
        }
        assertThat(streams.held()).isEqualTo(before);
    }

    @Test
    void what_the_host_gives_before_the_first_run_comes_back() {
        try (var queue = new CudaQueue(new SimulatedGpu(folder), new RecipeCache(Precision.F32));
                var pool = queue.hostPool(Host.Kind.PINNED, 8 * 150)) {
            var ready = queue.event();
            ready.mark();
            pool.store(Memory.of(MemorySegment.ofArray(numbers(100, 7))), ready, 8 * 50);
            var back = new long[100];
            pool.load(8 * 50, Memory.of(MemorySegment.ofArray(back)), ready);
            assertThat(back).isEqualTo(numbers(100, 7));
        }
    }

    @Test
    void a_queue_that_is_closed_says_so() {
        var queue = new CudaQueue(new SimulatedGpu(folder), new RecipeCache(Precision.F32));
        var memory = queue.allocate(64).memory();
        var pool = queue.hostPool(Host.Kind.PINNED, 64);
        var ready = queue.event();
        ready.mark();
        queue.close();
        assertThatThrownBy(() -> pool.store(memory, ready, 0)).hasMessageContaining("closed");
    }

    @Test
    void a_program_with_places_is_recorded_and_has_the_bits_of_one_without() {
        assumeTrue(
                InstalledPrograms.has("g++"),
                "no g++ on the PATH: programs are not tried without a card");
        var gpu = new SimulatedGpu(folder);
        var cuda = new Cuda(gpu, Precision.F32);
        var data = new float[64 * 64];
        var random = new Random(3);
        for (int i = 0; i < data.length; i++) data[i] = random.nextFloat() - 0.5f;
        var x = Array.of(Shape.of(64, 64), data);
        Fn<Tensor, Tensor> f =
                v -> {
                    Tensor h = v;
                    for (int i = 0; i < 8; i++) h = h.add(h.cumsum(i % 2).softmax(1).mul(v));
                    return h.square().mean();
                };
        try (var all = Ebb.compile(Ebb.grad(f)).on(cuda)) {
            var expected = (Array) all.apply(x);
            long least = all.plan(x).leastBytes();
            var budget = Budget.bytes(least - 1).with(Host.pinned(1L << 24));
            int before = gpu.streams().launches;
            try (var away = Ebb.compile(Ebb.grad(f)).on(cuda).within(budget)) {
                for (int run = 0; run < 3; run++)
                    assertThat(((Array) away.apply(x)).sameBits(expected)).isTrue();
                assertThat(gpu.streams().launches).as("as graphs").isEqualTo(before + 3);
                var pinned = away.report().places().getFirst();
                assertThat(pinned.measuredBytes()).isEqualTo(pinned.promisedBytes()).isPositive();
            }
        }
        assertThat(gpu.streams().held()).as("all was given back").isZero();
    }

    @Test
    void a_program_on_a_card_has_the_bits_of_one_without_places() {
        OnCard.require();
        var random = new Random(3);
        // so large that the library's workspace, which is never moved, is a small part of it all
        int size = 4096;
        var data = new float[size * size];
        for (int i = 0; i < data.length; i++) data[i] = (random.nextFloat() - 0.5f) / 64;
        var x = Array.of(Shape.of(size, size), data);
        Fn<Tensor, Tensor> f =
                v -> {
                    Tensor h = v;
                    for (int i = 0; i < 12; i++) h = h.add(h.matmul(v).tanh());
                    return h.square().mean();
                };
        try (var all = Ebb.compile(Ebb.grad(f)).on(OnCard.device())) {
            var expected = (Array) all.apply(x);
            long least = all.plan(x).leastBytes();
            var budget =
                    Budget.bytes((long) (0.7 * least))
                            .with(Host.pinned(4L << 30))
                            .with(Disk.in(folder, 4L << 30));
            try (var away = Ebb.compile(Ebb.grad(f)).on(OnCard.device()).within(budget)) {
                for (int run = 0; run < 3; run++)
                    assertThat(((Array) away.apply(x)).sameBits(expected)).isTrue();
                var report = away.report();
                assertThat(report.measuredBytes())
                        .isEqualTo(report.promisedBytes())
                        .isLessThanOrEqualTo(budget.resolve(0));
                var pinned = report.places().getFirst();
                assertThat(pinned.measuredBytes()).isEqualTo(pinned.promisedBytes()).isPositive();
            }
        }
    }
}
