package dev.ebb.loop;

import dev.ebb.plan.Plan;

import java.util.function.Consumer;

/** Receives the plan of every graph that is planned. */
@FunctionalInterface
public interface PlanningListener {

    /** Called when planning with this strategy starts; the returned consumer receives the plan. */
    Consumer<Plan> planning(String strategy);
}
