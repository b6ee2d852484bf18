package dev.ebb.cuda;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.Loop;
import dev.ebb.Next;
import dev.ebb.Stepper;
import dev.ebb.exec.Device;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.nn.Activation;
import dev.ebb.nn.Block;
import dev.ebb.nn.Embedding;
import dev.ebb.nn.FeedForward;
import dev.ebb.nn.Init;
import dev.ebb.nn.LayerNorm;
import dev.ebb.nn.Linear;
import dev.ebb.nn.Seed;
import dev.ebb.nn.SelfAttention;
import dev.ebb.nn.model.LanguageModel;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.nn.optim.Precision;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Plan;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Training steps of a GPT on a card, at several budgets; a loop at two. */
final class DeviceGpt {
    private static final int STEPS = 6;

    private final PrintWriter log;
    private final List<Run> runs = new ArrayList<>();

    /** What a step took in a budget. */
    record Run(DType type, String name, double milliseconds, long peakBytes, boolean kept) {}

    /** All runs so far. */
    List<Run> runs() {
        return List.copyOf(runs);
    }

    DeviceGpt(PrintWriter log) {
        this.log = log;
    }

    /** The sizes of a model and its batch. */
    record Sizes(int layers, int width, int heads, int context, int batch, int vocabulary) {}

    /** A GPT whose head is a layer of its own. */
    public record Gpt(
            Embedding tokens,
            Embedding positions,
            List<Block> blocks,
            LayerNorm norm,
            Linear last,
            int context,
            int vocabulary)
            implements LanguageModel {
        @Override
        public Tensor logits(Tensor ids) {
            Tensor x = tokens.apply(ids).add(positions.weight().slice(0, 0, ids.dim(-1)));
            for (int i = 0; i < blocks.size(); i++) {
                var block = blocks.get(i);
                var in = x;
                x = Ebb.region("block " + i, () -> block.apply(in));
            }
            return last.apply(norm.apply(x));
        }
    }

    /** What training carries from step to step. */
    public record State(Gpt model, Optimizer.State<Gpt> optimizer) {}

    /** Tokens and those after them. */
    public record Batch(Tensor ids, Tensor targets) {}

    /** Random weights, drawn on all cores; the seed goes by the shape and a count. */
    private static final class Drawn implements Init {
        private long count;

        @Override
        public Array of(Shape shape, Seed seed) {
            long own = ++count;
            return Array.make(
                    new Type(DType.F32, shape),
                    buffer -> {
                        long chunk = 1 << 16;
                        LongStream.range(0, Math.ceilDiv(shape.size(), chunk))
                                .parallel()
                                .forEach(
                                        c -> {
                                            var random = new SplittableRandom(own << 32 | c);
                                            long end = Math.min(shape.size(), (c + 1) * chunk);
                                            for (long i = c * chunk; i < end; i++)
                                                buffer.set(i, 0.07 * (random.nextDouble() - 0.5));
                                        });
                    });
        }
    }

    private static State state(Sizes s) {
        var init = new Drawn();
        var seed = new Seed(1);
        var blocks =
                IntStream.range(0, s.layers())
                        .mapToObj(
                                i ->
                                        new Block(
                                                LayerNorm.of(s.width(), 1e-5),
                                                new SelfAttention(
                                                        new SelfAttention.Fused(
                                                                Linear.of(
                                                                        s.width(),
                                                                        3 * s.width(),
                                                                        init,
                                                                        seed)),
                                                        Linear.of(s.width(), s.width(), init, seed),
                                                        SelfAttention.Heads.causal(s.heads()),
                                                        Optional.empty()),
                                                LayerNorm.of(s.width(), 1e-5),
                                                FeedForward.plain(
                                                        s.width(),
                                                        4 * s.width(),
                                                        Activation.GELU_TANH,
                                                        init,
                                                        init,
                                                        seed)))
                        .toList();
        var model =
                new Gpt(
                        Embedding.of(s.vocabulary(), s.width(), init, seed),
                        Embedding.of(s.context(), s.width(), init, seed),
                        blocks,
                        LayerNorm.of(s.width(), 1e-5),
                        Linear.of(s.width(), s.vocabulary(), init, seed),
                        s.context(),
                        s.vocabulary());
        return new State(model, AdamW.of(3e-4).start(model));
    }

    private static Batch batch(Sizes s) {
        var random = new SplittableRandom(5);
        var shape = Shape.of(s.batch(), s.context());
        int[] ids = random.ints(shape.size(), 0, s.vocabulary()).toArray();
        int[] targets = random.ints(shape.size(), 0, s.vocabulary()).toArray();
        return new Batch(Array.of(shape, ids), Array.of(shape, targets));
    }

    /** A step whose activations and products are of {@code type}; weights stay in f32. */
    static Fn2<State, Batch, Next<State, Tensor>> step(DType type) {
        return (state, batch) -> step(state, batch, type);
    }

    private static Next<State, Tensor> step(State state, Batch batch, DType type) {
        var loss =
                Ebb.valueAndGrad(
                                (Gpt model) ->
                                        (type == DType.F32 ? model : Precision.rounded(model, type))
                                                .loss(batch.ids(), batch.targets()))
                        .apply(state.model());
        var updated = AdamW.of(3e-4).update(state.model(), loss.grad(), state.optimizer());
        return new Next<>(new State(updated.params(), updated.state()), loss.value());
    }

