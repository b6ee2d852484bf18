package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.Arrays;

/** The arena of a loop's body is workspace, and may be larger than an int can say. */
class LargeWorkspaceTest {
    private static Fn<Tensor, Tensor> outer(int n) {
        return x -> Loop.repeat(2, x, c -> c.add(c.reshape(n, 1).matmul(c.reshape(1, n)).mean()));
    }

    private static Array ones(int n) {
        var ones = new float[n];
        Arrays.fill(ones, 1);
        return Array.of(ones);
    }

    @Test
    void aLoopIsPlannedWhoseBodyTakesGibibytes() {
        for (int n : new int[] {2_000, 23_000, 30_000, 46_000}) {
            long product = 4L * n * n;
            try (var loop = Ebb.compile(outer(n)).on(Devices.best())) {
                var plan = loop.plan(ones(n));
                assertThat(plan.peakBytes()).isBetween(product, product + 64L * n);
                assertThat(plan.leastBytes()).isLessThanOrEqualTo(plan.peakBytes());
            }
            var less = Budget.bytes(product);
            try (var loop = Ebb.compile(outer(n)).within(less).on(Devices.best())) {
                assertThatThrownBy(() -> loop.plan(ones(n))).hasMessageContaining("is too small");
            }
        }
    }
}
