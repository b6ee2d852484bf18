package dev.ebb.plan.search;

import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Binding;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Inplace;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.Problem;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * A problem in plain arrays, for algorithms that replay it thousands of times. Values are numbered
 * params first, then outputs of nodes in graph order, then the values that only inversions and
 * transfers use. A sequence consists of works: nodes in graph order, then inversions, then
 * transfers to and from places. An offloaded copy is a value that takes no memory.
 */
public final class SearchModel {
    /** The factor on the recomputation cost of an EXPENSIVE node, so that it is chosen last. */
    private static final double RELUCTANCE = 64;

    public final Problem problem;

    /** The cost of a node, computed once. */
    final Cost costs;

    public final List<Node> nodes;
    final Value[] values;
    final int params;

    /** The number of works; those below {@code nodes.size()} are nodes. */
    final int works;

    private final int firstTransfer;

    /** The distinct values that a work reads, and those it writes. */
    public final int[][] in;

    final int[][] out;

    /**
     * The same in one array, for the replays: the values that work {@code u} reads and then writes
     * are {@code operands[operandsFrom[u]..operandsFrom[u + 1])}, its outputs from {@code
     * writesFrom[u]} on.
     */
    final int[] operands;

    final int[] operandsFrom;
    final int[] writesFrom;

    /**
     * Possible in-place writes: pairs of a dying input and an output, {@code from, into, from,
     * into, ...}.
     */
    final int[][] reuse;

    final long[] bytes;

    /** The same pairs by what has to be. */
    final Overwrites overwrites;

    final double[] cost;

    /** The recomputation cost of a work: its cost, or a multiple of it if it is EXPENSIVE. */
    final double[] again;

    /** The node that writes a value; -1 for a param; the fetch of one that starts offloaded. */
    public final int[] producer;

    /** Other works that can write a value and are not part of the graph. */
    final int[][] ways;

    /** The value of which this is an offloaded copy; -1 for other values. */
    final int[] original;

    /** The place of a value that starts or ends outside the arena, as a number; -1 for none. */
    final int[] home;

    /** The state whose bytes outside the arena a result that ends there takes over; -1 for none. */
    final int[] previous;

    /** Whether all values that may start or end outside the arena do. */
    final boolean fitsAway;

    /** The values that may be offloaded, and the index of each in that list; -1 for the others. */
    private final int[] moved;

    private final int[] moving;

    /** The first copy in each place of the problem; -1 for places that are not used. */
    private final int[] copies;

    /** The nodes that read a value, in graph order. */
    final int[][] readers;

    /** Whether a value must be resident at the end. */
    final boolean[] pinned;

    /** Whether a value is resident at the start. */
    final boolean[] initial;

    /** Whether a work may run only once. */
    public final boolean[] once;

    final boolean[] effect;

    /** The value, ultimately a param, whose memory a value must reuse; -1 for none. */
    final int[] place;

    public final long paramBytes;

    /** The bytes of all values that must be resident at the end. */
    final long pinnedBytes;

    /** Params whose memory a result reuses. */
    private final boolean[] replaced;

    private final double total;

    public SearchModel(Problem problem, Cost costs) {
        this(problem, costs, problem.places(), false);
    }

