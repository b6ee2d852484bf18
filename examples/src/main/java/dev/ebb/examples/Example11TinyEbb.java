package dev.ebb.examples;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * A small version of Ebb in one file, on vectors of doubles: trace a function, differentiate it,
 * plan its memory within a budget, lay it out in one arena, run it. Chapter 11 of the guide
 * explains it.
 */
public final class Example11TinyEbb {
    private Example11TinyEbb() {}

    // [tiny-graph
    enum Op {
        INPUT,
        LITERAL,
        ADD,
        MUL,
        SIN,
        COS,
        SUM,
        SPREAD
    }

    /** One operation: the values it reads, the size of its result, and a literal's number. */
    record Node(Op op, List<Integer> reads, int size, double number) {}

    /** Nodes in an order in which they can run; the index of a node identifies its result. */
    static final class Graph {
        final List<Node> nodes = new ArrayList<>();

        Vector add(Op op, int size, double number, Vector... operands) {
            var reads = Arrays.stream(operands).map(Vector::id).toList();
            nodes.add(new Node(op, reads, size, number));
            return new Vector(this, nodes.size() - 1);
        }
    }

    // tiny-graph]

    // [tiny-trace
    /** A symbolic vector: the name of a value, without data. Its methods add nodes to the graph. */
    record Vector(Graph graph, int id) {
        int size() {
            return graph.nodes.get(id).size();
        }

        Vector add(Vector other) {
            return graph.add(Op.ADD, size(), 0, this, other);
        }

        Vector mul(Vector other) {
            return graph.add(Op.MUL, size(), 0, this, other);
        }

        Vector mul(double factor) {
            return mul(graph.add(Op.LITERAL, size(), factor));
        }

        Vector sin() {
            return graph.add(Op.SIN, size(), 0, this);
        }

        Vector cos() {
            return graph.add(Op.COS, size(), 0, this);
        }

        Vector sum() {
            return graph.add(Op.SUM, 1, 0, this);
        }

        Vector spread(int size) {
            return graph.add(Op.SPREAD, size, 0, this);
        }
    }

    // tiny-trace]

    // [tiny-reverse
    /** The gradient of {@code loss} with respect to {@code input}, as nodes of the same graph. */
    static Vector gradient(Vector loss, Vector input) {
        var graph = loss.graph();
        Map<Integer, Vector> cotangents = new HashMap<>();
        cotangents.put(loss.id(), graph.add(Op.LITERAL, 1, 1));
        for (int id = loss.id(); id > input.id(); id--) {
            var dy = cotangents.get(id);
            if (dy == null) continue;
            var node = graph.nodes.get(id);
            var x = node.reads().stream().map(i -> new Vector(graph, i)).toList();
            switch (node.op()) {
                case INPUT, LITERAL -> {}
                case ADD -> x.forEach(operand -> add(cotangents, operand, dy));
                case MUL -> {
                    add(cotangents, x.get(0), dy.mul(x.get(1)));
                    add(cotangents, x.get(1), dy.mul(x.get(0)));
                }
                case SIN -> add(cotangents, x.getFirst(), dy.mul(x.getFirst().cos()));
                case COS -> add(cotangents, x.getFirst(), dy.mul(x.getFirst().sin().mul(-1)));
                case SUM -> add(cotangents, x.getFirst(), dy.spread(x.getFirst().size()));
                case SPREAD -> add(cotangents, x.getFirst(), dy.sum());
            }
        }
        return cotangents.computeIfAbsent(input.id(), _ -> graph.add(Op.LITERAL, input.size(), 0));
    }

    private static void add(Map<Integer, Vector> cotangents, Vector of, Vector more) {
        cotangents.merge(of.id(), more, Vector::add);
    }

    // tiny-reverse]

    // [tiny-plan
    /** A plan: the nodes in execution order, some twice, and the offset of each result. */
    record Plan(Graph graph, List<Integer> order, List<Integer> offsets, int elements, int result) {
        long bytes() {
            return 8L * elements;
        }
    }

    /**
     * The order that computes the forward half once, keeps only the values {@code kept} of it, and
     * recomputes the others where the backward half reads them.
     */
    static List<Integer> order(Graph graph, int forward, Set<Integer> kept) {
        var order = new ArrayList<Integer>();
        var here = new HashSet<Integer>();
        for (int id = 0; id < forward; id++) compute(graph, id, here, order);
        for (int id = forward; id < graph.nodes.size(); id++) {
            here.removeIf(v -> v < forward && !kept.contains(v) && !isInput(graph, v));
            compute(graph, id, here, order);
        }
        return order;
    }

    private static boolean isInput(Graph graph, int id) {
        return graph.nodes.get(id).op() == Op.INPUT;
    }

    private static void compute(Graph graph, int id, Set<Integer> here, List<Integer> order) {
        if (!here.add(id)) return;
        for (int read : graph.nodes.get(id).reads()) compute(graph, read, here, order);
        order.add(id);
    }

