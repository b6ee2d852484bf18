package dev.ebb.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.ebb.Ebb;
import dev.ebb.Evaluation;
import dev.ebb.Fn2;
import dev.ebb.Next;
import dev.ebb.Stepping;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Shape;
import dev.ebb.nn.model.Mlp;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A step and an evaluation in one arena: no more memory than the larger takes, the same bits. */
class EvaluationTest {
    private static final Cpu CPU = new Cpu(2);
    private static final AdamW RULE = AdamW.of(0.01);

    /** Captured by step and evaluation: neither may overwrite the other's inputs. */
    private static final Array SCALE = Array.of(Shape.of(3), 1f, 2f, 3f);

    private static final Array WEIGHTS = Array.of(Shape.of(3), 3f, 2f, 1f);

    private record State(Mlp net, Optimizer.State<Mlp> optimizer) {}

    private record Batch(Tensor x, Tensor y) {}

    private static final Fn2<State, Batch, Next<State, Tensor>> STEP =
            (s, b) -> {
                var loss =
                        Ebb.valueAndGrad((Mlp net) -> net.apply(b.x()).mul(SCALE).mseLoss(b.y()))
                                .apply(s.net());
                var next = RULE.update(s.net(), loss.grad(), s.optimizer());
                return new Next<>(new State(next.params(), next.state()), loss.value());
            };

    private static final Fn2<State, Batch, Tensor> ERROR =
            (s, b) -> s.net().apply(b.x()).sub(b.y()).abs().mul(WEIGHTS).mean();

    private static Array draws(int rows, int columns, Seed seed) {
        var values = new float[rows * columns];
        for (int i = 0; i < values.length; i++) values[i] = (float) seed.normal(i);
        return Array.of(Shape.of(rows, columns), values);
    }

    private static Batch batch(int rows, int seed) {
        return new Batch(
                draws(rows, 6, new Seed(seed)), draws(rows, 3, new Seed(seed).of("targets")));
    }

    private static State start() {
        var net = Mlp.of(List.of(6, 40, 40, 3), Activation.GELU, new Seed(1));
        return new State(net, RULE.start(net));
    }

    private static Stepping<State, Batch, Tensor> stepping() {
        return Ebb.stepper(STEP).on(CPU);
    }

    private static List<Double> together(Budget budget, int rows, int evaluated) {
        var seen = new ArrayList<Double>();
        long measured = 0;
        try (Evaluation.Evaluated<State, Batch, Tensor, Batch, Tensor> both =
                stepping()
                        .within(budget)
                        .start(start(), batch(rows, 0), ERROR, batch(evaluated, 0))) {
            for (int i = 0; i < 6; i++) {
                seen.add(both.stepper().step(batch(rows, i)).item());
                measured = Math.max(measured, both.stepper().report().measuredBytes());
                if (i % 2 == 0) continue;
                for (int j = 0; j < 2; j++) {
                    seen.add(both.evaluation().apply(batch(evaluated, 100 + j)).item());
                    measured = Math.max(measured, both.evaluation().report().measuredBytes());
                }
            }
            assertThat(measured).isEqualTo(both.plan().peakBytes());
        }
        return seen;
    }

    /** A stepper alone, and a compiled function of a copy of its state. */
    private static List<Double> apart(int rows, int evaluated) {
        var seen = new ArrayList<Double>();
        try (var stepper = stepping().start(start(), batch(rows, 0));
                var error = Ebb.compile(ERROR).on(CPU)) {
            for (int i = 0; i < 6; i++) {
                seen.add(stepper.step(batch(rows, i)).item());
                if (i % 2 == 0) continue;
                for (int j = 0; j < 2; j++)
                    seen.add(error.apply(stepper.state(), batch(evaluated, 100 + j)).item());
            }
        }
        return seen;
    }

    @Test
    void bothHaveTheBitsThatTheyHaveApart() {
        assertThat(together(Budget.unlimited(), 32, 48)).isEqualTo(apart(32, 48));
        assertThat(together(Budget.unlimited(), 8, 500)).isEqualTo(apart(8, 500));
    }

    @Test
    void theArenaIsThatOfTheLarger() {
        for (int evaluated : new int[] {8, 2000}) {
            var both = stepping().plan(start(), batch(64, 0), ERROR, batch(evaluated, 0));
            long step = both.step().layout().arenaBytes();
            long evaluation = both.evaluation().layout().arenaBytes();
            long own = both.peakBytes() - Math.max(step, evaluation);
            var alone = stepping().plan(start(), batch(64, 0));
            assertThat(step).isEqualTo(alone.layout().arenaBytes());
            assertThat(own).isBetween(0L, 2 * alone.workerBytes() + (1 << 20));
            assertThat(evaluation > step).isEqualTo(evaluated == 2000);
        }
    }

    @Test
    void aSmallBudgetHoldsForBothTogether() {
        long all = stepping().plan(start(), batch(64, 0), ERROR, batch(64, 0)).peakBytes();
        long least = stepping().plan(start(), batch(64, 0)).leastBytes();
        var expected = apart(64, 64);
        long middle = (all + least) / 2;
        assertThat(together(Budget.bytes(middle), 64, 64)).isEqualTo(expected);
        assertThat(
                        stepping()
                                .within(Budget.bytes(middle))
                                .plan(start(), batch(64, 0), ERROR, batch(64, 0))
                                .peakBytes())
                .isLessThanOrEqualTo(middle);
        assertThatThrownBy(() -> together(Budget.bytes(least / 2), 64, 64))
                .isInstanceOf(OverBudgetException.class);
    }

    @Test
    void withADiskItRunsWhereTheStateStaysAndIsRefusedWhereNot(@TempDir Path folder) {
        long least = stepping().plan(start(), batch(64, 0)).leastBytes();
        var disk = Disk.in(folder, 8L << 20);
        var enough = Budget.bytes(least + least / 4).with(disk);
        assertThat(together(enough, 64, 16)).isEqualTo(apart(64, 16));
        // the least memory for a step alone, with its state offloaded in between
        var tiny = stepping().within(Budget.bytes(1).with(disk));
        long away =
                catchThrowableOfType(
                                OverBudgetException.class, () -> tiny.plan(start(), batch(64, 0)))
                        .leastBytes();
        var small = Budget.bytes(away).with(disk);
        assertThatThrownBy(() -> together(small, 64, 16))
                .isInstanceOf(OverBudgetException.class)
                .hasMessageContaining(
                        "on the disk, where an evaluation in the same arena cannot read it");
    }

    @Test
    void anEvaluationEndsWithItsStepper() {
        var both = stepping().start(start(), batch(8, 0), ERROR, batch(8, 0));
        assertThatThrownBy(() -> both.evaluation().apply(batch(9, 0)))
                .hasMessageContaining("compiled for inputs like");
        both.close();
        assertThatThrownBy(() -> both.evaluation().apply(batch(8, 0)))
                .hasMessageContaining("closed");
    }
}
