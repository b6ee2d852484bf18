package dev.ebb.nn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.Next;
import dev.ebb.Tensorwise;
import dev.ebb.cpu.Cpu;
import dev.ebb.exec.program.Program;
import dev.ebb.ir.Shape;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.Mlp;
import dev.ebb.nn.model.ResNet;
import dev.ebb.nn.model.UNet;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.nn.optim.Sgd;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Plan;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Real models at ten budgets from all down to the least: the measured peak equals the promised one,
 * the bits are those of keeping everything, and less memory never has a smaller predicted time.
 */
class BudgetsTest {
    private static final int BUDGETS = 10;
    private static final Cpu CPU = new Cpu(2);

    /** The largest allowed ratio of an arena to its peak of live bytes. */
    private static final double ARENA = 1.02;

    /** {@code f} captures nothing: all its inputs are in its argument. */
    private static <P, R> void holdsAtEveryBudget(Fn<P, R> f, P at) {
        try (var compiled = Ebb.compile(f).on(CPU)) {
            var curve = compiled.plan(at).curve();
            var arguments = leaves(at);
            long all = curve.storeAllBytes();
            long least = curve.ownLeast();
            assertThat(least).isLessThan(all);
            var expected = List.<MemorySegment>of();
            double cost = 0;
            for (int i = 0; i < BUDGETS; i++) {
                long bytes = all - (all - least) * i / (BUDGETS - 1);
                var plan = curve.at(Budget.bytes(bytes));
                assertThat(plan.cost())
                        .isGreaterThanOrEqualTo(cost * (1 - 1e-12)); // sums in another order
                assertThat(plan.peakBytes()).isLessThanOrEqualTo(bytes);
                cost = plan.cost();
                assertThat((double) plan.layout().arenaBytes())
                        .isLessThanOrEqualTo(ARENA * plan.schedule().footprint().peakBytes());
                var results = run(plan, bytes, arguments);
                if (i == 0) expected = results;
                for (int r = 0; r < expected.size(); r++) {
                    assertThat(results.get(r).mismatch(expected.get(r))).isEqualTo(-1);
                }
            }
        }
    }

    private static List<Array> leaves(Object tree) {
        return Tensorwise.list(tree).stream().map(t -> (Array) t).toList();
    }