    /**
     * A model that uses these places of the problem. If {@code away}, large parameters start in one
     * of them, and large results end there.
     */
    SearchModel(Problem problem, Cost costs, List<Place> places, boolean away) {
        this.problem = problem;
        var graph = problem.graph();
        var inversions = problem.inversions();
        nodes = graph.nodes();
        params = graph.params().size();
        int n = nodes.size();
        firstTransfer = n + inversions.size();
        var all = new ArrayList<Value>(graph.params());
        for (Node node : nodes) all.addAll(node.outputs());
        int held = all.size();
        var index = new Table<Value, Integer>();
        for (int v = 0; v < held; v++) index.put(all.get(v), v);
        for (var inversion : inversions) {
            for (Value v : inversion.node().outputs()) {
                if (index.has(v)) continue;
                index.put(v, all.size());
                all.add(v);
            }
        }
        moved = places.isEmpty() ? new int[0] : Transfers.movable(problem, all.subList(0, held));
        int plain = all.size();
        copies = new int[problem.places().size()];
        for (int k = 0; k < copies.length; k++) {
            copies[k] = places.contains(problem.places().get(k)) ? all.size() : -1;
            if (copies[k] >= 0) for (int v : moved) all.add(all.get(v));
        }
        int count = all.size();
        values = all.toArray(Value[]::new);
        // numbered independently of the places used, so that a sequence for fewer places is valid
        // for more
        works = firstTransfer + 2 * moved.length * copies.length;
        in = new int[works][];
        out = new int[works][];
        reuse = new int[works][];
        cost = new double[works];
        again = new double[works];
        once = new boolean[works];
        effect = new boolean[works];
        producer = new int[count];
        moving = new int[count];
        original = new int[count];
        home = new int[count];
        previous = new int[count];
        for (int[] a : List.of(producer, moving, original, home, previous)) Arrays.fill(a, -1);
        for (int j = 0; j < moved.length; j++) moving[moved[j]] = j;
        bytes = new long[count];
        for (int v = 0; v < plain; v++) bytes[v] = problem.bytes(values[v]);
        ways = new int[count][0];
        for (int u = 0; u < firstTransfer; u++) work(u, index, costs);
        for (int k = 0; k < copies.length; k++) for (int v : moved) transfer(v, k);
        operandsFrom = new int[works + 1];
        writesFrom = new int[works];
        operands = WorkOperands.flat(in, out, operandsFrom, writesFrom);
        readers = WorkOperands.readers(in, nodes.size(), count);
        pinned = new boolean[count];
        for (Value r : graph.results()) pinned[index.at(r)] = true;
        initial = new boolean[count];
        Arrays.fill(initial, 0, params, true);
        place = new int[count];
        Arrays.fill(place, -1);
        for (int p = 0; p < params; p++) {
            switch (problem.bindings().get(p)) {
                case Binding.Kept _ -> pinned[p] = true;
                case Binding.Consumed _ -> {}
                case Binding.Replaced(int r) -> {
                    int result = index.at(graph.results().get(r));
                    if (away && moving[p] >= 0 && moving[result] >= 0) {
                        pinned[result] = true;
                        if (result >= params) previous[result] = p;
                    } else {
                        replace(p, result, index);
                    }
                }
            }
        }
        fitsAway = away && new StatePlaces(this, moved).choose();
        long total = 0;
        for (int p = 0; p < params; p++) if (initial[p]) total = Math.addExact(total, bytes[p]);
        paramBytes = total;
        replaced = new boolean[count];
        for (int p = 0; p < params; p++)
            replaced[p] = initial[p] && problem.bindings().get(p) instanceof Binding.Replaced;
        long atEnd = 0;
        for (int v = 0; v < count; v++) if (pinned[v]) atEnd += bytes[v];
        pinnedBytes = atEnd;
        double sum = 0;
        for (int u = 0; u < n; u++) sum += cost[u];
        this.total = sum;
        var known = new IdentityHashMap<Node, Double>();
        for (int u = 0; u < firstTransfer; u++) known.put(node(u), cost[u]);
        this.costs = node -> known.containsKey(node) ? known.get(node) : costs.of(node);
        overwrites = new Overwrites(this);
    }

    private void work(int u, Table<Value, Integer> index, Cost costs) {
        int n = nodes.size();
        var node = node(u);
        in[u] = node.inputs().stream().mapToInt(index::at).distinct().toArray();
        out[u] = node.outputs().stream().mapToInt(index::at).toArray();
        cost[u] = checked(costs.of(node), node);
        var traits = node.op().traits();
        again[u] = traits.contains(Trait.EXPENSIVE) ? cost[u] * RELUCTANCE : cost[u];
        effect[u] = traits.contains(Trait.EFFECT);
        once[u] = effect[u] || traits.contains(Trait.NONDETERMINISTIC);
        for (int o : out[u]) {
            if (u < n) producer[o] = u;
            else ways[o] = with(ways[o], u);
        }
        reuse[u] = WorkOperands.reusable(node, in[u], out[u], bytes, values);
    }

    private static int[] with(int[] list, int more) {
        var longer = Arrays.copyOf(list, list.length + 1);
        longer[list.length] = more;
        return longer;
    }

