package dev.ebb.pass.tiling;

import dev.ebb.ir.Control;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Computes large regions of a graph tile by tile. A large value whose rows are computed
 * independently need not exist as a whole if it is only read row by row or combined over all rows:
 * {@link TileRegion} finds the nodes around such a value, {@link TileLoop} makes them a loop over
 * tiles. No bit changes, because tiles end only where the device allows it.
 */
public final class Tiling {
    /** The most loops that are made; the largest values come first. */
    private static final int MOST_LOOPS = 4;

    /**
     * After the first loop, only values of at least the size of its seed divided by this get loops.
     */
    private static final int LARGE = 8;

    /**
     * Only values of at least the bytes of the whole graph divided by this get loops. A graph with
     * only smaller ones has many values of that size, for which recomputation suffices.
     */
    private static final int OF_ALL = 16;

    private final Node.Cuts cuts;
    private final int coarser;
    private final long smallest;

    private Tiling(Node.Cuts cuts, int coarser, long smallest) {
        this.cuts = cuts;
        this.coarser = coarser;
        this.smallest = smallest;
    }

    /**
     * Versions of {@code graph} with its large regions in tiles: first in as many tiles as
     * possible, then in a quarter as many, and so on. Empty if there is no such region.
     *
     * @param storeAllBytes the bytes that the graph needs if everything is kept
     */
    public static List<Graph> of(Graph graph, Node.Cuts cuts, long storeAllBytes) {
        var all = new ArrayList<Graph>();
        for (int coarser = 0; ; coarser++) {
            var found = new Tiling(cuts, coarser, storeAllBytes / OF_ALL).tiled(graph);
            if (found.isEmpty()) return all;
            all.add(found.get());
        }
    }

    private Optional<Graph> tiled(Graph graph) {
        var here = graph;
        var tried = new HashSet<Value>();
        long least = smallest;
        for (int loops = 0; loops < MOST_LOOPS; ) {
            var seed = largest(here, tried);
            if (seed.isEmpty()) break;
            long bytes = seed.get().type().bytes();
            if (bytes < least) break;
            tried.add(seed.get());
            var next = TileRegion.around(seed.get(), here, cuts, coarser);
            if (next.isEmpty()) continue;
            here = next.get();
            if (loops++ == 0) least = bytes / LARGE;
        }
        return here.equals(graph) ? Optional.empty() : Optional.of(here);
    }

    private static Optional<Value> largest(Graph graph, Set<Value> tried) {
        return graph.nodes().stream()
                .filter(n -> !(n.kernel() instanceof Control) && !Trait.once(n.op().traits()))
                .map(Node::outputs)
                .flatMap(List::stream)
                .filter(v -> !tried.contains(v))
                .min(
                        Comparator.comparingLong((Value v) -> -v.type().bytes())
                                .thenComparingInt(Value::id));
    }
}
