package dev.ebb.plan;

import dev.ebb.ir.Value;

import java.util.Set;

/**
 * A planner that says which values of the forward half stay until the backward half reads them; the
 * others are computed again when they are first needed there, and then kept to their last use.
 */
public interface Strategy extends Planner {

    /** The values to keep. Outputs of effects and nondeterministic nodes stay in any case. */
    Set<Value> keeps(Problem problem, Cost cost);

    @Override
    default Schedule plan(Problem problem, Cost cost) {
        var model = new Model(problem, cost);
        var ordering = new Ordering(model);
        return Script.of(model, new Replay(model, ordering).keeping(keeps(problem, cost)));
    }
}