    private void say(String form, Object... arguments) {
        var line = form.formatted(arguments);
        System.out.println(line);
        log.println(line);
        log.flush();
    }

    /** Bytes that are a share of the way from the least to everything kept. */
    static ToLongFunction<Plan> share(double share) {
        return plan -> (long) (plan.leastBytes() + share * (plan.peakBytes() - plan.leastBytes()));
    }

    static ToLongFunction<Plan> gibibytes(double gibibytes) {
        return plan -> Math.max(plan.leastBytes(), (long) (gibibytes * (1L << 30)));
    }

    Plan plan(Sizes sizes, Device device, DType type) {
        return Ebb.stepper(step(type)).on(device).plan(state(sizes), batch(sizes));
    }

    /** Steps at full memory and in these budgets; whether all losses have the same bits. */
    boolean train(
            String title,
            Sizes sizes,
            Device device,
            DType type,
            List<ToLongFunction<Plan>> budgets) {
        say("%s in %s on %s", title, type, device.signature());
        long start = System.nanoTime();
        var state = state(sizes);
        var batch = batch(sizes);
        say("  weights drawn in %.1f s", (System.nanoTime() - start) / 1e9);
        var plan = Ebb.stepper(step(type)).on(device).plan(state, batch);
        say(
                "  full %.2f GiB, least %.2f GiB, planned in %.1f s",
                gib(plan.peakBytes()), gib(plan.leastBytes()), (System.nanoTime() - start) / 1e9);
        double[] first = run("full", Budget.unlimited(), state, batch, device, type);
        boolean same = first.length > 0;
        for (var budget : budgets) {
            long bytes = budget.applyAsLong(plan);
            var name = "in %.2f GiB".formatted(gib(bytes));
            var losses = run(name, Budget.bytes(bytes), state, batch, device, type);
            boolean equal = Arrays.equals(first, losses);
            say("  losses have %s bits", equal ? "the same" : "OTHER");
            same &= equal;
        }
        return same;
    }

    private static double gib(long bytes) {
        return bytes / (double) (1 << 30);
    }

    private double[] run(
            String name, Budget budget, State state, Batch batch, Device device, DType type) {
        long start = System.nanoTime();
        try (Stepper<State, Batch, Tensor> stepper =
                Ebb.stepper(step(type)).within(budget).on(device).start(state, batch)) {
            double ready = (System.nanoTime() - start) / 1e9;
            var losses = new double[STEPS];
            var times = new double[STEPS];
            double begun = 0;
            for (int i = 0; i < STEPS; i++) {
                long now = System.nanoTime();
                losses[i] = stepper.step(batch).item();
                times[i] = (System.nanoTime() - now) / 1e6;
                if (i == 0) begun = (System.nanoTime() - start) / 1e9;
            }
            var report = stepper.report();
            Arrays.sort(times);
            boolean kept = report.promisedBytes() == report.measuredBytes();
            runs.add(new Run(type, name, times[STEPS / 2], report.measuredBytes(), kept));
            say(
                    "  %s: %.1f ms a step (%.1f on the card), promised %.3f GiB, measured %s, ready"
                            + " in %.1f s, first step after %.1f s, losses %.6f to %.6f",
                    name,
                    times[STEPS / 2],
                    report.seconds() * 1e3,
                    gib(report.promisedBytes()),
                    kept ? "the same" : String.valueOf(report.measuredBytes()),
                    ready,
                    begun,
                    losses[0],
                    losses[STEPS - 1]);
            return losses;
        } catch (RuntimeException e) {
            say("  %s: FAILED %s", name, e);
            e.printStackTrace(log);
            return new double[0];
        }
    }

    /** The gradient of a loop, at full memory and at the least; whether both have the same bits. */
    boolean loop(Device device) {
        var random = new SplittableRandom(3);
        var data = new float[64 * 64];
        for (int i = 0; i < data.length; i++) data[i] = (float) (random.nextDouble() - 0.5) / 4;
        var x = Array.of(Shape.of(64, 64), data);
        Fn<Tensor, Tensor> f = t -> Loop.repeat(100, t, h -> h.matmul(t).add(t).tanh()).sum();
        try (var full = Ebb.compile(Ebb.grad(f)).on(device)) {
            var expected = (Array) full.apply(x);
            long least = full.plan(x).leastBytes();
            try (var small = Ebb.compile(Ebb.grad(f)).within(Budget.bytes(least)).on(device)) {
                boolean same = small.apply(x).sameBits(expected);
                say(
                        "loop of 100 rounds: %.2f ms at %d bytes, %.2f ms at %d bytes, %s bits",
                        full.report().seconds() * 1e3,
                        full.report().promisedBytes(),
                        small.report().seconds() * 1e3,
                        small.report().promisedBytes(),
                        same ? "the same" : "OTHER");
                return same;
            }
        } catch (RuntimeException e) {
            say("loop: FAILED %s", e);
            e.printStackTrace(log);
            return false;
        }
    }
}
