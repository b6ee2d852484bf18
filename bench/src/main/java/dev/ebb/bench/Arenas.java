package dev.ebb.bench;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.Next;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Activation;
import dev.ebb.nn.Lstm;
import dev.ebb.nn.Seed;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.Mlp;
import dev.ebb.nn.model.ResNet;
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
import dev.ebb.tensor.Tensors;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Measures how much larger the arena is than the most bytes that are alive at the same time, a
 * lower bound for any layout: in percent, for each model at ten budgets from keeping everything to
 * the smallest. Nothing is run.
 *
 * <p>Arguments: parts of the names of models; without any, all.
 */
public final class Arenas {
    static final int BUDGETS = 10;
    private static final long DISK_BYTES = 4L << 30;

    private Arenas() {}

    private record Task<M>(M model, Tensor x, Tensor y) {}

    private record Two(Lstm first, Lstm second) {}

    private record Curved(Mlp model, Mlp direction, Tensor x, Tensor y) {}

    private record State<M>(M model, Optimizer.State<M> optimizer) {}

    public static void main(String[] args) {
        try (var cpu = new Cpu(Workload.THREADS)) {
            for (var entry : models(cpu).entrySet()) {
                String name = entry.getKey();
                if (args.length > 0 && List.of(args).stream().noneMatch(name::contains)) continue;
                System.out.println(row(name, entry.getValue().get()));
            }
        }
    }

    private static String row(String name, Curve curve) {
        long start = System.nanoTime();
        long all = curve.storeAllBytes();
        long least = curve.leastBytes();
        var row = new StringBuilder(String.format("%-28s", name));
        double worst = 0;
        for (int i = 0; i < BUDGETS; i++) {
            long bytes = all - (all - least) * i / (BUDGETS - 1);
            var plan = curve.at(Budget.bytes(bytes));
            double over = over(plan.layout().arenaBytes(), plan.schedule().footprint().peakBytes());
            worst = Math.max(worst, over);
            row.append(String.format(" %5.2f", over));
        }
        return row
                + String.format(
                        "  worst %.2f %%, least %.1f %% of all, %.1f s",
                        worst, 100.0 * least / all, (System.nanoTime() - start) / 1e9);
    }

    private static double over(long arena, long live) {
        return 100.0 * (arena - live) / live;
    }

    /** The curves of all models, each computed when it is requested. */
    static Map<String, Supplier<Curve>> models(Cpu cpu) {
        var found = new LinkedHashMap<String, Supplier<Curve>>();
        found.put("GPT, 12 layers, width 32", () -> gpt(Gpt2.Config.of(40, 24, 32, 12, 2), 2, cpu));
        found.put(
                "GPT, 12 layers, width 64", () -> gpt(Gpt2.Config.of(256, 256, 64, 12, 4), 2, cpu));
        found.put(
                "GPT, 12 layers, width 256",
                () -> gpt(Gpt2.Config.of(256, 256, 256, 12, 4), 4, cpu));
        found.put("ResNet 8-16-16", () -> resNet(List.of(8, 16, 16), 16, 4, cpu));
        found.put("ResNet 16-32-64", () -> resNet(List.of(16, 32, 64), 32, 8, cpu));
        found.put("U-Net, 16 by 16", () -> uNet(4, 3, 16, 2, cpu));
        found.put("U-Net, 64 by 64", () -> uNet(8, 4, 64, 4, cpu));
        found.put("LSTM, 12 steps", () -> lstm(12, 16, 4, cpu));
        found.put("LSTM, 24 steps", () -> lstm(24, 64, 16, cpu));
        found.put("MLP, 24-64-64-64-8", () -> mlp(List.of(24, 64, 64, 64, 8), 32, cpu));
        found.put("MLP, 8 times 256", () -> mlp(List.of(64, 256, 256, 256, 256, 256, 8), 512, cpu));
        found.put("second derivatives", () -> second(List.of(16, 32, 32, 4), 32, cpu));
        found.put("second derivatives, deep", () -> second(List.of(64, 96, 128, 96, 8), 256, cpu));
        found.put("Training's MLP", () -> trainedMlp(cpu));
        found.put("Training's GPT", () -> trainedGpt(cpu));
        var small = Gpt2.of(Gpt2.Config.of(256, 64, 128, 5, 4), new Seed(1));
        found.put("GPT with a disk", () -> disk(small, cpu));
        found.put(
                "ReversibleGpt, 6 layers",
                () -> reversible(Gpt2.Config.of(256, 24, 32, 6, 2), 4, cpu));
        found.put(
                "ReversibleGpt, 12 layers",
                () -> reversible(Gpt2.Config.of(256, 64, 64, 12, 4), 8, cpu));
        return found;
    }

