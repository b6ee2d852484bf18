package dev.ebb.loop;

import dev.ebb.plan.Plan;

import java.util.function.Consumer;

/** Is told when a graph is planned, and what came of it. */
@FunctionalInterface
public interface PlanningListener {

    /** A graph is being planned by this strategy; what is returned takes the plan, at the end. */
    Consumer<Plan> planning(String strategy);
}
