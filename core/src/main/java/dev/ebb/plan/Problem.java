package dev.ebb.plan;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Type;

import java.util.Collections;
import java.util.HashSet;
import java.util.List;

/** A graph to be scheduled, and what may become of each of its parameters. */
public record Problem(Graph graph, List<Binding> bindings) {

    public Problem {
        bindings = List.copyOf(bindings);
        if (bindings.size() != graph.params().size()) {
            throw new IllegalArgumentException(
                    bindings.size() + " bindings for " + graph.params().size() + " parameters");
        }
        var taken = new HashSet<Integer>();
        for (int i = 0; i < bindings.size(); i++) {
            if (bindings.get(i) instanceof Binding.Replaced(int r)) {
                var param = graph.params().get(i);
                if (!taken.add(r) || !alike(graph.results().get(r).type(), param.type())) {
                    throw new IllegalArgumentException(
                            "result " + r + " cannot take the place of " + param);
                }
            }
        }
    }

    private static boolean alike(Type a, Type b) {
        return a.dtype() == b.dtype() && a.size() == b.size();
    }

    /** Every parameter is read in anew for each run. */
    public static Problem of(Graph graph) {
        return new Problem(
                graph, Collections.nCopies(graph.params().size(), new Binding.Consumed()));
    }
}