    private static <P, R> Curve curve(Fn<P, R> f, P at, Budget budget, Cpu cpu) {
        try (var compiled = Ebb.compile(f).within(budget).on(cpu)) {
            return compiled.plan(at).curve();
        }
    }

    private static <M> Curve gradient(Fn2<M, Task<M>, Tensor> loss, Task<M> task, Cpu cpu) {
        Fn<Task<M>, Ebb.ValueAndGrad<M>> f =
                t -> Ebb.valueAndGrad((M m) -> loss.apply(m, t)).apply(t.model());
        return curve(f, task, Budget.unlimited(), cpu);
    }

    private static Curve gpt(Gpt2.Config config, int batch, Cpu cpu) {
        var ids = ids(batch, config.context());
        return gradient(
                (m, t) -> m.loss(t.x(), t.y()),
                new Task<>(Gpt2.of(config, new Seed(1)), ids, ids),
                cpu);
    }

    private static Curve disk(Gpt2 model, Cpu cpu) {
        var ids = ids(2, model.context());
        Fn<Gpt2, Ebb.ValueAndGrad<Gpt2>> f =
                m -> Ebb.valueAndGrad((Gpt2 g) -> g.loss(ids, ids)).apply(m);
        return curve(f, model, Budget.unlimited().with(Disk.in(Path.of("."), DISK_BYTES)), cpu);
    }

    private static Curve reversible(Gpt2.Config config, int batch, Cpu cpu) {
        var start = new ReversibleGpt(Gpt2.of(config, new Seed(4)));
        var ids = ids(batch, config.context());
        var step =
                step((ReversibleGpt m, Training.Batch b) -> m.loss(b.x(), b.y()), AdamW.of(1e-3));
        return stepped(step, start, AdamW.of(1e-3), new Training.Batch(ids, ids), cpu);
    }

    private static Curve trainedGpt(Cpu cpu) {
        var ids = ids(Workload.BATCH, Workload.CONTEXT);
        var step = step((Gpt2 m, Training.Batch b) -> m.loss(b.x(), b.y()), AdamW.of(1e-3));
        return stepped(step, Workload.gpt(), AdamW.of(1e-3), new Training.Batch(ids, ids), cpu);
    }

    private static Curve trainedMlp(Cpu cpu) {
        var step = step((Mlp m, Training.Batch b) -> m.apply(b.x()).mseLoss(b.y()), Sgd.of(0.1));
        var batch =
                new Training.Batch(
                        zeros(Workload.ROWS, Workload.IN), zeros(Workload.ROWS, Workload.IN));
        return stepped(step, Workload.mlp(), Sgd.of(0.1), batch, cpu);
    }

    private static <M> Fn2<State<M>, Training.Batch, Next<State<M>, Tensor>> step(
            Fn2<M, Training.Batch, Tensor> loss, Optimizer optimizer) {
        return (s, b) -> {
            var slope = Ebb.valueAndGrad((M m) -> loss.apply(m, b)).apply(s.model());
            var next = optimizer.update(s.model(), slope.grad(), s.optimizer());
            return new Next<>(new State<>(next.params(), next.state()), slope.value());
        };
    }