    /** Gives every result an offset; it lives from its computation to its last reader. */
    static Plan layOut(Graph graph, List<Integer> order, int result) {
        var latest = new int[graph.nodes.size()];
        var end = new int[order.size()];
        for (int at = 0; at < end.length; at++) {
            for (int read : graph.nodes.get(order.get(at)).reads()) end[latest[read]] = at;
            latest[order.get(at)] = at;
            end[at] = isInput(graph, order.get(at)) ? end.length : at;
        }
        end[latest[result]] = end.length;
        var bySize = new ArrayList<Integer>();
        for (int at = 0; at < end.length; at++) bySize.add(at);
        bySize.sort(Comparator.comparingInt(at -> -graph.nodes.get(order.get(at)).size()));
        var offsets = new Integer[end.length];
        int elements = 0;
        for (int at : bySize) {
            int size = graph.nodes.get(order.get(at)).size();
            // the memory ranges occupied while this result lives, lowest first
            var taken = new TreeMap<Integer, Integer>();
            for (int other = 0; other < end.length; other++)
                if (offsets[other] != null && other <= end[at] && at <= end[other])
                    taken.merge(
                            offsets[other],
                            offsets[other] + graph.nodes.get(order.get(other)).size(),
                            Math::max);
            int offset = 0;
            for (var stretch : taken.entrySet()) {
                if (offset + size <= stretch.getKey()) break;
                offset = Math.max(offset, stretch.getValue());
            }
            offsets[at] = offset;
            elements = Math.max(elements, offset + size);
        }
        return new Plan(graph, order, List.of(offsets), elements, result);
    }

    private static Plan keeping(Set<Integer> kept, Graph graph, int forward, int result) {
        return layOut(graph, order(graph, forward, kept), result);
    }

    /** The plan with the fewest computations found that takes at most {@code budget} bytes. */
    static Plan plan(Graph graph, int forward, int result, long budget) {
        var kept = new TreeSet<Integer>();
        for (int id = 0; id < forward; id++) kept.add(id);
        var plan = keeping(kept, graph, forward, result);
        long least = plan.bytes();
        while (plan.bytes() > budget && !kept.isEmpty()) {
            // drop the value without which the arena is smallest; on a tie, the least work
            int gone = -1;
            for (int id : List.copyOf(kept)) {
                kept.remove(id);
                var other = keeping(kept, graph, forward, result);
                kept.add(id);
                if (gone < 0 || SMALLEST.compare(other, plan) < 0) {
                    gone = id;
                    plan = other;
                }
            }
            kept.remove(gone);
            least = Math.min(least, plan.bytes());
        }
        if (plan.bytes() <= budget) return plan;
        throw new IllegalArgumentException(
                "a budget of " + budget + " bytes; the least found is " + least);
    }

    private static final Comparator<Plan> SMALLEST =
            Comparator.comparingLong(Plan::bytes).thenComparingInt(p -> p.order().size());

    // tiny-plan]

    // [tiny-run
    /** Runs a plan in one arena of exactly the promised size. */
    static double[] run(Plan plan, double[] input) {
        var arena = new double[plan.elements()];
        var place = new int[plan.graph().nodes.size()];
        for (int at = 0; at < plan.order().size(); at++) {
            int id = plan.order().get(at);
            var node = plan.graph().nodes.get(id);
            var from = node.reads().stream().mapToInt(read -> place[read]).toArray();
            int to = plan.offsets().get(at);
            var out = new double[node.size()];
            for (int i = 0; i < node.size(); i++)
                out[i] =
                        switch (node.op()) {
                            case INPUT -> input[i];
                            case LITERAL -> node.number();
                            case ADD -> arena[from[0] + i] + arena[from[1] + i];
                            case MUL -> arena[from[0] + i] * arena[from[1] + i];
                            case SIN -> Math.sin(arena[from[0] + i]);
                            case COS -> Math.cos(arena[from[0] + i]);
                            case SUM -> sum(arena, from[0], plan, node);
                            case SPREAD -> arena[from[0]];
                        };
            System.arraycopy(out, 0, arena, to, out.length);
            place[id] = to;
        }
        int start = place[plan.result()];
        return Arrays.copyOfRange(arena, start, start + input.length);
    }

    private static double sum(double[] arena, int from, Plan plan, Node node) {
        double sum = 0;
        int size = plan.graph().nodes.get(node.reads().getFirst()).size();
        for (int i = 0; i < size; i++) sum += arena[from + i];
        return sum;
    }

    // tiny-run]

    // [tiny-use
    /**
     * The gradient of {@code f} for inputs of {@code size} elements, within {@code budget} bytes.
     */
    static Plan compile(Function<Vector, Vector> f, int size, long budget) {
        var graph = new Graph();
        var input = graph.add(Op.INPUT, size, 0);
        var loss = f.apply(input);
        int forward = graph.nodes.size();
        var slope = gradient(loss, input);
        return plan(graph, forward, slope.id(), budget);
    }

    /** Ten rounds of {@code y = sin(y) * x}, starting with {@code y = x}, then the sum. */
    static Vector rounds(Vector x) {
        var y = x;
        for (int i = 0; i < 10; i++) y = y.sin().mul(x);
        return y.sum();
    }

    public static void main(String[] args) {
        var input = new double[100];
        for (int i = 0; i < input.length; i++) input[i] = i / 100.0;
        for (long budget : new long[] {100_000, 15_000, 10_000}) {
            var plan = compile(Example11TinyEbb::rounds, input.length, budget);
            System.out.printf(
                    "%6d bytes: promised %5d, %d computations, slope at 0.5: %s%n",
                    budget, plan.bytes(), plan.order().size(), run(plan, input)[50]);
        }
    }

    // tiny-use]
}
