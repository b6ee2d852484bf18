package dev.ebb.plan.schedule;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Inverse;
import dev.ebb.ir.Node;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;

/**
 * How a value can be rebuilt without the nodes that computed it: {@code node} computes an input of
 * {@code undone} from its outputs and its other inputs.
 */
public record Inversion(Node node, Node undone, boolean exact) {

    /** The value that is rebuilt. */
    public Value value() {
        return node.outputs().getFirst();
    }

    /**
     * All inversions that the ops of {@code graph} have, of values that the graph computes. A value
     * that only the op itself reads is left out, because nothing needs it after the op has run.
     */
    public static List<Inversion> of(Graph graph) {
        var params = new HashSet<>(graph.params());
        var readers = new HashMap<Value, Integer>();
        for (Value r : graph.results()) readers.merge(r, 1, Integer::sum);
        for (Node node : graph.nodes())
            for (Value v : new HashSet<>(node.inputs())) readers.merge(v, 1, Integer::sum);
        var found = new ArrayList<Inversion>();
        for (Node node : graph.nodes()) {
            for (Inverse inverse : node.op().inverses(node.inputTypes())) {
                var input = node.inputs().get(inverse.input());
                long reads = node.inputs().stream().filter(input::equals).count();
                if (params.contains(input) || reads > 1 || readers.getOrDefault(input, 0) < 2)
                    continue;
                found.add(new Inversion(inverse.of(node), node, inverse.exact()));
            }
        }
        return found;
    }
}
