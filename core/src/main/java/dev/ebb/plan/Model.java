package dev.ebb.plan;

import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;

import java.util.Arrays;
import java.util.List;

/**
 * A problem in plain arrays, for algorithms that replay it thousands of times. Values are numbered
 * params first, then the outputs of the nodes in graph order; nodes keep their place in the graph.
 */
final class Model {
    /**
     * How much dearer than it is the recomputation of an EXPENSIVE node counts, so that it comes
     * last.
     */
    private static final double RELUCTANCE = 64;

    final Problem problem;
    final List<Node> nodes;
    final Value[] values;
    final int params;

    /** The distinct values that a node reads, and those it writes. */
    final int[][] in;

    final int[][] out;

    /**
     * Which output may lie over which dying input: pairs of values, {@code from, into, from, into,
     * ...}.
     */
    final int[][] reuse;

    final long[] bytes;
    final double[] cost;

    /** What computing a node once more counts: its cost, or a multiple of it if it is EXPENSIVE. */
    final double[] again;

    /** The node that writes a value; -1 for a param. */
    final int[] producer;

    /** The nodes that read a value, in graph order. */
    final int[][] readers;

    /** Must be resident at the end. */
    final boolean[] pinned;

    /** May not be computed twice. */
    final boolean[] once;

    final boolean[] effect;

    /** The value, a param in the end, in whose place a value must lie; -1 for none. */
    final int[] place;

    final long paramBytes;

    Model(Problem problem, Cost costs) {
        this.problem = problem;
        var graph = problem.graph();
        nodes = graph.nodes();
        params = graph.params().size();
        int n = nodes.size();
        int count = params;
        for (Node node : nodes) count += node.outputs().size();
        values = new Value[count];
        producer = new int[count];
        Arrays.fill(producer, -1);
        var index = new Table<Value, Integer>();
        int next = 0;
        for (Value p : graph.params()) next = number(index, p, next);
        in = new int[n][];
        out = new int[n][];
        reuse = new int[n][];
        cost = new double[n];
        again = new double[n];
        once = new boolean[n];
        effect = new boolean[n];
        for (int i = 0; i < n; i++) {
            var node = nodes.get(i);
            in[i] = node.inputs().stream().mapToInt(index::at).distinct().toArray();
            out[i] = new int[node.outputs().size()];
            for (int k = 0; k < out[i].length; k++) {
                producer[next] = i;
                out[i][k] = next;
                next = number(index, node.outputs().get(k), next);
            }
            cost[i] = checked(costs.of(node), node);
            var traits = node.op().traits();
            again[i] = traits.contains(Trait.EXPENSIVE) ? cost[i] * RELUCTANCE : cost[i];
            effect[i] = traits.contains(Trait.EFFECT);
            once[i] = effect[i] || traits.contains(Trait.NONDETERMINISTIC);
        }
        bytes = new long[count];
        for (int v = 0; v < count; v++) bytes[v] = problem.bytes(values[v]);
        for (int i = 0; i < n; i++) reuse[i] = reusable(i);
        readers = readers(count);
        pinned = new boolean[count];
        for (Value r : graph.results()) pinned[index.at(r)] = true;
        place = new int[count];
        Arrays.fill(place, -1);
        for (int p = 0; p < params; p++) {
            switch (problem.bindings().get(p)) {
                case Binding.Kept _ -> pinned[p] = true;
                case Binding.Consumed _ -> {}
                case Binding.Replaced(int r) -> replace(p, index.at(graph.results().get(r)));
            }
        }
        long total = 0;
        for (int p = 0; p < params; p++) total = Math.addExact(total, bytes[p]);
        paramBytes = total;
    }

    private int number(Table<Value, Integer> index, Value value, int next) {
        values[next] = value;
        index.put(value, next);
        return next + 1;
    }

    private static double checked(double cost, Node node) {
        if (!(cost >= 0 && cost < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(
                    "the cost of " + node + " is " + cost + ", not a finite number from 0 up");
        }
        return cost;
    }

    private int[] reusable(int i) {
        var pairs = new int[2 * in[i].length * out[i].length];
        int count = 0;
        for (int o : out[i]) {
            for (int x : in[i]) {
                if (bytes[x] == bytes[o] && Inplace.allowed(nodes.get(i), values[x], values[o])) {
                    pairs[count++] = x;
                    pairs[count++] = o;
                }
            }
        }
        return Arrays.copyOf(pairs, count);
    }

    private int[][] readers(int count) {
        var sizes = new int[count];
        for (int[] inputs : in) for (int x : inputs) sizes[x]++;
        var lists = new int[count][];
        for (int v = 0; v < count; v++) lists[v] = new int[sizes[v]];
        Arrays.fill(sizes, 0);
        for (int i = 0; i < in.length; i++) for (int x : in[i]) lists[x][sizes[x]++] = i;
        return lists;
    }

    private void replace(int param, int result) {
        if (param == result) return;
        var chain = Inplace.chain(nodes, values[param], values[result]);
        if (chain.isEmpty()) {
            int node = producer[result];
            throw new IllegalArgumentException(
                    values[result]
                            + " cannot be written in the place of "
                            + values[param]
                            + ": the node that computes it must read the parameter element by"
                            + " element, not "
                            + (node >= 0 ? nodes.get(node) : "be another parameter"));
        }
        int into = result;
        for (int k = 1; k <= chain.size(); k++) {
            int from = k < chain.size() ? before(into, chain.get(k)) : param;
            place[into] = from;
            once[producer[into]] = true;
            into = from;
        }
    }

    /** The number of {@code value}, which the node that computes {@code into} reads. */
    private int before(int into, Value value) {
        for (int x : in[producer[into]]) if (values[x].equals(value)) return x;
        throw new IllegalStateException(value + " is not read for " + values[into]);
    }

    /** The cost of computing every node once: no plan is cheaper. */
    double total() {
        double sum = 0;
        for (double c : cost) sum += c;
        return sum;
    }
}
