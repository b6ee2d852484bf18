package dev.ebb.grad;

import dev.ebb.ir.Fill;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Trait;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Forward mode, without a second rule for any op: a pullback is linear in its seeds, so the
 * pullback of the pullback by its seeds is the tangent map. The value of the inner pullback is not
 * needed and is removed as dead code, which leaves the program that propagates tangents. (The idea
 * is known as the double-transpose trick; Radul et al., "You only linearize once", POPL 2023, build
 * on its converse.) A loop has a forward rule of its own ({@link Op#forward}), because the pullback
 * of its pullback would be three loops; the ops between loops are transposed twice.
 */
public final class Forward {
    private Forward() {}

    /**
     * {@code (params) -> results} becomes {@code (params, tangents of wrt) -> (results, tangents of
     * results)}. Results that are not floats have tangent zero.
     */
    public static Graph pushforward(Graph forward, List<Integer> wrt) {
        var along = new TangentPropagation(forward, wrt);
        for (Node node : forward.nodes()) along.add(node);
        return along.isEmpty() ? transposedTwice(forward, wrt) : along.graph(forward);
    }

    static Graph transposedTwice(Graph forward, List<Integer> wrt) {
        int n = forward.params().size();
        int m = forward.results().size();
        var pulled = Reverse.pullback(forward, wrt);
        var seeds = IntStream.range(n, n + m).boxed().toList();
        var twice = withoutCotangents(Reverse.pullback(pulled, seeds), forward, pulled);

        var g = new Graph.Builder();
        var params = forward.params().stream().map(p -> g.param(p.type())).toList();
        var tangents = wrt.stream().map(i -> g.param(forward.params().get(i).type())).toList();
        var zeros = forward.results().stream().map(r -> g.emit(new Fill(r.type(), 0))).toList();
        var operands = new ArrayList<>(params);
        // cotangents of the seeds of the pullback, then of those of its first results, the values
        operands.addAll(zeros);
        operands.addAll(zeros);
        operands.addAll(tangents);
        var here = g.inline(twice, operands);
        return g.build(twice.results().stream().map(here::at).toList());
    }

    /**
     * {@code twice}, the pullback of {@code pulled}, with the values of {@code forward} and their
     * tangents as its results. The cotangents that the inner pullback computes are not needed: its
     * effects are left out, and those of {@code forward} occur once.
     */
    private static Graph withoutCotangents(Graph twice, Graph forward, Graph pulled) {
        int m = forward.results().size();
        var all = twice.results();
        var results = new ArrayList<>(all.subList(0, m));
        results.addAll(all.subList(all.size() - m, all.size()));
        // the effects of a graph come first in its pullback
        long first = effects(forward.nodes());
        long end = effects(pulled.nodes());
        var needed = new HashSet<>(results);
        var kept = new ArrayList<Node>();
        long at = effects(twice.nodes());
        for (Node node : twice.nodes().reversed()) {
            boolean effect = isEffect(node);
            if (effect) at--;
            boolean stays = effect && (at < first || at >= end);
            if (!stays && node.outputs().stream().noneMatch(needed::contains)) continue;
            needed.addAll(node.inputs());
            kept.add(node);
        }
        return new Graph(twice.params(), kept.reversed(), results);
    }

    private static boolean isEffect(Node node) {
        return node.op().traits().contains(Trait.EFFECT);
    }

    private static long effects(List<Node> nodes) {
        return nodes.stream().filter(Forward::isEffect).count();
    }
}
