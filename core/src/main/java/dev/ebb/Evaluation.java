package dev.ebb;

import dev.ebb.exec.Device;
import dev.ebb.exec.Report;
import dev.ebb.exec.program.Arena;
import dev.ebb.exec.program.Program;
import dev.ebb.exec.program.SharedLayout;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Type;
import dev.ebb.loop.ProgramPlanner;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.Plan;
import dev.ebb.plan.schedule.Binding;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.trace.Trace;
import dev.ebb.trace.Tree;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * A function of the state of a {@link Stepper} and of an input, such as a model's error on a batch
 * that it is not trained on. It runs between steps, in the memory of the stepper, and leaves the
 * state as it is.
 */
public final class Evaluation<V, E> {
    private final Stepper<?, ?, ?> stepper;
    private final Traced<E> trace;
    private final Object signature;
    private final Plan plan;
    private final Program program;
    private final List<Array> captured;
    private Optional<Report> report = Optional.empty();

    Evaluation(
            Stepper<?, ?, ?> stepper,
            Traced<E> trace,
            Object signature,
            Plan plan,
            Program program) {
        this.stepper = stepper;
        this.trace = trace;
        this.signature = signature;
        this.plan = plan;
        this.program = program;
        captured = trace.data();
    }

    /** Evaluates the current state; waits for a step running in another thread. */
    public E apply(V input) {
        synchronized (stepper) {
            stepper.requireState();
            if (!Tree.signature(input).equals(signature)) {
                throw new IllegalArgumentException(
                        ("this evaluation was compiled for inputs like %s, not %s; pad all batches"
                                        + " to one size, and exclude the padding by a mask")
                                .formatted(signature, Tree.signature(input)));
            }
            var leaves = Tree.flatten(input);
            int at = trace.carried();
            for (var leaf : leaves) write(at++, (Array) leaf);
            // a step overwrites this memory, so it is written again every time
            for (var array : captured) write(at++, array);
            var done = EventRecorder.recorder().running();
            var measured = program.run();
            done.accept(measured);
            report = Optional.of(measured);
            var results = new ArrayList<Array>();
            for (int i = 0; i < trace.graph().results().size(); i++)
                results.add(PreparedProgram.result(program, i, trace.graph()));
            return Tree.unflatten(trace.output(), results);
        }
    }

    private void write(int param, Array array) {
        PreparedProgram.write(program, param, array, trace.graph());
    }

    /** The promised and the measured figures of the latest run. */
    public Report report() {
        synchronized (stepper) {
            return report.orElseThrow(
                    () -> new IllegalStateException("nothing has run yet; call apply first"));
        }
    }

    /** The plan of the evaluation. */
    public Plan plan() {
        return plan;
    }

    /**
     * A process that steps and an evaluation of its state, in one arena and within one budget.
     *
     * @param plan the plan for both
     */
    public record Evaluated<S, B, R, V, E>(
            Stepper<S, B, R> stepper, Evaluation<V, E> evaluation, SharedPlan plan)
            implements AutoCloseable {

        /** Ends the stepper, and with it the evaluation. */
        @Override
        public void close() {
            stepper.close();
        }
    }

    /**
     * The plan for a step and an evaluation that take turns in one arena of the size of the larger
     * one. The state of the step is at the start of the arena in both.
     *
     * @param workers how many workers share the kernels of either
     * @param peakBytes the promised peak of both together, which the budget limits
     */
    public record SharedPlan(Plan step, Plan evaluation, int workers, long peakBytes) {
        /**
         * The most attempts: each plans the step in less memory, by the excess of the attempt
         * before.
         */
        private static final int ATTEMPTS = 8;

        static SharedPlan of(StepTrace<?, ?> step, Traced<?> evaluation, ProgramPlanner planner) {
            // an evaluation finds the state in memory, so it has no use for a disk
            var inMemory = planner.within(planner.budget().memory());
            var stepPlan = step.plan(planner);
            var evaluationPlan = evaluation.plan(inMemory);
            long limit = planner.budget().resolve(stepPlan.storeAllBytes());
            long bound = limit;
            for (int i = 1; ; i++) {
                var found = of(stepPlan, evaluationPlan, step.carried(), planner.device(), limit);
                long excess = found.peakBytes - limit;
                if (excess <= 0) return found;
                bound -= excess;
                if (i == ATTEMPTS || bound <= 0) throw refusal(found.peakBytes, limit);
                stepPlan = step.plan(planner.within(planner.budget().holding(bound)));
                evaluationPlan = evaluation.plan(inMemory.within(Budget.bytes(bound)));
            }
        }

