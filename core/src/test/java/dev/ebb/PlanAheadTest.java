package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.plan.Budget;
import dev.ebb.plan.cost.Roofline;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.List;

/** Plans exist before memory does; states are read piece by piece; gradients bring more along. */
class PlanAheadTest {
    record State(Tensor weight, List<Tensor> moments) {}

    private static final Tensor X = Array.of(Shape.of(2, 3), 1f, -2f, 3f, 0.5f, 4f, -1f);

    private static Next<State, Tensor> step(State s, Tensor x) {
        var loss =
                Ebb.valueAndGrad((Tensor w) -> x.matmul(w).tanh().square().sum()).apply(s.weight);
        var moment = s.moments.getFirst().mul(0.9).add(loss.grad());
        return new Next<>(new State(s.weight.sub(moment.mul(0.1)), List.of(moment)), loss.value());
    }

    private static State start() {
        var weight = Array.of(Shape.of(3, 2), 0.1f, 0.2f, -0.3f, 0.4f, 0.5f, -0.6f);
        return new State(weight, List.of(Array.make(weight.type(), _ -> {})));
    }

    @Test
    void what_no_memory_would_hold_can_be_planned() {
        int side = 1 << 20;
        try (var f = Ebb.compile((Tensor x) -> x.mul(x.transpose()).exp().sum())) {
            // a square of 2^40 floats, of which fusion leaves nothing
            assertThat(f.plan(row(side)).peakBytes()).isPositive();
        }
        try (var f = Ebb.compile((Tensor x) -> x.mul(x.transpose()).cumsum(0).cumsum(1).sum())) {
            assertThat(f.plan(row(side)).peakBytes()).isGreaterThan(1L << 42);
        }
    }

    private static Array row(int side) {
        return Array.make(Array.of(Shape.of(1, side), new float[side]).type(), _ -> {});
    }

    @Test
    void a_step_is_planned_as_its_stepper_would_be() {
        var device = Devices.best();
        var cost = Roofline.typical();
        var plan = Ebb.stepper(PlanAheadTest::step).on(device).costing(cost).plan(start(), X);
        try (var stepper = Ebb.stepper(PlanAheadTest::step).start(start(), X)) {
            assertThat(plan.peakBytes()).isEqualTo(stepper.plan().peakBytes());
            assertThat(plan.explain()).isEqualTo(stepper.plan().explain());
        }
        var little = Budget.bytes(plan.leastBytes() - 1);
        assertThatThrownBy(
                        () ->
                                Ebb.stepper(PlanAheadTest::step)
                                        .within(little)
                                        .on(device)
                                        .costing(cost)
                                        .plan(start(), X))
                .hasMessageContaining("is too small");
    }

    @Test
    void a_state_is_written_piece_by_piece() {
        var types = Tensorwise.list(start()).stream().map(Tensor::type).toList();
        var blank = Tensorwise.rebuild(start(), Array.zeros(types));
        try (var whole = Ebb.stepper(PlanAheadTest::step).start(start(), X);
                var pieces = Ebb.stepper(PlanAheadTest::step).start(blank, X)) {
            whole.step(X);
            for (int i = 0; i < 2; i++) pieces.restore(i, whole.state(i));
            assertThat(pieces.step(X).sameBits((Array) whole.step(X))).isTrue();
            assertThat(pieces.state(1).sameBits(whole.state(1))).isTrue();
            assertThatThrownBy(() -> pieces.restore(1, Array.scalar(1f)))
                    .hasMessageContaining("tensor 1 of the state")
                    .hasMessageContaining("moments");
            assertThatThrownBy(() -> pieces.restore(2, Array.scalar(1f)))
                    .hasMessageContaining("no tensor 2");
        }
    }

    @Test
    void a_state_is_read_piece_by_piece() {
        try (var stepper = Ebb.stepper(PlanAheadTest::step).start(start(), X)) {
            stepper.step(X);
            var whole = Tensorwise.list(stepper.state());
            for (int i = 0; i < whole.size(); i++)
                assertThat(stepper.state(i).toDoubles()).isEqualTo(whole.get(i).toDoubles());
            assertThatThrownBy(() -> stepper.state(2)).hasMessageContaining("2 tensors");
        }
    }

    @Test
    void a_loss_tells_more_than_its_value() {
        record Told(Tensor scores, List<Tensor> counts) {}
        Fn<Tensor, Ebb.WithExtra<Told>> f =
                w -> {
                    var scores = X.matmul(w);
                    var positive = scores.gt(scores.literal(0)).cast(DType.I32).sum();
                    return new Ebb.WithExtra<>(
                            scores.square().sum(), new Told(scores, List.of(positive)));
                };
        var weight = start().weight;
        var plain = Ebb.valueAndGrad((Tensor w) -> X.matmul(w).square().sum()).apply(weight);
        try (var compiled = Ebb.compile(Ebb.valueGradAndExtra(f))) {
            for (var result :
                    List.of(Ebb.valueGradAndExtra(f).apply(weight), compiled.apply(weight))) {
                assertThat(result.value().item()).isEqualTo(plain.value().item());
                assertThat(result.grad().toDoubles()).isEqualTo(plain.grad().toDoubles());
                var scores = result.extra().scores.toDoubles();
                assertThat(scores).isEqualTo(X.matmul(weight).toDoubles());
                long positive = java.util.Arrays.stream(scores).filter(s -> s > 0).count();
                assertThat(result.extra().counts.getFirst().item()).isEqualTo(positive);
            }
        }
        assertThatThrownBy(
                        () ->
                                Ebb.valueGradAndExtra(
                                                (Tensor w) -> new Ebb.WithExtra<>(w, List.of()))
                                        .apply(weight))
                .isInstanceOf(ShapeException.class)
                .hasMessageContaining("sum() or mean()");
    }
}
