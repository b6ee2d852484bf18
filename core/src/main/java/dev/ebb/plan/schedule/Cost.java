package dev.ebb.plan.schedule;

import dev.ebb.ir.Node;

/** What computing a node takes, in seconds or in any other unit that adds up. */
@FunctionalInterface
public interface Cost {
    double of(Node node);
}