    private static <M> Curve stepped(
            Fn2<State<M>, Training.Batch, Next<State<M>, Tensor>> step,
            M start,
            Optimizer optimizer,
            Training.Batch batch,
            Cpu cpu) {
        var state = new State<>(start, optimizer.start(start));
        try (var stepper = Ebb.stepper(step).on(cpu).start(state, batch)) {
            return stepper.plan().curve();
        }
    }

    private static Curve resNet(List<Integer> widths, int side, int batch, Cpu cpu) {
        record TrainingResult(ResNet model, ResNet.Statistics running, Tensor x, Tensor y) {}
        record Out(Tensor loss, ResNet grad, ResNet.Statistics next) {}
        var model = ResNet.of(3, widths, 10, new Seed(2));
        Fn<TrainingResult, Out> f =
                t -> {
                    Fn<ResNet, Tensor> loss =
                            m -> m.train(t.x(), t.running()).logits().crossEntropy(t.y());
                    var seen = Ebb.valueAndGrad(loss).apply(t.model());
                    var next = t.model().train(t.x(), t.running()).next();
                    return new Out(seen.value(), seen.grad(), next);
                };
        var x = zeros(batch, 3, side, side);
        return curve(
                f,
                new TrainingResult(model, model.statistics(), x, ids(batch)),
                Budget.unlimited(),
                cpu);
    }

    private static Curve uNet(int width, int depth, int side, int batch, Cpu cpu) {
        var model = UNet.of(2, 1, width, depth, new Seed(4));
        var task = new Task<>(model, zeros(batch, 2, side, side), zeros(batch, 1, side, side));
        return gradient((m, t) -> m.apply(t.x()).mseLoss(t.y()), task, cpu);
    }

    private static Curve lstm(int steps, int width, int batch, Cpu cpu) {
        var model = new Two(Lstm.of(6, width, new Seed(8)), Lstm.of(width, width, new Seed(9)));
        var task = new Task<>(model, zeros(batch, steps, 6), zeros(batch, steps, width));
        return gradient(
                (m, t) -> unrolled(m.second(), unrolled(m.first(), t.x())).mseLoss(t.y()),
                task,
                cpu);
    }

    private static Tensor unrolled(Lstm layer, Tensor x) {
        var driven = x.matmul(layer.in()).add(layer.bias());
        Tensor hidden = Tensors.zeros(x.dtype(), Shape.of(x.dim(0), layer.hidden()));
        Tensor cell = hidden;
        var outs = new ArrayList<Tensor>();
        for (int t = 0; t < x.dim(1); t++) {
            var gates = driven.at(1, t).add(hidden.matmul(layer.recurrent())).chunk(4, -1);
            var kept = gates.get(1).sigmoid().mul(cell);
            cell = kept.add(gates.get(0).sigmoid().mul(gates.get(2).tanh()));
            hidden = gates.get(3).sigmoid().mul(cell.tanh());
            outs.add(hidden);
        }
        return Tensors.stack(outs, 1);
    }

    private static Curve mlp(List<Integer> widths, int rows, Cpu cpu) {
        var model = Mlp.of(widths, Activation.RELU, new Seed(12));
        var task = new Task<>(model, zeros(rows, widths.getFirst()), zeros(rows, widths.getLast()));
        return gradient((m, t) -> m.apply(t.x()).mseLoss(t.y()), task, cpu);
    }

    private static Curve second(List<Integer> widths, int rows, Cpu cpu) {
        var model = Mlp.of(widths, Activation.TANH, new Seed(15));
        Fn<Curved, Mlp> f =
                t ->
                        Ebb.hvp((Mlp m) -> m.apply(t.x()).mseLoss(t.y()))
                                .apply(t.model(), t.direction());
        var x = zeros(rows, widths.getFirst());
        var y = zeros(rows, widths.getLast());
        return curve(f, new Curved(model, model, x, y), Budget.unlimited(), cpu);
    }

    private static Array ids(int... dims) {
        var shape = Shape.of(dims);
        return Array.of(shape, new long[(int) shape.size()]);
    }

    private static Array zeros(int... dims) {
        var shape = Shape.of(dims);
        return Array.of(shape, new float[(int) shape.size()]);
    }
}
