package dev.ebb.pass;

import dev.ebb.ir.Control;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Splits an iteration of a reverse loop into the part that does not depend on cotangents and the
 * part that does. The first part is the forward iteration once more and writes a tape; the second
 * part reads the tape, and recomputes the values that it needs and that are not on the tape. Run
 * together they are the iteration of the reverse loop, with the same bits; run apart, the first
 * part can run during the forward loop. Values that depend on constants alone stay in the second
 * part: a tape holds only values that change from iteration to iteration. Slices of the loop's
 * operands are read in place.
 */
final class TapeSplit {
    private final ReversedIteration iteration;
    private final ReversedIteration.Second second;
    private final List<Integer> carries = new ArrayList<>();
    private final List<Value> tape = new ArrayList<>();

    /**
     * The tape holds {@code kept} and those carries at the start of an iteration that its reverse
     * reads.
     */
    TapeSplit(ReversedIteration iteration, Set<Value> kept) {
        this.iteration = iteration;
        second = iteration.second(kept);
        for (int i = 0; i < iteration.carries().size(); i++)
            if (second.carries().contains(iteration.carries().get(i))) carries.add(i);
        for (Node node : iteration.graph().nodes())
            for (Value v : node.outputs()) if (kept.contains(v)) tape.add(v);
    }

    /** An iteration that computes only the tape for its reverse. */
    Graph tapeOnly() {
        return first(List.of());
    }

    /** The first {@code results} results of an iteration, then the tape for its reverse. */
    Control.Taping taping(int results) {
        return new Control.Taping(carries, first(iteration.forwardResults().subList(0, results)));
    }

    private Graph first(List<Value> results) {
        var g = new Graph.Builder();
        var here = new Table<Value, Value>();
        for (Value p : iteration.forwardParams()) here.put(p, g.param(p.type()));
        for (Node node : iteration.graph().nodes())
            if (iteration.isEarly(node)) emit(g, node, here);
        var all = new ArrayList<>(results);
        all.addAll(tape);
        return g.build(all.stream().map(here::at).toList());
    }

    private static void emit(Graph.Builder g, Node node, Table<Value, Value> here) {
        g.at(node.region(), node.reverse());
        var inputs = node.inputs().stream().map(here::at).toList();
        var outputs = g.emit(node.op(), inputs, node.labels());
        for (int i = 0; i < outputs.size(); i++) {
            var v = node.outputs().get(i);
            if (!here.has(v)) here.put(v, outputs.get(i));
        }
    }

    /** The reverse loop with a tape as its first slices. */
    Control.Scan second() {
        var backward = iteration.backward();
        var g = new Graph.Builder();
        var here = new Table<Value, Value>();
        int slices = iteration.firstSlice();
        for (Value p : iteration.back().subList(0, slices)) take(g, p, here);
        for (int i : carries) take(g, iteration.carries().get(i), here);
        for (Value v : tape) take(g, v, here);
        int others = slices + iteration.carries().size();
        for (Value p : iteration.back().subList(others, iteration.back().size())) take(g, p, here);
        for (Node node : second.nodes()) emit(g, node, here);
        return backward.withBody(
                g.build(iteration.backwardResults().stream().map(here::at).toList()));
    }

    /** Adds a parameter for {@code value}; if it has one already, the first is read. */
    private static void take(Graph.Builder g, Value value, Table<Value, Value> here) {
        var param = g.param(value.type());
        if (!here.has(value)) here.put(value, param);
    }

    /** Whether the reverse of an iteration has the same results each time it runs. */
    boolean isReplayable() {
        return iteration.isReplayable();
    }

    /** The number of early nodes that the reverse iteration recomputes, for the report. */
    long repeats() {
        return second.nodes().stream()
                .filter(iteration::isEarly)
                .filter(n -> n.inputs().stream().anyMatch(iteration::isEarlyAndChanging))
                .count();
    }
}
