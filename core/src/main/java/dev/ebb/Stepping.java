package dev.ebb;

import dev.ebb.loop.ProgramPlanner;
import dev.ebb.plan.Plan;
import dev.ebb.plan.TradeOff;
import dev.ebb.trace.Tree;

import java.util.List;

/**
 * A step function with its options. {@link #start} allocates and returns a {@link Stepper}; {@link
 * #plan} and {@link #curve} only plan.
 */
public final class Stepping<S, B, R> extends Options<Stepping<S, B, R>> {
    private final Fn2<S, B, Next<S, R>> step;

    Stepping(Fn2<S, B, Next<S, R>> step, ProgramPlanner planner) {
        super(planner);
        this.step = step;
    }

    @Override
    Stepping<S, B, R> under(ProgramPlanner other) {
        return new Stepping<>(step, other);
    }

    /**
     * Allocates the arena and returns a stepper with the state {@code initial}, which is copied in;
     * {@code example} gives the types of the inputs. Captured arrays are copied in now and stay
     * fixed: make what changes from step to step part of the state or the input.
     */
    public Stepper<S, B, R> start(S initial, B example) {
        return startForEach(initial, List.of(example));
    }

    /**
     * As {@link #start(Object, Object)}, with an evaluation of the state that runs between steps.
     * Both use one arena in turn, which has the size of the larger one, within the budget.
     */
    public <V, E> Evaluation.Evaluated<S, B, R, V, E> start(
            S initial, B example, Fn2<S, V, E> evaluation, V evaluationExample) {
        var done = EventRecorder.recorder().compiling();
        var stepTrace = StepTrace.of(step, initial, example);
        var evaluationTrace = Evaluation.Traced.of(evaluation, stepTrace, evaluationExample);
        var plan = Evaluation.SharedPlan.of(stepTrace, evaluationTrace, planner());
        var programs = plan.programs(planner().device());
        done.accept(plan.step());
        Stepper<S, B, R> stepper =
                Stepper.of(stepTrace, initial, example, plan.step(), programs.getFirst());
        var evaluating =
                new Evaluation<V, E>(
                        stepper,
                        evaluationTrace,
                        Tree.signature(evaluationExample),
                        plan.evaluation(),
                        programs.getLast());
        return new Evaluation.Evaluated<>(stepper, evaluating, plan);
    }

    /** The plan for {@link #start(Object, Object, Fn2, Object)}. */
    public <V, E> Evaluation.SharedPlan plan(
            S initial, B example, Fn2<S, V, E> evaluation, V evaluationExample) {
        var stepTrace = StepTrace.of(step, initial, example);
        return Evaluation.SharedPlan.of(
                stepTrace,
                Evaluation.Traced.of(evaluation, stepTrace, evaluationExample),
                planner());
    }

    /**
     * As {@link #start(Object, Object)}, for inputs like any of {@code examples}: prompts and
     * single tokens, batches of several sizes. Each kind has its own plan within the budget; all
     * share one arena with a single copy of state and captured arrays.
     */
    public Stepper<S, B, R> startForEach(S initial, List<B> examples) {
        return Stepper.of(step, initial, examples, planner());
    }

    /**
     * The plan for {@link #start(Object, Object)}, without allocating memory. Only the types of the
     * state and the example matter.
     */
    public Plan plan(S initial, B example) {
        return StepTrace.of(step, initial, example).plan(planner());
    }

    /** The plans of this step at any budget, traced once; the budget set here is ignored. */
    public StepPlans plans(S initial, B example) {
        return new StepPlans(StepTrace.of(step, initial, example), planner());
    }

    /**
     * The predicted time over budget for this step, with a line for each way of restoring values.
     * Of the budget only its places matter.
     */
    public TradeOff curve(S initial, B example) {
        return StepTrace.of(step, initial, example).tradeOff(planner());
    }
}
