package dev.ebb.pass;

import dev.ebb.ir.CheckpointArea;
import dev.ebb.ir.Control;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * An iteration of a loop and the reverse of that iteration as one graph, without duplicates. A node
 * is early if it depends only on the operands of the forward iteration: it can run in the forward
 * loop. The other nodes depend on a cotangent and are late. The values of early nodes that late
 * nodes read are on the tape of the iteration, or are recomputed from values on the tape.
 */
public final class ReversedIteration {
    private final Control.Scan forward;
    private final Control.Scan backward;
    private final Graph joined;

    /** For each param of the reverse iteration, its value in the joined graph. */
    private final List<Value> back = new ArrayList<>();

    private final Set<Value> early = new HashSet<>();
    private final Set<Value> changing = new HashSet<>();

    ReversedIteration(LoopAndReverse pair) {
        forward = pair.forwardScan();
        backward = pair.reverse();
        var g = new Graph.Builder();
        var ahead = forward.body().params().stream().map(p -> g.param(p.type())).toList();
        var places = new ArrayList<Integer>();
        var arguments = new ArrayList<Value>();
        int more = ahead.size();
        for (int i = 0; i < backward.body().params().size(); i++) {
            int known = known(pair, i);
            places.add(known < 0 ? more++ : known);
            arguments.add(
                    known < 0 ? g.param(backward.body().params().get(i).type()) : ahead.get(known));
        }
        var there = g.inline(forward.body(), ahead);
        var here = g.inline(backward.body(), arguments);
        var results = new ArrayList<Value>();
        forward.body().results().forEach(r -> results.add(there.at(r)));
        backward.body().results().forEach(r -> results.add(here.at(r)));
        joined = Simplify.of(g.build(results));
        places.forEach(p -> back.add(joined.params().get(p)));
        classify();
    }

    /**
     * The param of the forward iteration that is param {@code i} of the reverse iteration; -1 if
     * none is.
     */
    private int known(LoopAndReverse pair, int i) {
        var ahead = pair.forwardInputs();
        int slices = forward.constants() + forward.carries();
        int first = firstSlice();
        if (i < backward.constants())
            return ahead.subList(0, forward.constants()).indexOf(pair.reverseInputs().get(i));
        if (i < first) return -1;
        if (i < first + forward.carries()) return forward.constants() + i - first;
        int at = ahead.subList(slices, ahead.size()).indexOf(pair.reverseInputs().get(i));
        return at < 0 ? -1 : slices + at;
    }

    private void classify() {
        var own = joined.params().subList(0, forward.body().params().size());
        early.addAll(own);
        changing.addAll(own.subList(forward.constants(), own.size()));
        for (Node node : joined.nodes()) {
            if (!early.containsAll(node.inputs())) continue;
            early.addAll(node.outputs());
            if (node.inputs().stream().anyMatch(changing::contains))
                changing.addAll(node.outputs());
        }
    }

    /** Whether all early nodes may run again; each late node runs once per iteration. */
    boolean mayRunAgain() {
        return joined.nodes().stream().noneMatch(n -> isEarly(n) && Trait.once(n.op().traits()));
    }

    /** Whether the reverse of an iteration has the same results each time it runs. */
    boolean isReplayable() {
        return joined.nodes().stream().noneMatch(n -> Trait.once(n.op().traits()));
    }

    int firstSlice() {
        return backward.constants() + backward.carries();
    }

    Control.Scan backward() {
        return backward;
    }

    /** For each param of the reverse iteration, its value in {@link #graph}. */
    List<Value> back() {
        return back;
    }

    /**
     * The joined graph of both iterations. The params and results of the forward iteration come
     * first; then those of the reverse iteration that the forward iteration does not have.
     */
    public Graph graph() {
        return joined;
    }

    /** The params of the forward iteration: constants, carries, slices. */
    public List<Value> forwardParams() {
        return joined.params().subList(0, forward.body().params().size());
    }

    /** The results of the forward iteration: the next carries, then its slices. */
    public List<Value> forwardResults() {
        return joined.results().subList(0, forward.body().results().size());
    }

    /** The results of the reverse iteration. */
    public List<Value> backwardResults() {
        return joined.results().subList(forward.body().results().size(), joined.results().size());
    }

    /** The carries that the forward iteration begins with. */
    public List<Value> carries() {
        return joined.params()
                .subList(forward.constants(), forward.constants() + forward.carries());
    }

    /** Whether {@code node} can run in the forward loop. */
    public boolean isEarly(Node node) {
        return early.containsAll(node.inputs());
    }

    /**
     * Whether {@code value} is computed in the forward loop and can differ from iteration to
     * iteration.
     */
    public boolean isEarlyAndChanging(Value value) {
        return changing.contains(value);
    }

    /**
     * The values of early nodes that late nodes read and that can differ from iteration to
     * iteration.
     */
    public Set<Value> fullTape() {
        var read = new HashSet<>(backwardResults());
        for (Node node : joined.nodes()) if (!isEarly(node)) read.addAll(node.inputs());
        var tape = new LinkedHashSet<Value>();
        for (Node node : joined.nodes()) {
            if (!isEarly(node)) continue;
            for (Value v : node.outputs())
                if (read.contains(v) && changing.contains(v)) tape.add(v);
        }
        return tape;
    }

    /**
     * The nodes of the reverse of an iteration if certain values are on the tape: its late nodes,
     * and the early ones that it recomputes, each before the first late node that needs it; and the
     * carries that it reads.
     */
    public record Second(List<Node> nodes, Set<Value> carries) {}

    /** The reverse iteration for a tape of {@code kept} and of the carries that it reads. */
    public Second second(Set<Value> kept) {
        int none = joined.nodes().size();
        var needed = new HashMap<Value, Integer>();
        for (Value r : backwardResults()) needed.merge(r, none, Math::min);
        var at = new int[none];
        for (int i = none - 1; i >= 0; i--) {
            var node = joined.nodes().get(i);
            at[i] = none + 1;
            if (!isEarly(node)) at[i] = i;
            else
                for (Value v : node.outputs())
                    if (!kept.contains(v))
                        at[i] = Math.min(at[i], needed.getOrDefault(v, none + 1));
            if (at[i] <= none) for (Value v : node.inputs()) needed.merge(v, at[i], Math::min);
        }
        var order = new ArrayList<Integer>();
        for (int i = 0; i < none; i++) if (at[i] <= none) order.add(i);
        order.sort(Comparator.comparingInt((Integer i) -> at[i]).thenComparingInt(i -> i));
        var read = new LinkedHashSet<Value>();
        for (Value c : carries()) if (needed.containsKey(c)) read.add(c);
        return new Second(order.stream().map(joined.nodes()::get).toList(), read);
    }

    /** The bytes of a state. */
    long stateBytes() {
        return bytes(carries());
    }

    /**
     * The bytes of a tape of {@code kept} and of the carries that the reverse iteration then reads.
     */
    public long tapeBytes(Set<Value> kept) {
        return bytes(second(kept).carries()) + bytes(kept);
    }

    private static long bytes(Iterable<Value> values) {
        long sum = 0;
        for (Value v : values) sum += CheckpointArea.bytes(v.type());
        return sum;
    }
}
