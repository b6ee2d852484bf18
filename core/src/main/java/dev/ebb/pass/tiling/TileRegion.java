package dev.ebb.pass.tiling;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The nodes that can be computed row by row in one loop with the node that computes a given large
 * value, the seed. Nodes that pass values in rows to one another belong to the same loop. A node
 * that needs a result of the loop as a whole, such as a sum over all rows, runs after the loop, and
 * the nodes that read its results row by row belong to a later loop. So each node gets a time: even
 * if it can run inside a loop, odd if it runs between loops. Connected nodes of the same time can
 * run in one loop. If a later loop reads large values of an earlier one, it computes them again
 * instead of reading them from memory.
 */
final class TileRegion {
    /** The fewest rows of a tile. */
    private static final int FEWEST = 64;

    /**
     * A value of an earlier loop is computed again unless it is this many times smaller than the
     * seed.
     */
    private static final int SMALL = 8;

    private final Graph graph;
    private final Value seed;
    private final int rows;
    private final int coarser;

    /** For each node, the axis along which it can be computed in tiles, if there is one. */
    private final List<Optional<TileAxis>> axes = new ArrayList<>();

    private final List<Integer> times = new ArrayList<>();
    private final Table<Value, Integer> producer = new Table<>();

    private TileRegion(Graph graph, Value seed, Node.Cuts cuts, int rows, int coarser) {
        this.graph = graph;
        this.seed = seed;
        this.rows = rows;
        this.coarser = coarser;
        for (int n = 0; n < graph.nodes().size(); n++) {
            var node = graph.nodes().get(n);
            axes.add(TileAxis.of(node, rows, cuts).filter(a -> 2L * a.unit() <= rows));
            for (Value v : node.outputs()) producer.put(v, n);
        }
        for (int n = 0; n < axes.size(); n++) times.add(time(n));
    }

    /**
     * {@code graph} with the region around {@code seed} as a loop, if the seed then need not exist
     * as a whole.
     */
    static Optional<Graph> around(Value seed, Graph graph, Node.Cuts cuts, int coarser) {
        int rows = seed.type().shape().dims().stream().filter(d -> d != 1).findFirst().orElse(1);
        if (rows < 2 * FEWEST) return Optional.empty();
        var region = new TileRegion(graph, seed, cuts, rows, coarser);
        if (region.makerInRows(seed).isEmpty()) return Optional.empty();
        var apart = new SplitKernels(graph, rows, cuts).around(region.connected(), region.axes);
        return apart.equals(graph)
                ? region.looped()
                : new TileRegion(apart, seed, cuts, rows, coarser).looped();
    }

    private Node node(int n) {
        return graph.nodes().get(n);
    }

    private TileAxis axis(int n) {
        return axes.get(n).orElseThrow();
    }

    /** The node that computes {@code v} in rows, if there is one. */
    private Optional<Integer> makerInRows(Value v) {
        return producer.find(v).filter(n -> axes.get(n).filter(a -> !a.folded()).isPresent());
    }

    /** Whether node {@code n} can read its operand {@code i} from a node of the same loop. */
    private boolean inLoop(int n, int i) {
        return axes.get(n).filter(a -> a.inRows().get(i)).isPresent()
                && makerInRows(node(n).inputs().get(i)).isPresent();
    }

    private int time(int n) {
        boolean inside = axes.get(n).isPresent();
        int time = inside ? 0 : -1;
        for (int i = 0; i < node(n).inputs().size(); i++) {
            var from = producer.find(node(n).inputs().get(i));
            if (from.isEmpty()) continue;
            int before = times.get(from.get());
            if (inLoop(n, i)) time = Math.max(time, before);
            else if (inside) time = Math.max(time, before + (isOdd(before) ? 1 : 2));
            else time = Math.max(time, before + (isOdd(before) ? 0 : 1));
        }
        return time;
    }

    private static boolean isOdd(int time) {
        return (time & 1) != 0;
    }

