package dev.ebb.pass;

import dev.ebb.ir.Control;
import dev.ebb.ir.Graph;
import dev.ebb.ir.LoopMemory;
import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Splits a round of a reverse loop where the cotangents enter. The first part is the forward round
 * once more and writes a tape; the second part reads the tape. Run together they are the round of
 * the reverse loop, with the same bits; run apart, the first part can run during the forward loop.
 * Values that follow from constants alone stay in the second part: a tape holds what changes from
 * round to round. Slices of the loop's operands are read in place.
 */
final class TapeSplit {
    private final Pair pair;
    private final Control.Scan forward;
    private final Control.Scan backward;

    /** For each param of the reverse round that the forward round has too, its number there. */
    private final Table<Value, Integer> known = new Table<>();

    private final Set<Value> early = new HashSet<>();
    private final Set<Value> changing = new HashSet<>();
    private final List<Integer> carries = new ArrayList<>();
    private final List<Value> tape = new ArrayList<>();

    TapeSplit(Pair pair) {
        this.pair = pair;
        forward = pair.rounds();
        backward = pair.reverse();
        match();
        for (Node node : backward.body().nodes()) {
            if (early.containsAll(node.inputs())) early.addAll(node.outputs());
            if (node.inputs().stream().anyMatch(changing::contains))
                changing.addAll(node.outputs());
        }
        cut();
    }

    private List<Value> params() {
        return backward.body().params();
    }

    private int firstSlice() {
        return backward.constants() + backward.carries();
    }

    private void match() {
        var ahead = pair.ahead();
        int slices = forward.constants() + forward.carries();
        for (int i = 0; i < params().size(); i++) {
            int there = -1;
            if (i < backward.constants()) {
                there = ahead.subList(0, forward.constants()).indexOf(pair.back().get(i));
            } else if (i >= firstSlice() && i < firstSlice() + forward.carries()) {
                there = forward.constants() + i - firstSlice();
            } else if (i >= firstSlice()) {
                int at = ahead.subList(slices, ahead.size()).indexOf(pair.back().get(i));
                there = at < 0 ? -1 : slices + at;
            }
            if (there < 0) continue;
            known.put(params().get(i), there);
            early.add(params().get(i));
            if (i >= firstSlice()) changing.add(params().get(i));
        }
    }

    private boolean isEarly(Node node) {
        return early.containsAll(node.inputs())
                && node.inputs().stream().anyMatch(changing::contains);
    }

    /** What the second half reads of the first. */
    private void cut() {
        var read = new LinkedHashSet<Value>();
        for (Node node : backward.body().nodes()) if (!isEarly(node)) read.addAll(node.inputs());
        read.addAll(backward.body().results());
        for (int i = 0; i < forward.carries(); i++)
            if (read.contains(params().get(firstSlice() + i))) carries.add(i);
        for (Node node : backward.body().nodes()) {
            if (!isEarly(node)) continue;
            for (Value v : node.outputs()) if (read.contains(v)) tape.add(v);
        }
    }

    private List<Value> params(Graph.Builder g) {
        return forward.body().params().stream().map(p -> g.param(p.type())).toList();
    }

    private List<Value> inlineFirst(Graph.Builder g, List<Value> params) {
        var here = new Table<Value, Value>();
        for (Value p : params()) known.find(p).ifPresent(i -> here.put(p, params.get(i)));
        for (Node node : backward.body().nodes()) {
            if (early.containsAll(node.inputs())) emit(g, node, here);
        }
        return tape.stream().map(here::at).toList();
    }

    private static void emit(Graph.Builder g, Node node, Table<Value, Value> here) {
        g.at(node.region(), node.reverse());
        var outputs = g.emit(node.op(), node.inputs().stream().map(here::at).toList());
        for (int i = 0; i < outputs.size(); i++) here.put(node.outputs().get(i), outputs.get(i));
    }

    /** What a round leaves for its reverse, and nothing else. */
    Graph leaving() {
        var g = new Graph.Builder();
        return g.build(inlineFirst(g, params(g)));
    }

    /** The first {@code results} that a round gives, then what it leaves for its reverse. */
    Control.Taping taping(int results) {
        var g = new Graph.Builder();
        var params = params(g);
        var here = g.inline(forward.body(), params);
        var all =
                new ArrayList<>(
                        forward.body().results().subList(0, results).stream()
                                .map(here::at)
                                .toList());
        all.addAll(inlineFirst(g, params));
        return new Control.Taping(carries, Simplify.of(g.build(all)));
    }

    /** The reverse loop with a tape as its first slices. */
    Control.Scan second() {
        var g = new Graph.Builder();
        var here = new Table<Value, Value>();
        for (Value p : params().subList(0, firstSlice())) here.put(p, g.param(p.type()));
        for (int i : carries) here.put(params().get(firstSlice() + i), slice(g, i));
        for (Value v : tape) here.put(v, g.param(v.type()));
        for (Value p : params().subList(firstSlice() + forward.carries(), params().size()))
            here.put(p, g.param(p.type()));
        for (Node node : backward.body().nodes()) if (!isEarly(node)) emit(g, node, here);
        return new Control.Scan(
                g.build(backward.body().results().stream().map(here::at).toList()),
                backward.times(),
                backward.constants(),
                backward.carries(),
                backward.reverse(),
                backward.counted(),
                backward.remember(),
                backward.pace());
    }

    private Value slice(Graph.Builder g, int carry) {
        return g.param(params().get(firstSlice() + carry).type());
    }

    /** What a state takes. */
    long stateBytes() {
        long sum = 0;
        for (int i = 0; i < forward.carries(); i++)
            sum += LoopMemory.bytes(forward.body().params().get(forward.constants() + i).type());
        return sum;
    }

    /** What a tape takes. */
    long tapeBytes() {
        long sum = 0;
        for (int i : carries)
            sum += LoopMemory.bytes(forward.body().params().get(forward.constants() + i).type());
        for (Value v : tape) sum += LoopMemory.bytes(v.type());
        return sum;
    }
}
