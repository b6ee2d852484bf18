package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.Shape;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

/** A weight read at every step has one gradient, not one for each step. */
class TiedWeightsTest {
    private static final int WIDTH = 64;
    private static final long ROW = 4L * WIDTH;
    private static final long WEIGHT = ROW * WIDTH;

    /** Of each step remain its input and what the derivative reads. */
    private static final int ROWS_PER_STEP = 4;

    record Task(Tensor weight, Tensor x) {}

    private static Tensor loss(Tensor weight, Tensor x) {
        Tensor h = x.at(0, 0);
        for (int t = 1; t < x.dim(0); t++) h = h.matmul(weight).add(x.at(0, t)).tanh();
        return h.square().mean();
    }

    private static Task task(int steps) {
        var weight = new float[WIDTH * WIDTH];
        for (int i = 0; i < weight.length; i++) weight[i] = (i * 37 % 101 - 50) / 400f;
        var x = new float[steps * WIDTH];
        for (int i = 0; i < x.length; i++) x[i] = (i * 53 % 97 - 48) / 97f;
        return new Task(
                Array.of(Shape.of(WIDTH, WIDTH), weight), Array.of(Shape.of(steps, 1, WIDTH), x));
    }

    private static final Fn<Task, Tensor> GRADIENT =
            t -> Ebb.grad((Fn<Tensor, Tensor>) w -> loss(w, t.x())).apply(t.weight());

    private static long least(int steps) {
        try (var compiled = Ebb.compile(GRADIENT)) {
            return compiled.plan(task(steps)).leastBytes();
        }
    }

    @Test
    void theLeastBudgetDoesNotGrowByAWeightForEachStep() {
        long few = least(8);
        long many = least(32);
        assertThat(many - few).isLessThan((32 - 8) * ROWS_PER_STEP * ROW);
        assertThat(many).isLessThan(6 * WEIGHT);
    }

    @Test
    void theBitsAreThoseOfOneSumAfterTheOther() {
        var at = task(32);
        try (var plain = Ebb.compile(GRADIENT).unfused();
                var fused = Ebb.compile(GRADIENT);
                var least = Ebb.compile(GRADIENT).within(Budget.bytes(least(32)))) {
            var expected = (Array) plain.apply(at);
            assertThat(fused.apply(at).sameBits(expected)).isTrue();
            assertThat(least.apply(at).sameBits(expected)).isTrue();
        }
    }
}
