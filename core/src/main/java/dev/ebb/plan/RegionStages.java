package dev.ebb.plan;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The forward half divided into stages, one for each region at the outermost level that has more
 * than one; nodes between regions belong to the stage before them. Without regions every node is a
 * stage.
 */
record RegionStages(IdentityHashMap<Node, Integer> byNode, int count) {

    static RegionStages of(Graph graph) {
        var forward = graph.nodes().stream().filter(n -> !n.reverse()).toList();
        int depth = depth(forward);
        var byNode = new IdentityHashMap<Node, Integer>();
        int stage = -1;
        var last = new ArrayList<String>();
        for (Node node : forward) {
            var path = node.region().path();
            boolean inside = depth > 0 && path.size() >= depth;
            if (depth == 0 || stage < 0 || (inside && !path.subList(0, depth).equals(last))) {
                if (depth == 0 || stage < 0 || !last.isEmpty()) stage++;
            }
            if (inside) {
                last.clear();
                last.addAll(path.subList(0, depth));
            }
            byNode.put(node, stage);
        }
        return new RegionStages(byNode, stage + 1);
    }

    /** Whether the forward half has more than one region at some level. */
    static boolean isDivided(Graph graph) {
        return depth(graph.nodes().stream().filter(n -> !n.reverse()).toList()) > 0;
    }

    private static int depth(List<Node> forward) {
        int deepest = forward.stream().mapToInt(n -> n.region().path().size()).max().orElse(0);
        for (int d = 1; d <= deepest; d++) {
            var names = new HashSet<List<String>>();
            for (Node node : forward) {
                if (node.region().path().size() >= d) names.add(node.region().path().subList(0, d));
            }
            if (names.size() > 1) return d;
        }
        return 0;
    }

    /** The values that cross from one group of {@code size} stages into a later one. */
    Set<Value> crossing(Graph graph, int size) {
        Map<Value, Integer> made = new HashMap<>();
        var crossing = new HashSet<Value>();
        for (Node node : graph.nodes()) {
            Integer stage = byNode.get(node);
            if (stage == null) continue;
            for (Value v : node.outputs()) made.put(v, stage / size);
            for (Value v : node.inputs()) {
                Integer from = made.get(v);
                if (from != null && from != stage / size) crossing.add(v);
            }
        }
        return crossing;
    }
}
