package dev.ebb.tensor;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Op;

import java.util.List;

/**
 * Computes one op on arrays at once. The engine provides it as a service, so that package tensor
 * does not depend on devices.
 */
public interface Eager {
    List<Array> apply(Op op, List<Array> operands);

    /** Runs a whole graph. */
    List<Array> run(Graph graph, List<Array> operands);
}
