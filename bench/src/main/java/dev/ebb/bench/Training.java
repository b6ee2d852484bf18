package dev.ebb.bench;

import dev.ebb.Ebb;
import dev.ebb.Fn2;
import dev.ebb.Next;
import dev.ebb.Stepper;
import dev.ebb.cpu.Cpu;
import dev.ebb.exec.Device;
import dev.ebb.exec.Report;
import dev.ebb.ir.Shape;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.Mlp;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.nn.optim.Sgd;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Times whole training steps with Ebb on two threads: a GPT-2 and an MLP without a limit on memory,
 * then the GPT-2 within budgets, each alternately with unlimited memory, so that the ratio is fair.
 *
 * <p>Arguments: the number of steps that count and the budgets in MiB; by default 12, 105 and 80.
 */
public final class Training {

    private Training() {}

    /** The state carried from step to step: the weights and the optimizer's state. */
    record State<M>(M model, Optimizer.State<M> optimizer) {}

    /** The input of a step. */
    record Batch(Tensor x, Tensor y) {}

    public static void main(String[] args) {
        var arguments = args.length > 0 ? List.of(args) : List.of("12", "105", "80");
        int steps = Integer.parseInt(arguments.getFirst());
        var budgets = arguments.stream().skip(1).map(Long::valueOf).toList();
        try (var cpu = new Cpu(Workload.THREADS)) {
            mlp(cpu, steps);
            gpt(cpu, Workload.WARM_UP, steps, "Ebb", 1, () -> {});
            for (long mebibytes : budgets) budgeted(cpu, steps, mebibytes);
        }
    }

    private static void mlp(Cpu cpu, int steps) {
        var start = Workload.mlp();
        var batch = new Batch(rows(1), rows(2));
        Fn2<Mlp, Batch, Tensor> loss = (model, b) -> model.apply(b.x()).mseLoss(b.y());
        try (var stepper =
                stepper(loss, Sgd.of(Workload.SGD_RATE), start, batch, Budget.unlimited(), cpu)) {
            var timing =
                    Timing.alone(Workload.WARM_UP, steps, contender("MLP", "Ebb", stepper, batch));
            System.out.println(timing + memory(stepper.report()));
        }
    }

    /**
     * Times the GPT with all the memory it wants, and prints the line of {@code name}: that of the
     * round with the best median. {@code between} runs before each round, the first of which has
     * {@code warmUp} more steps.
     */
    static Timing gpt(Cpu cpu, int warmUp, int steps, String name, int rounds, Runnable between) {
        var batch = batch();
        try (var stepper = gpt(batch, Budget.unlimited(), cpu)) {
            var contender = contender("GPT", name, stepper, batch);
            var timings = new ArrayList<Timing>();
            for (int round = 0; round < rounds; round++) {
                between.run();
                timings.add(Timing.alone(round == 0 ? warmUp : 1, steps, contender));
            }
            var best = Collections.min(timings, Comparator.comparingDouble(Timing::median));
            System.out.println(best + memory(stepper.report()));
            return best;
        }
    }

    /** Receives the number of each step and the seconds that it took. */
    interface StepSeconds {
        void took(int step, double seconds);
    }

    /** Runs steps of the GPT without a limit on memory, one by one. */
    static void gptSteps(Device device, int steps, StepSeconds listener) {
        var batch = batch();
        try (var stepper = gpt(batch, Budget.unlimited(), device)) {
            for (int i = 0; i < steps; i++) {
                long begun = System.nanoTime();
                stepper.step(batch).item();
                listener.took(i, (System.nanoTime() - begun) / 1e9);
            }
        }
    }

    private static void budgeted(Cpu cpu, int steps, long mebibytes) {
        var batch = batch();
        try (var full = gpt(batch, Budget.unlimited(), cpu);
                var tight = gpt(batch, Budget.mebibytes(mebibytes), cpu)) {
            String name = "Ebb in " + mebibytes + " MiB";
            var timings =
                    Timing.inTurns(
                            Workload.WARM_UP,
                            steps,
                            List.of(
                                    contender("GPT", "Ebb in full memory", full, batch),
                                    contender("GPT", name, tight, batch)));
            var one = timings.getFirst();
            var other = timings.getLast();
            System.out.println(one + memory(full.report()));
            System.out.printf(
                    Locale.ROOT,
                    "%s%s; %.2f times full memory by median, %.2f by best; the same loss: %s%n",
                    other,
                    memory(tight.report()),
                    other.median() / one.median(),
                    other.best() / one.best(),
                    Double.compare(one.loss(), other.loss()) == 0 ? "yes" : "NO");
        }
    }

    private static Stepper<State<Gpt2>, Batch, Tensor> gpt(Batch batch, Budget budget, Device cpu) {
        Fn2<Gpt2, Batch, Tensor> loss = (model, b) -> model.loss(b.x(), b.y());
        var start = Workload.gpt();
        return stepper(loss, AdamW.of(Workload.ADAM_RATE), start, batch, budget, cpu);
    }

    private static <M> Stepper<State<M>, Batch, Tensor> stepper(
            Fn2<M, Batch, Tensor> loss,
            Optimizer optimizer,
            M start,
            Batch example,
            Budget budget,
            Device cpu) {
        Fn2<State<M>, Batch, Next<State<M>, Tensor>> step =
                (state, batch) -> {
                    var slope =
                            Ebb.valueAndGrad((M model) -> loss.apply(model, batch))
                                    .apply(state.model());
                    var next = optimizer.update(state.model(), slope.grad(), state.optimizer());
                    return new Next<>(new State<>(next.params(), next.state()), slope.value());
                };
        return Ebb.stepper(step)
                .within(budget)
                .on(cpu)
                .start(new State<>(start, optimizer.start(start)), example);
    }

    private static <S> Timing.Contender contender(
            String model, String name, Stepper<S, Batch, Tensor> stepper, Batch batch) {
        return new Timing.Contender(model, name, () -> stepper.step(batch).item());
    }

    private static Batch batch() {
        return new Batch(tokens(1), tokens(2));
    }

    private static Array tokens(long seed) {
        return Array.of(Shape.of(Workload.BATCH, Workload.CONTEXT), Workload.tokens(seed));
    }

    private static Array rows(long seed) {
        return Array.of(Shape.of(Workload.ROWS, Workload.IN), Workload.rows(seed));
    }

    private static String memory(Report report) {
        return report.promisedBytes() == report.measuredBytes()
                ? "; promised = measured = " + Budget.show(report.promisedBytes())
                : "; PROMISED "
                        + Budget.show(report.promisedBytes())
                        + " BUT MEASURED "
                        + Budget.show(report.measuredBytes());
    }
}