    private static List<MemorySegment> run(Plan plan, long bytes, List<Array> arguments) {
        var layout = plan.layout();
        var graph = layout.schedule().problem().graph();
        assertThat(graph.params()).hasSize(arguments.size());
        try (var program = new Program(layout, CPU, plan.workers())) {
            for (int i = 0; i < arguments.size(); i++) {
                var to = program.param(i);
                MemorySegment.copy(
                        arguments.get(i).data().segment(), 0, to.segment(), 0, to.bytes());
            }
            var report = program.verify();
            assertThat(report.measuredBytes())
                    .isEqualTo(report.promisedBytes())
                    .isLessThanOrEqualTo(bytes);
            var results = new ArrayList<MemorySegment>();
            for (int i = 0; i < graph.results().size(); i++) {
                var from = program.result(i);
                results.add(
                        MemorySegment.ofArray(
                                from.segment().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE)));
            }
            return results;
        }
    }

    private static Array noise(long seed, int... dims) {
        var shape = Shape.of(dims);
        var data = new float[(int) shape.size()];
        for (int i = 0; i < data.length; i++) data[i] = (float) new Seed(seed).normal(i);
        return Array.of(shape, data);
    }

    private static Array labels(int bound, int... dims) {
        var shape = Shape.of(dims);
        var data = new long[(int) shape.size()];
        for (int i = 0; i < data.length; i++) data[i] = new Seed(5).below(bound, i);
        return Array.of(shape, data);
    }

    private record Task<M>(M model, Tensor x, Tensor y) {}

    @Test
    void gptOfFourLayers() {
        var model = Gpt2.of(Gpt2.Config.of(40, 24, 32, 4, 2), new Seed(1));
        Fn<Task<Gpt2>, Ebb.ValueAndGrad<Gpt2>> f =
                t -> Ebb.valueAndGrad((Gpt2 m) -> m.loss(t.x(), t.y())).apply(t.model());
        holdsAtEveryBudget(f, new Task<>(model, labels(40, 2, 24), labels(40, 2, 24)));
    }

    @Test
    void residualNetworkWithStatistics() {
        record TrainingResult(ResNet model, ResNet.Statistics running, Tensor x, Tensor y) {}
        record Out(Tensor loss, ResNet grad, ResNet.Statistics next) {}
        var model = ResNet.of(3, List.of(8, 16, 16), 10, new Seed(2));
        Fn<TrainingResult, Out> f =
                t -> {
                    var seen =
                            Ebb.valueAndGrad(
                                            (ResNet m) ->
                                                    m.train(t.x(), t.running())
                                                            .logits()
                                                            .crossEntropy(t.y()))
                                    .apply(t.model());
                    return new Out(
                            seen.value(), seen.grad(), t.model().train(t.x(), t.running()).next());
                };
        holdsAtEveryBudget(
                f,
                new TrainingResult(
                        model, model.statistics(), noise(3, 4, 3, 16, 16), labels(10, 4)));
    }

    @Test
    void uNet() {
        var model = UNet.of(2, 1, 4, 3, new Seed(4));
        Fn<Task<UNet>, Ebb.ValueAndGrad<UNet>> f =
                t -> Ebb.valueAndGrad((UNet m) -> m.apply(t.x()).mseLoss(t.y())).apply(t.model());
        holdsAtEveryBudget(f, new Task<>(model, noise(6, 2, 2, 16, 16), noise(7, 2, 1, 16, 16)));
    }

    /** Two layers, one after the other. */
    private record Two(Lstm first, Lstm second) {
        static Two of(int in, int hidden) {
            return new Two(Lstm.of(in, hidden, new Seed(8)), Lstm.of(hidden, hidden, new Seed(9)));
        }
    }

    private static void recurrentNetwork(Fn2<Lstm, Tensor, Tensor> layer) {
        Fn<Task<Two>, Ebb.ValueAndGrad<Two>> f =
                t ->
                        Ebb.valueAndGrad(
                                        (Two m) ->
                                                layer.apply(
                                                                m.second(),
                                                                layer.apply(m.first(), t.x()))
                                                        .mseLoss(t.y()))
                                .apply(t.model());
        holdsAtEveryBudget(f, new Task<>(Two.of(6, 16), noise(10, 12, 4, 6), noise(11, 12, 4, 16)));
    }

    @Test
    void recurrentNetwork() {
        recurrentNetwork((layer, x) -> layer.apply(x).out());
    }

    @Test
    void recurrentNetworkUnrolled() {
        recurrentNetwork(BudgetsTest::unrolled);
    }

    private static Tensor unrolled(Lstm layer, Tensor x) {
        var driven = x.matmul(layer.in()).add(layer.bias());
        var zeros = Tensors.zeros(x.dtype(), Shape.of(x.dim(0), layer.hidden()));
        var state = new Lstm.State(zeros, zeros);
        var outs = new ArrayList<Tensor>();
        for (int t = 0; t < x.dim(1); t++) {
            state = layer.step(driven.at(1, t), state);
            outs.add(state.hidden());
        }
        return Tensors.stack(outs, 1);
    }

    @Test
    void perceptronWithDropout() {
        record Dropped(Mlp model, List<Tensor> keys, Tensor x, Tensor y) {}
        var model = Mlp.of(List.of(24, 64, 64, 64, 8), Activation.RELU, new Seed(12));
        List<Tensor> keys =
                List.of(Array.scalar(7L), Array.scalar(77L), Array.scalar(78L), Array.scalar(79L));
        Fn<Dropped, Ebb.ValueAndGrad<Mlp>> f =
                t ->
                        Ebb.valueAndGrad(
                                        (Mlp m) -> {
                                            Tensor h = t.x();
                                            for (int i = 0; i < m.layers().size(); i++) {
                                                h =
                                                        m.layers()
                                                                .get(i)
                                                                .apply(h)
                                                                .relu()
                                                                .dropout(
                                                                        0.3,
                                                                        new Key(t.keys().get(i)));
                                            }
                                            return h.mseLoss(t.y());
                                        })
                                .apply(t.model());
        holdsAtEveryBudget(f, new Dropped(model, keys, noise(13, 32, 24), noise(14, 32, 8)));
    }

    @Test
    void secondDerivatives() {
        var model = Mlp.of(List.of(16, 32, 32, 4), Activation.TANH, new Seed(15));
        record Curved(Mlp model, Mlp direction, Tensor x, Tensor y) {}
        Fn<Curved, Mlp> f =
                t ->
                        Ebb.hvp((Mlp m) -> m.apply(t.x()).mseLoss(t.y()))
                                .apply(t.model(), t.direction());
        holdsAtEveryBudget(f, new Curved(model, model, noise(16, 32, 16), noise(17, 32, 4)));
    }

    /**
     * Training in place for a hundred steps: statistics are updated once per step at every budget.
     */
    @Test
    void runningStatisticsAfterAHundredSteps() {
        record State(ResNet model, ResNet.Statistics running, Optimizer.State<ResNet> optimizer) {}
        record Batch(Tensor x, Tensor y) {}
        var model = ResNet.of(2, List.of(4, 8), 5, new Seed(21));
        var optimizer = Sgd.of(0.05);
        Fn2<State, Batch, Next<State, Tensor>> step =
                (s, b) -> {
                    var seen =
                            Ebb.valueAndGrad(
                                            (ResNet m) ->
                                                    m.train(b.x(), s.running())
                                                            .logits()
                                                            .crossEntropy(b.y()))
                                    .apply(s.model());
                    var next = s.model().train(b.x(), s.running()).next();
                    var moved = optimizer.update(s.model(), seen.grad(), s.optimizer());
                    return new Next<>(new State(moved.params(), next, moved.state()), seen.value());
                };
        var first = new State(model, model.statistics(), optimizer.start(model));
        var batches = new ArrayList<Batch>();
        for (int i = 0; i < 10; i++)
            batches.add(new Batch(noise(30 + i, 2, 2, 8, 8), labels(5, 2)));
        try (var all = Ebb.stepper(step).on(CPU).start(first, batches.getFirst())) {
            for (int i = 0; i < 100; i++) all.step(batches.get(i % batches.size()));
            var expected = leaves(all.state());
            long least = all.plan().leastBytes();
            long middle = (least + all.plan().peakBytes()) / 2;
            for (long bytes : new long[] {middle, least}) {
                try (var few =
                        Ebb.stepper(step)
                                .within(Budget.bytes(bytes))
                                .on(CPU)
                                .start(first, batches.getFirst())) {
                    for (int i = 0; i < 100; i++) few.step(batches.get(i % batches.size()));
                    var state = leaves(few.state());
                    for (int i = 0; i < state.size(); i++) {
                        assertThat(state.get(i).sameBits(expected.get(i))).isTrue();
                    }
                }
            }
        }
    }

    @Test
    void inferenceTakesLessThanTraining() {
        var model = Gpt2.of(Gpt2.Config.of(40, 24, 32, 4, 2), new Seed(1));
        var task = new Task<>(model, labels(40, 2, 24), labels(40, 2, 24));
        Fn<Task<Gpt2>, Tensor> infer = t -> t.model().logits(t.x());
        Fn<Task<Gpt2>, Ebb.ValueAndGrad<Gpt2>> train =
                t -> Ebb.valueAndGrad((Gpt2 m) -> m.loss(t.x(), t.y())).apply(t.model());
        long inference = Ebb.compile(infer).on(CPU).plan(task).peakBytes();
        long training = Ebb.compile(train).on(CPU).plan(task).peakBytes();
        System.out.println(
                "inference " + Budget.show(inference) + ", training " + Budget.show(training));
        assertThat(inference).isLessThan(training);
    }
}
