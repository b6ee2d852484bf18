package dev.ebb.exec;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Type;

import java.util.List;

/**
 * A rough guess of what a node takes, in elements touched, the same on every machine: good enough
 * to tell what is cheap to compute again from what is dear.
 */
final class Effort {
    private static final double CALL = 64;
    private static final double PER_LIBRARY_ELEMENT = 16;
    private static final double PRODUCTS_PER_ELEMENT = 8;

    private Effort() {}

    static double of(Node node) {
        double touched = CALL + elements(node.inputTypes()) + elements(node.outputTypes());
        return switch (node.kernel()) {
            case Kernel.Contract k ->
                    touched
                            + (double) k.batch().size()
                                    * k.m()
                                    * k.n()
                                    * k.k()
                                    / PRODUCTS_PER_ELEMENT;
            case Kernel.Scan k -> touched + k.times() * of(k.body());
            case Kernel.While k -> touched + k.limit() * of(k.body());
            case Kernel.Sweep k ->
                    touched
                            + k.forward().times()
                                    * (of(k.forward().body()) + of(k.backward().body()));
            case Kernel.Cond k -> touched + Math.max(of(k.yes()), of(k.no()));
            case Kernel.Convolve _, Kernel.Attend _, Kernel.AttendGrad _, Kernel.Library _ ->
                    touched * PER_LIBRARY_ELEMENT;
            case Kernel.Map _,
                    Kernel.Fold _,
                    Kernel.Assemble _,
                    Kernel.Gather _,
                    Kernel.Scatter _,
                    Kernel.Cumulate _ ->
                    touched;
        };
    }

    private static double of(Graph graph) {
        return graph.nodes().stream().mapToDouble(Effort::of).sum();
    }

    private static double elements(List<Type> types) {
        return types.stream().mapToDouble(Type::size).sum();
    }
}
