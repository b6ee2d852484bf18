package dev.ebb.grad;

import dev.ebb.ir.Fill;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Forward mode, without a second rule for any op: a pullback is linear in its seeds, so the
 * pullback of the pullback by its seeds is the tangent map. The value of the inner pullback is not
 * needed and falls away, which leaves the program that carries tangents along. (The idea is known
 * as the double-transpose trick; Radul et al., "You only linearize once", POPL 2023, build on its
 * converse.) A loop carries the tangents of its carries along by itself ({@link Op#forward}), as
 * its pullback transposed would be three loops; what lies between loops is transposed twice.
 */
public final class Forward {
    private Forward() {}

    /**
     * {@code (params) -> results} becomes {@code (params, tangents of wrt) -> (results, tangents of
     * results)}. Results that are not floats have tangent zero.
     */
    public static Graph pushforward(Graph forward, List<Integer> wrt) {
        var along = new Along(forward, wrt);
        for (Node node : forward.nodes()) along.add(node);
        return along.isEmpty() ? transposedTwice(forward, wrt) : along.graph(forward);
    }

    static Graph transposedTwice(Graph forward, List<Integer> wrt) {
        int n = forward.params().size();
        int m = forward.results().size();
        var pulled = Reverse.pullback(forward, wrt);
        var cotangents = restrict(pulled, pulled.results().subList(m, m + wrt.size()));
        var seeds = IntStream.range(n, n + m).boxed().toList();
        var twice = Reverse.pullback(cotangents, seeds);

        var g = new Graph.Builder();
        var params = forward.params().stream().map(p -> g.param(p.type())).toList();
        var tangents = wrt.stream().map(i -> g.param(forward.params().get(i).type())).toList();
        var here = g.inline(forward, params);
        var out = new ArrayList<Value>(forward.results().stream().map(here::at).toList());
        var operands = new ArrayList<>(params);
        for (Value r : forward.results()) operands.add(g.emit(new Fill(r.type(), 0)));
        operands.addAll(tangents);
        var there = g.inline(twice, operands);
        for (Value r : twice.results().subList(wrt.size(), wrt.size() + m)) out.add(there.at(r));
        return g.build(out);
    }

    private static Graph restrict(Graph graph, List<Value> results) {
        var g = new Graph.Builder();
        var params = graph.params().stream().map(p -> g.param(p.type())).toList();
        var here = g.inline(graph, params);
        return g.build(results.stream().map(here::at).toList());
    }
}
