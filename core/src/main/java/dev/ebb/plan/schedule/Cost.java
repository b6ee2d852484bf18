package dev.ebb.plan.schedule;

import dev.ebb.ir.Node;

/** The cost of computing a node, in seconds or in any other unit that adds up. */
@FunctionalInterface
public interface Cost {
    double of(Node node);
}