    private void transfer(int v, int k) {
        int store = store(v, k);
        int fetch = store + 1;
        in[store] = out[store] = in[fetch] = out[fetch] = reuse[store] = reuse[fetch] = new int[0];
        if (copies[k] < 0) return;
        int copy = copy(v, k);
        original[copy] = v;
        producer[copy] = store;
        in[store] = out[fetch] = new int[] {v};
        out[store] = in[fetch] = new int[] {copy};
        cost[store] = again[store] = placeOf(store).toWrite(bytes[v]);
        cost[fetch] = again[fetch] = placeOf(fetch).toRead(bytes[v]);
        ways[v] = with(ways[v], fetch);
    }

    /** Makes a parameter start in place {@code k}, or a result end there. */
    void leave(int v, int k) {
        home[v] = k;
        pinned[v] = false;
        if (v < params) {
            initial[v] = false;
            initial[copy(v, k)] = true;
            producer[v] = store(v, k) + 1;
        } else {
            pinned[copy(v, k)] = true;
        }
    }

    /** Whether {@code v} is a result that ends outside the arena. */
    boolean endsAway(int v) {
        return v >= params && home[v] >= 0;
    }

    /** The value over which {@code v} is written, in the arena or outside it; -1 for none. */
    int overwritten(int v) {
        return place[v] >= 0 ? place[v] : previous[v];
    }

    /**
     * The fetch that a store makes impossible, since it overwrites the value that the fetch reads;
     * -1 for none.
     */
    int ended(int store) {
        int state = previous[in[store][0]];
        return state < 0 || placeNumber(store) != home[state] ? -1 : store(state, home[state]) + 1;
    }

    /** Whether values may be offloaded at all. */
    boolean mayMove() {
        return moved.length > 0;
    }

    private int copy(int v, int k) {
        return copies[k] + moving[v];
    }

    /** The transfer of {@code v} to place number {@code k}; the one back is the next. */
    int store(int v, int k) {
        return firstTransfer + 2 * (k * moved.length + moving[v]);
    }

    /** The number of the place to or from which a transfer goes. */
    int placeNumber(int u) {
        return (u - firstTransfer) / 2 / moved.length;
    }

    Place placeOf(int u) {
        return problem.places().get(placeNumber(u));
    }

    /** Whether place number {@code k} is used. */
    boolean uses(int k) {
        return copies[k] >= 0;
    }

    /** The node that computes {@code v}; -1 for a param, wherever it starts. */
    public int maker(int v) {
        return producer[v] < nodes.size() ? producer[v] : -1;
    }

    /** The kernel that a work runs: a node of the graph, or of an inversion. */
    Node node(int u) {
        int n = nodes.size();
        return u < n ? nodes.get(u) : problem.inversions().get(u - n).node();
    }

    boolean isTransfer(int u) {
        return u >= firstTransfer;
    }

    /** Whether {@code u} is a transfer out of the arena. */
    boolean isStore(int u) {
        return u >= firstTransfer && (u - firstTransfer) % 2 == 0;
    }

    private static double checked(double cost, Node node) {
        if (!(cost >= 0 && cost < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(
                    "the cost of " + node + " is " + cost + ", not a finite number from 0 up");
        }
        return cost;
    }

    private void replace(int param, int result, Table<Value, Integer> index) {
        if (param == result) return;
        var chain = Inplace.chain(nodes, values[param], values[result]);
        if (chain.isEmpty()) {
            int node = producer[result];
            throw new IllegalArgumentException(
                    values[result]
                            + " cannot be written into the memory of "
                            + values[param]
                            + ": the node that computes it must read the parameter element by"
                            + " element, not "
                            + (node >= 0 ? nodes.get(node) : "be another parameter"));
        }
        int into = result;
        for (int k = 1; k <= chain.size(); k++) {
            int from = k < chain.size() ? index.at(chain.get(k)) : param;
            place[into] = from;
            once[producer[into]] = true;
            into = from;
        }
    }

    /** Whether a result reuses the memory of a param, which then cannot be kept for longer. */
    boolean isReplaced(int x) {
        return replaced[x];
    }

    /** Whether some work has a recomputation cost above its cost. */
    public boolean isWeighted() {
        return !Arrays.equals(again, cost);
    }

    /** The cost of computing every node once: no plan is cheaper. */
    public double total() {
        return total;
    }
}
