package dev.ebb.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * A queue on a simulated driver that works in host memory and defers all work until it is waited
 * for.
 */
class CudaQueueTest {
    @TempDir private Path folder;

    private static long[] numbers(int count) {
        var data = new long[count];
        for (int i = 0; i < count; i++) data[i] = i + 1;
        return data;
    }

    @Test
    void memory_is_zero_at_first_and_not_the_hosts() {
        try (var queue = new CudaQueue(new SimulatedGpu(folder), new RecipeCache(Precision.F32))) {
            var memory = queue.allocate(64).memory();
            var back = numbers(8);
            queue.read(memory, MemorySegment.ofArray(back));
            assertThat(back).containsOnly(0);
            assertThatThrownBy(memory::segment).hasMessageContaining("not the host's");
            assertThatThrownBy(() -> memory.slice(60, 8))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void what_is_written_may_change_at_once() {
        int count = (int) (3 * Staging.MOST / 8 + 5);
        try (var queue = new CudaQueue(new SimulatedGpu(folder), new RecipeCache(Precision.F32))) {
            var memory = queue.allocate(8L * count).memory();
            var data = numbers(count);
            queue.write(MemorySegment.ofArray(data), memory);
            java.util.Arrays.fill(data, -1);
            var back = new long[count];
            queue.read(memory, MemorySegment.ofArray(back));
            assertThat(back).isEqualTo(numbers(count));
        }
    }

    @Test
    void many_small_writes_do_not_run_into_each_other() {
        try (var queue = new CudaQueue(new SimulatedGpu(folder), new RecipeCache(Precision.F32))) {
            var memory = queue.allocate(8 * 1000).memory();
            for (int i = 0; i < 1000; i++)
                queue.write(MemorySegment.ofArray(new long[] {i}), memory.slice(8L * i, 8));
            var back = new long[1000];
            queue.read(memory, MemorySegment.ofArray(back));
            for (int i = 0; i < 1000; i++) assertThat(back[i]).isEqualTo(i);
        }
    }

    @Test
    void a_copy_may_overlap_either_way() {
        try (var queue = new CudaQueue(new SimulatedGpu(folder), new RecipeCache(Precision.F32))) {
            var memory = queue.allocate(8 * 10).memory();
            var back = new long[10];
            queue.write(MemorySegment.ofArray(numbers(10)), memory);
            queue.copy(memory.slice(0, 56), memory.slice(16, 56));
            queue.read(memory, MemorySegment.ofArray(back));
            assertThat(back).containsExactly(1, 2, 1, 2, 3, 4, 5, 6, 7, 10);
            queue.write(MemorySegment.ofArray(numbers(10)), memory);
            queue.copy(memory.slice(24, 56), memory.slice(0, 56));
            queue.read(memory, MemorySegment.ofArray(back));
            assertThat(back).containsExactly(4, 5, 6, 7, 8, 9, 10, 8, 9, 10);
            assertThatThrownBy(() -> queue.copy(memory, memory.slice(0, 8)))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void what_does_not_fit_is_refused_with_both_numbers() {
        try (var queue = new CudaQueue(new SimulatedGpu(folder), new RecipeCache(Precision.F32))) {
            assertThatThrownBy(() -> queue.allocate(1L << 40))
                    .isInstanceOf(CudaException.class)
                    .hasMessageContaining("1099511627776 bytes")
                    .hasMessageContaining("268435456 are free");
        }
    }

    @Test
    void a_recorded_run_repeats_what_was_put_on_the_queue() {
        var gpu = new SimulatedGpu(folder);
        try (var queue = new CudaQueue(gpu, new RecipeCache(Precision.F32))) {
            var memory = queue.allocate(16).memory();
            var whole =
                    queue.recorded(() -> queue.copy(memory.slice(0, 8), memory.slice(8, 8)))
                            .orElseThrow();
            var back = new long[2];
            for (long value = 5; value < 8; value++) {
                queue.write(MemorySegment.ofArray(new long[] {value}), memory.slice(0, 8));
                whole.run();
                queue.read(memory, MemorySegment.ofArray(back));
                assertThat(back).containsExactly(value, value);
            }
            assertThat(gpu.streams().launches).isEqualTo(3);
        }
    }

    @Test
    void times_go_forward() {
        try (var queue = new CudaQueue(new SimulatedGpu(folder), new RecipeCache(Precision.F32))) {
            var first = queue.event();
            var second = queue.event();
            first.mark();
            second.mark();
            queue.finish();
            assertThat(second.nanos()).isGreaterThanOrEqualTo(first.nanos());
        }
    }

    @Test
    void an_error_of_the_card_ends_the_program_in_words() {
        var gpu = new SimulatedGpu(folder);
        var queue = new CudaQueue(gpu, new RecipeCache(Precision.F32));
        var memory = queue.allocate(64).memory();
        queue.copy(memory.slice(0, 8), memory.slice(32, 8));
        gpu.streams().failing = 0;
        assertThatThrownBy(queue::finish)
                .isInstanceOf(CudaException.class)
                .hasMessageContaining("CUDA_ERROR_ILLEGAL_ADDRESS")
                .hasMessageContaining("a copy of 8 bytes")
                .hasMessageContaining("checkpoint");
        assertThatThrownBy(() -> queue.clear(memory)).hasMessageContaining("the card is lost");
        queue.close();
    }

    @Test
    void closing_gives_everything_back() {
        var gpu = new SimulatedGpu(folder);
        var queue = new CudaQueue(gpu, new RecipeCache(Precision.F32));
        queue.allocate(64);
        queue.allocate(64).close();
        var event = queue.event();
        event.mark();
        queue.recorded(() -> {}).orElseThrow().run();
        queue.close();
        queue.close();
        assertThat(gpu.streams().held()).isZero();
    }
}
