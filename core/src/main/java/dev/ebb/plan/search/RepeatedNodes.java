package dev.ebb.plan.search;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Finds the nodes of a graph that repeat each other: the same op on operands of the same sizes,
 * with neighbours that repeat each other too, up to a few steps away. So the layers of a network
 * are recognised, node by node, and one decision can be made for all of them. This is colour
 * refinement (Weisfeiler and Leman, 1968), stopped early so that the first and last layers still
 * match those in the middle.
 */
final class RepeatedNodes {
    private static final int ITERATIONS = 3;
    private static final long PRIME = 0x9E3779B97F4A7C15L;

    private final int[] colour;
    private final int[][] members;

    RepeatedNodes(SearchModel model) {
        int n = model.nodes.size();
        var now = new long[n];
        for (int u = 0; u < n; u++) now[u] = own(model, u);
        for (int iteration = 0; iteration < ITERATIONS; iteration++) {
            var next = new long[n];
            for (int u = 0; u < n; u++) next[u] = among(model, u, now);
            now = next;
        }
        colour = new int[n];
        Map<Long, Integer> numbers = new HashMap<>();
        for (int u = 0; u < n; u++)
            colour[u] = numbers.computeIfAbsent(now[u], _ -> numbers.size());
        var count = new int[numbers.size()];
        for (int c : colour) count[c]++;
        members = new int[count.length][];
        for (int c = 0; c < count.length; c++) members[c] = new int[count[c]];
        Arrays.fill(count, 0);
        for (int u = 0; u < n; u++) members[colour[u]][count[colour[u]]++] = u;
    }

    private static long own(SearchModel model, int u) {
        var node = model.nodes.get(u);
        long hash = node.op().name().hashCode();
        hash = mix(hash, node.reverse() ? 1 : 2);
        hash = mix(hash, Double.doubleToLongBits(model.again[u]));
        hash = mix(hash, model.once[u] ? 1 : 2);
        for (int x : model.in[u]) hash = mix(hash, model.bytes[x]);
        for (int o : model.out[u]) hash = mix(mix(hash, model.bytes[o]), model.pinned[o] ? 1 : 2);
        return hash;
    }

    private static long among(SearchModel model, int u, long[] colours) {
        long hash = colours[u];
        for (int x : model.in[u]) {
            int p = model.maker(x);
            hash = mix(hash, p < 0 ? -1 : colours[p]);
        }
        for (int o : model.out[u]) {
            long readers = 0;
            for (int r : model.readers[o]) readers += mix(PRIME, colours[r]);
            hash = mix(hash, readers);
        }
        return hash;
    }

    private static long mix(long hash, long more) {
        long z = (hash ^ more) * PRIME;
        return z ^ z >>> 29;
    }

    /** Whether both are nodes that repeat each other. */
    boolean are(int u, int v) {
        return u < colour.length && v < colour.length && colour[u] == colour[v];
    }

    /** The nodes that repeat {@code u}, including itself, in the order of the graph. */
    int[] of(int u) {
        return members[colour[u]];
    }
}
