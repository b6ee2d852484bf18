package dev.ebb.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import dev.ebb.Ebb;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;

/** Results lie in the memory of donated arguments: calls make no new arrays. */
class DonatedMemoryTest {
    private static final int SIZE = 1 << 20;

    private static long allocated(boolean donating) {
        var bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        var plain = Ebb.compile((Tensor x) -> x.add(1));
        try (var f = donating ? plain.donating() : plain) {
            Tensor x = Array.of(Shape.of(SIZE), new float[SIZE]);
            for (int i = 0; i < 12; i++) x = f.apply(x);
            long before = bean.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 8; i++) x = f.apply(x);
            assertThat(x.get(SIZE - 1)).isEqualTo(20);
            return bean.getCurrentThreadAllocatedBytes() - before;
        }
    }

    @Test
    void noNewArraysAreMade() {
        assertThat(allocated(false)).isGreaterThan(8L * 4 * SIZE);
        assertThat(allocated(true)).isLessThan(4L * SIZE);
    }
}
