package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.List;

/** A process whose inputs are of several kinds has one state, whichever of them it is fed. */
class StepKindsTest {
    private static final int SIDE = 48;
    private static final Tensor SHARED = numbers(7, SIDE);

    record State(Tensor w, Tensor count) {}

    private static Tensor numbers(int seed, int rows) {
        return Key.of(seed).normal(Type.of(DType.F32, rows, SIDE)).mul(0.1);
    }

    /** Closes over the same large array for every kind of input, in an order of its own. */
    private static Next<State, Tensor> step(State s, Tensor x) {
        var hidden =
                x.dim(0) > 4
                        ? x.matmul(SHARED).tanh().matmul(s.w)
                        : x.mul(numbers(x.dim(0), x.dim(0))).matmul(SHARED).tanh().matmul(s.w);
        var gradient = SHARED.transpose().matmul(hidden.transpose()).matmul(x).mul(0.01);
        return new Next<>(new State(s.w.sub(gradient), s.count.add(1)), hidden.sum());
    }

    private static State start() {
        return new State(numbers(1, SIDE), Array.of(0.0));
    }

    @Test
    void each_kind_gives_the_bits_it_has_alone() {
        var kinds = List.of(numbers(2, 3), numbers(3, 16), numbers(4, 2));
        try (var all =
                Ebb.stepper(StepKindsTest::step).on(Devices.best()).startForEach(start(), kinds)) {
            var state = start();
            for (int i = 0; i < 7; i++) {
                var x = numbers(10 + i, kinds.get(i % 3).dim(0));
                try (var one =
                        Ebb.stepper(StepKindsTest::step).on(Devices.best()).start(state, x)) {
                    assertThat(all.step(x).sameBits(one.step(x))).isTrue();
                    state = one.state();
                }
                assertThat(all.state().w.sameBits(state.w)).isTrue();
                var report = all.report();
                assertThat(report.measuredBytes())
                        .isEqualTo(report.promisedBytes())
                        .isLessThanOrEqualTo(all.promisedBytes());
            }
            assertThat(all.state().count.item()).isEqualTo(7);
            assertThatThrownBy(() -> all.step(numbers(1, 5))).hasMessageContaining(" or ");
        }
    }

    @Test
    void weights_are_there_once_and_the_budget_holds_for_all() {
        var small = numbers(2, 3);
        var large = numbers(3, 16);
        var stepping = Ebb.stepper(StepKindsTest::step).on(Devices.best());
        try (var first = stepping.start(start(), small);
                var second = stepping.start(start(), large);
                var both = stepping.startForEach(start(), List.of(small, large))) {
            // the smaller kind closes over three rows of its own
            long extra = SHARED.type().bytes() / SIDE * 3 + 64;
            assertThat(both.promisedBytes())
                    .isBetween(second.promisedBytes(), second.promisedBytes() + extra);
            assertThat(first.promisedBytes()).isLessThan(second.promisedBytes());
        }
        long least = stepping.plan(start(), large).leastBytes();
        var tight = stepping.within(Budget.bytes(least));
        assertThatThrownBy(() -> tight.startForEach(start(), List.of(small, large)))
                .isInstanceOf(OverBudgetException.class)
                .hasMessageContainingAll("2 kinds of input", "smaller inputs");
        try (var both = tight.startForEach(start(), List.of(large, numbers(5, 15)))) {
            assertThat(both.promisedBytes()).isLessThanOrEqualTo(least);
        }
    }
}
