package dev.ebb.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.exec.timing.Timed;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

/** Costs of kernels that were measured on a card. */
class CudaTimedTest {

    private static double seconds(Timed timed, int size) {
        var x = Array.of(Shape.of(size), new float[size]);
        try (var compiled =
                Ebb.compile((Tensor v) -> v.mul(2).add(1)).on(OnCard.device()).costing(timed)) {
            return compiled.plan(x).cost();
        }
    }

    @Test
    void kernels_cost_what_they_take_in_a_recorded_step() {
        OnCard.require();
        var timed = Timed.on(OnCard.device());
        int large = 1 << 26;
        double bytes = 2.0 * 4 * large;
        assertThat(seconds(timed, large))
                .as("a pass over memory")
                .isBetween(bytes / 6e12, bytes / 2e12);
        assertThat(seconds(timed, 16)).as("a small kernel, not its launch").isLessThan(4e-6);
        assertThat(timed.prices().machine()).contains(OnCard.device().signature());
    }
}
