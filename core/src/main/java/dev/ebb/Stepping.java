package dev.ebb;

import dev.ebb.loop.ProgramPlanner;
import dev.ebb.plan.Plan;
import dev.ebb.plan.TradeOff;
import dev.ebb.trace.Tree;

import java.util.List;

/**
 * A step of a process, and how it is to be planned and run. {@link #start} makes the process;
 * {@link #plan} and {@link #curve} say what it would take.
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
     * Makes the process: {@code initial} is its state, which lives in the program's memory from
     * then on; {@code example} tells the types of the inputs. Arrays that the step closes over are
     * copied in now and stay as they are: what changes from step to step is part of the state or
     * the input.
     */
    public Stepper<S, B, R> start(S initial, B example) {
        return startForEach(initial, List.of(example));
    }

    /**
     * As {@link #start(Object, Object)}, with an evaluation of the state that runs between steps.
     * Both take turns in one arena, which is as large as the larger of the two needs, and together
     * stay within the budget.
     */
    public <V, E> Evaluation.Evaluated<S, B, R, V, E> start(
            S initial, B example, Fn2<S, V, E> evaluation, V evaluationExample) {
        var done = Flight.recorder().compiling();
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

    /** The plan of what {@link #start(Object, Object, Fn2, Object)} would make. */
    public <V, E> Evaluation.SharedPlan plan(
            S initial, B example, Fn2<S, V, E> evaluation, V evaluationExample) {
        var stepTrace = StepTrace.of(step, initial, example);
        return Evaluation.SharedPlan.of(
                stepTrace,
                Evaluation.Traced.of(evaluation, stepTrace, evaluationExample),
                planner());
    }

    /**
     * As {@link #start(Object, Object)}, a process whose inputs are like any of {@code examples}:
     * prompts and single tokens, batches of several sizes. Each kind has a plan of its own within
     * the budget; all run in turns in one memory, in which states and what the step closes over are
     * there once.
     */
    public Stepper<S, B, R> startForEach(S initial, List<B> examples) {
        return Stepper.of(step, initial, examples, planner());
    }

    /**
     * The plan of the process that {@link #start(Object, Object)} would make, without the memory it
     * would own. Of the state and the example only the types count.
     */
    public Plan plan(S initial, B example) {
        return StepTrace.of(step, initial, example).plan(planner());
    }

    /** The plans of this step in any budget, of which this one's does not count: traced once. */
    public StepPlans plans(S initial, B example) {
        return new StepPlans(StepTrace.of(step, initial, example), planner());
    }

    /**
     * What memory buys for this step, and what each way of bringing values back adds: the curve on
     * which {@link #plan} lies. Of the budget only the places count.
     */
    public TradeOff curve(S initial, B example) {
        return StepTrace.of(step, initial, example).tradeOff(planner());
    }
}
