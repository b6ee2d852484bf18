package dev.ebb.plan;

import dev.ebb.ir.Control;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The text on what a plan does inside a loop or branch: what the loop keeps for its reverse, and
 * how many kernels of each of its bodies run more than once in an iteration. The planner writes
 * recomputations into the body, so a kernel that occurs there twice is recomputed.
 */
final class LoopText {
    private record Call(Op op, List<Value> inputs) {}

    private LoopText() {}

    /** A line for each loop or branch that keeps something or repeats something. */
    static List<String> of(Graph graph) {
        var lines = new ArrayList<String>();
        for (Node node : graph.nodes()) {
            if (!(node.kernel() instanceof Control control)) continue;
            var parts = new ArrayList<String>();
            bodies(control)
                    .forEach(
                            (name, body) -> {
                                int again = repeats(body);
                                if (again > 0)
                                    parts.add(
                                            name
                                                    + " repeats "
                                                    + again
                                                    + " of its "
                                                    + body.nodes().size()
                                                    + " kernels");
                            });
            if (parts.isEmpty() && !keeps(control)) continue;
            parts.addFirst(node.op().name());
            lines.add(String.join("; ", parts));
        }
        return lines;
    }

    private static boolean keeps(Control control) {
        return switch (control) {
            case Control.Scan k -> k.checkpointing() instanceof Control.Checkpointing.Checkpoints;
            case Control.While k -> k.checkpointing() instanceof Control.Checkpointing.Online;
            case Control.ReverseScan _, Control.Cond _ -> false;
        };
    }

    private static Map<String, Graph> bodies(Control control) {
        var named = new LinkedHashMap<String, Graph>();
        switch (control) {
            case Control.Scan k -> {
                named.put("an iteration", k.body());
                if (k.checkpointing() instanceof Control.Checkpointing.Checkpoints(_, var taping))
                    named.put("a taped iteration", taping.body());
            }
            case Control.While k -> {
                named.put("the condition", k.condition());
                named.put("an iteration", k.body());
            }
            case Control.ReverseScan k -> {
                named.put("an iteration run again", k.forward().body());
                named.put("a taped iteration", k.taping().body());
                named.put("a reverse iteration", k.backward().body());
            }
            case Control.Cond k -> {
                named.put("the first branch", k.yes());
                named.put("the second branch", k.no());
            }
        }
        return named;
    }

    /**
     * The number of nodes of {@code body}, and of the bodies inside it, that repeat the computation
     * of another node.
     */
    private static int repeats(Graph body) {
        var first = new Table<Value, Value>();
        var known = new HashMap<Call, List<Value>>();
        int count = 0;
        for (Node node : body.nodes()) {
            var call =
                    new Call(
                            node.op(),
                            node.inputs().stream().map(v -> first.find(v).orElse(v)).toList());
            var before = known.putIfAbsent(call, node.outputs());
            if (before != null) {
                count++;
                for (int i = 0; i < before.size(); i++)
                    first.put(node.outputs().get(i), before.get(i));
            }
            if (node.kernel() instanceof Control inner)
                for (var nested : bodies(inner).values()) count += repeats(nested);
        }
        return count;
    }
}
