package dev.ebb.nn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.Next;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Shape;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.Mlp;
import dev.ebb.nn.model.ReversibleGpt;
import dev.ebb.nn.model.UNet;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.nn.optim.Sgd;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Curve;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

/**
 * The promised memory is the arena: at ten budgets from all down to the least it is at most two
 * percent larger than the peak of live bytes. These models are only planned; {@link BudgetsTest}
 * checks the same for the models that it runs.
 */
class ArenasTest {
    private static final int BUDGETS = 10;
    private static final Cpu CPU = new Cpu(2);
    @TempDir Path folder;

    private record Batch(Tensor x, Tensor y) {}

    private record State<M>(M model, Optimizer.State<M> optimizer) {}

    private static void packsTightly(Curve curve) {
        long all = curve.storeAllBytes();
        long least = curve.leastBytes();
        for (int i = 0; i < BUDGETS; i++) {
            long bytes = all - (all - least) * i / (BUDGETS - 1);
            var plan = curve.at(Budget.bytes(bytes));
            long live = plan.schedule().footprint().peakBytes();
            assertThat(plan.layout().arenaBytes())
                    .as("arena at %d of %d bytes", bytes, all)
                    .isLessThanOrEqualTo(live + live / 50);
        }
    }

    private static <M> Curve trained(
            Fn2<M, Batch, Tensor> loss, M start, Optimizer optimizer, Batch batch) {
        Fn2<State<M>, Batch, Next<State<M>, Tensor>> step =
                (s, b) -> {
                    var slope = Ebb.valueAndGrad((M m) -> loss.apply(m, b)).apply(s.model());
                    var next = optimizer.update(s.model(), slope.grad(), s.optimizer());
                    return new Next<>(new State<>(next.params(), next.state()), slope.value());
                };
        var state = new State<>(start, optimizer.start(start));
        try (var stepper = Ebb.stepper(step).on(CPU).start(state, batch)) {
            return stepper.plan().curve();
        }
    }

    private static Array ids(int... dims) {
        var shape = Shape.of(dims);
        return Array.of(shape, new long[(int) shape.size()]);
    }

    private static Array zeros(int... dims) {
        var shape = Shape.of(dims);
        return Array.of(shape, new float[(int) shape.size()]);
    }

    @Test
    void aGptInTraining() {
        var model = Gpt2.of(Gpt2.Config.of(256, 256, 256, 2, 4), new Seed(1));
        var batch = new Batch(ids(8, 256), ids(8, 256));
        packsTightly(
                trained((Gpt2 m, Batch b) -> m.loss(b.x(), b.y()), model, AdamW.of(1e-3), batch));
    }

    @Test
    void aPerceptronInTraining() {
        var model = Mlp.of(List.of(256, 1024, 1024, 256), Activation.RELU, new Seed(1));
        var batch = new Batch(zeros(64, 256), zeros(64, 256));
        packsTightly(
                trained(
                        (Mlp m, Batch b) -> m.apply(b.x()).mseLoss(b.y()),
                        model,
                        Sgd.of(0.1),
                        batch));
    }

    @Test
    void aReversibleGptInTraining() {
        var model = new ReversibleGpt(Gpt2.of(Gpt2.Config.of(256, 24, 32, 3, 2), new Seed(4)));
        var batch = new Batch(ids(4, 24), ids(4, 24));
        packsTightly(
                trained(
                        (ReversibleGpt m, Batch b) -> m.loss(b.x(), b.y()),
                        model,
                        AdamW.of(1e-3),
                        batch));
    }

    @Test
    void aLargerUNet() {
        record Task(UNet model, Tensor x, Tensor y) {}
        Fn<Task, Ebb.ValueAndGrad<UNet>> f =
                t -> Ebb.valueAndGrad((UNet m) -> m.apply(t.x()).mseLoss(t.y())).apply(t.model());
        var model = UNet.of(2, 1, 8, 4, new Seed(4));
        try (var compiled = Ebb.compile(f).on(CPU)) {
            var task = new Task(model, zeros(4, 2, 64, 64), zeros(4, 1, 64, 64));
            packsTightly(compiled.plan(task).curve());
        }
    }

    @Test
    void aGptWithADisk() {
        var model = Gpt2.of(Gpt2.Config.of(256, 64, 128, 2, 4), new Seed(1));
        var x = ids(2, 64);
        Fn<Gpt2, Ebb.ValueAndGrad<Gpt2>> f =
                m -> Ebb.valueAndGrad((Gpt2 g) -> g.loss(x, x)).apply(m);
        var budget = Budget.unlimited().with(Disk.in(folder, 256L << 20));
        try (var compiled = Ebb.compile(f).within(budget).on(CPU)) {
            packsTightly(compiled.plan(model).curve());
        }
    }
}