        private static SharedPlan of(
                Plan step, Plan evaluation, List<Integer> carried, Device device, long limit) {
            var layouts = layouts(step.layout(), evaluation.layout(), carried);
            int workers = device.threads().count();
            while (workers > 1 && bytes(layouts, device, workers) > limit) workers--;
            return new SharedPlan(
                    step.in(layouts.getFirst()),
                    evaluation.in(layouts.getLast()),
                    workers,
                    bytes(layouts, device, workers));
        }

        private static long bytes(List<Layout> layouts, Device device, int workers) {
            long arena = layouts.stream().mapToLong(Layout::arenaBytes).max().orElseThrow();
            return arena + Arena.ownBytes(layouts, device, workers);
        }

        private static List<Layout> layouts(Layout step, Layout evaluation, List<Integer> carried) {
            var own = new ArrayList<>(Collections.nCopies(params(step), -1));
            for (int i = 0; i < carried.size(); i++) own.set(carried.get(i), i);
            var others = new ArrayList<>(Collections.nCopies(params(evaluation), -1));
            for (int i = 0; i < carried.size(); i++) others.set(i, i);
            try {
                return SharedLayout.of(List.of(step, evaluation), List.of(own, others));
            } catch (IllegalArgumentException e) {
                throw new OverBudgetException(
                        ("in this budget a part of the state of the step is on the disk, where an"
                             + " evaluation in the same arena cannot read it (%s); raise the"
                             + " budget, or compile the evaluation as a program of its own")
                                .formatted(e.getMessage()),
                        step.arenaBytes());
            }
        }

        private static int params(Layout layout) {
            return layout.schedule().problem().graph().params().size();
        }

        private static OverBudgetException refusal(long needed, long limit) {
            return new OverBudgetException(
                    ("a step and an evaluation in one arena need %s, but the budget is %s; raise"
                                    + " the budget to that, or use smaller batches")
                            .formatted(Budget.show(needed), Budget.show(limit)),
                    needed);
        }

        List<Program> programs(Device device) {
            var layouts = List.of(step.layout(), evaluation.layout());
            var arena = Arena.of(layouts, device, workers);
            return layouts.stream().map(layout -> new Program(layout, arena)).toList();
        }
    }

    /**
     * A traced evaluation: a graph from the values that a step carries over, which it does not
     * change, and an input to an output.
     *
     * @param output an output without data
     * @param carried how many tensors the step carries over: its state and its captured arrays
     * @param inputs how many tensors an input has
     * @param captured the arrays that the evaluation itself closes over, written before every run
     */
    record Traced<E>(Graph graph, E output, int carried, int inputs, List<Tensor> captured) {

        static <S, V, E> Traced<E> of(Fn2<S, V, E> f, StepTrace<S, ?> step, V example) {
            int states = step.states();
            var types = new ArrayList<Type>();
            for (int i : step.carried()) types.add(step.graph().params().get(i).type());
            int carried = types.size();
            var input = Tree.flatten(example);
            input.forEach(t -> types.add(t.type()));
            var outputs = new ArrayList<E>();
            var trace =
                    Trace.of(
                            in -> {
                                outputs.add(
                                        f.apply(
                                                Tree.unflatten(step.form(), in.subList(0, states)),
                                                Tree.unflatten(
                                                        example, in.subList(carried, in.size()))));
                                return Tree.flatten(outputs.getFirst());
                            },
                            types);
            return new Traced<>(
                    trace.graph(), outputs.getFirst(), carried, input.size(), trace.captured());
        }

        Plan plan(ProgramPlanner planner) {
            var bindings = new ArrayList<Binding>();
            for (int i = 0; i < graph.params().size(); i++) {
                bindings.add(i < carried ? new Binding.Kept() : new Binding.Consumed());
            }
            return planner.plan(graph, bindings);
        }

        List<Array> data() {
            return PreparedProgram.data(captured);
        }
    }
}