    /** The nodes of the loop that computes the seed. */
    private Set<Integer> connected() {
        var readers = new Table<Value, List<Integer>>();
        for (int n = 0; n < axes.size(); n++) {
            for (int i = 0; i < node(n).inputs().size(); i++) {
                if (!inLoop(n, i)) continue;
                var v = node(n).inputs().get(i);
                if (!readers.has(v)) readers.put(v, new ArrayList<>());
                readers.at(v).add(n);
            }
        }
        int time = times.get(producer.at(seed));
        var found = new TreeSet<Integer>();
        var open = new ArrayDeque<>(List.of(producer.at(seed)));
        while (!open.isEmpty()) {
            int n = open.pop();
            if (times.get(n) != time || !found.add(n)) continue;
            for (int i = 0; i < node(n).inputs().size(); i++)
                if (inLoop(n, i)) open.push(producer.at(node(n).inputs().get(i)));
            if (axis(n).folded()) continue;
            for (Value v : node(n).outputs()) readers.find(v).orElse(List.of()).forEach(open::push);
        }
        return found;
    }

    /** The nodes {@code own} and those of earlier loops whose large values they read in rows. */
    private Set<Integer> withEarlier(Set<Integer> own) {
        var all = new TreeSet<>(own);
        var open = new ArrayDeque<>(own);
        while (!open.isEmpty()) {
            int n = open.pop();
            for (int i = 0; i < node(n).inputs().size(); i++) {
                var v = node(n).inputs().get(i);
                if (!inLoop(n, i) || v.type().bytes() * SMALL < seed.type().bytes()) continue;
                int from = producer.at(v);
                if (all.add(from)) open.push(from);
            }
        }
        return all;
    }

    /** The values that nodes of {@code own} compute in rows and nodes outside of it read. */
    private Set<Value> leaving(Set<Integer> own) {
        var read = new HashSet<>(graph.results());
        for (int n = 0; n < axes.size(); n++) if (!own.contains(n)) read.addAll(node(n).inputs());
        var all = new HashSet<Value>();
        for (int n : own)
            if (!axis(n).folded())
                for (Value v : node(n).outputs()) if (read.contains(v)) all.add(v);
        return all;
    }

    private Optional<Graph> looped() {
        var own = connected();
        var leaving = leaving(own);
        if (leaving.contains(seed)) return Optional.empty();
        var members = withEarlier(own);
        long tile = FEWEST;
        for (int n : members) {
            int unit = axis(n).unit();
            tile = tile / TileAxis.gcd((int) tile, unit) * unit;
            if (2 * tile > rows) return Optional.empty();
        }
        tile <<= 2 * coarser;
        if (2 * tile > rows) return Optional.empty();
        var ordered = members.stream().map(this::axis).toList();
        var loop = new TileLoop(ordered, leaving, rows, (int) tile);
        return loop.isByteWise() ? rewritten(own, loop) : Optional.empty();
    }

    /**
     * The graph with {@code loop} instead of {@code own}; empty if the order of effects changes.
     */
    private Optional<Graph> rewritten(Set<Integer> own, TileLoop loop) {
        var nodes = read(new Order(own, loop).nodes());
        return effects(nodes).equals(effects(graph.nodes()))
                ? Optional.of(new Graph(graph.params(), nodes, graph.results()))
                : Optional.empty();
    }

    private static List<Node> effects(List<Node> nodes) {
        return nodes.stream().filter(n -> n.op().traits().contains(Trait.EFFECT)).toList();
    }

    /** The nodes among {@code nodes} whose results are needed or that have an effect. */
    private List<Node> read(List<Node> nodes) {
        var needed = new HashSet<>(graph.results());
        var kept = new ArrayList<Node>();
        for (Node node : nodes.reversed()) {
            if (!node.op().traits().contains(Trait.EFFECT)
                    && node.outputs().stream().noneMatch(needed::contains)) continue;
            needed.addAll(node.inputs());
            kept.add(node);
        }
        return kept.reversed();
    }

    /**
     * The new order of the nodes. It is the old one, but the nodes that lead to the loop's inputs
     * come before the loop.
     */
    private final class Order {
        private final Set<Integer> own;
        private final TileLoop loop;
        private final BitSet done = new BitSet();
        private final List<Node> ordered = new ArrayList<>();

        Order(Set<Integer> own, TileLoop loop) {
            this.own = own;
            this.loop = loop;
        }

        List<Node> nodes() {
            for (int n = 0; n < axes.size(); n++) add(n);
            return ordered;
        }

        private void add(int n) {
            if (done.get(n)) return;
            done.set(n);
            if (!own.contains(n)) {
                node(n).inputs().forEach(v -> producer.find(v).ifPresent(this::add));
                ordered.add(node(n));
                return;
            }
            own.forEach(done::set);
            loop.inputs().forEach(v -> producer.find(v).ifPresent(this::add));
            ordered.addAll(loop.nodes(graph.unusedId()));
        }
    }
}
