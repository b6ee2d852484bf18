package dev.ebb.plan.schedule;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;

import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A graph to be scheduled: what may be done with the memory of each parameter, the size of each
 * value, and the ways of restoring values besides recomputation.
 *
 * @param inversions how values can be rebuilt from later values
 * @param places the memories outside the arena to which values can be offloaded
 */
public record Problem(
        Graph graph,
        List<Binding> bindings,
        Sizes sizes,
        List<Inversion> inversions,
        List<Place> places) {

    public Problem {
        bindings = List.copyOf(bindings);
        places = List.copyOf(places);
        // exact inversions come first, so that they have the same numbers in a problem without the
        // others
        inversions =
                Stream.concat(
                                inversions.stream().filter(Inversion::exact),
                                inversions.stream().filter(i -> !i.exact()))
                        .toList();
        if (bindings.size() != graph.params().size()) {
            throw new IllegalArgumentException(
                    bindings.size() + " bindings for " + graph.params().size() + " parameters");
        }
        var taken = new HashSet<Integer>();
        for (int i = 0; i < bindings.size(); i++) {
            if (bindings.get(i) instanceof Binding.Replaced(int r)) {
                var param = graph.params().get(i);
                if (r < 0 || r >= graph.results().size()) {
                    throw new IllegalArgumentException(
                            "no result %s to take the place of %s: there are %s"
                                    .formatted(r, param, graph.results().size()));
                }
                if (!taken.add(r) || !alike(graph.results().get(r).type(), param.type())) {
                    throw new IllegalArgumentException(
                            "result " + r + " cannot take the place of " + param);
                }
            }
        }
    }

    public Problem(Graph graph, List<Binding> bindings, Sizes sizes) {
        this(graph, bindings, sizes, List.of(), List.of());
    }

    public Problem(Graph graph, List<Binding> bindings) {
        this(graph, bindings, Sizes.CACHE_LINES);
    }

    /** The same problem, where values can also be rebuilt by {@code ways}. */
    public Problem inverting(List<Inversion> ways) {
        return new Problem(graph, bindings, sizes, ways, places);
    }

    /** The same problem with these places for values outside the arena. */
    public Problem with(List<Place> beside) {
        return new Problem(graph, bindings, sizes, inversions, beside);
    }

    /** The same problem with only these ways of restoring values. */
    public Problem only(Ways ways) {
        return new Problem(
                graph,
                bindings,
                sizes,
                inversions.stream().filter(ways::has).toList(),
                places.stream().filter(p -> ways.has(p.way())).toList());
    }

    private static boolean alike(Type a, Type b) {
        return a.dtype() == b.dtype() && a.size() == b.size();
    }

    /** A problem whose parameters are all written anew before each run. */
    public static Problem of(Graph graph) {
        return new Problem(
                graph, Collections.nCopies(graph.params().size(), new Binding.Consumed()));
    }

    /** The values that the forward half computes and the backward half reads. */
    public Set<Value> crossing() {
        var crossing = new LinkedHashSet<Value>();
        for (Node node : graph.nodes()) if (!node.reverse()) crossing.addAll(node.outputs());
        var read = new HashSet<Value>();
        for (Node node : graph.nodes()) if (node.reverse()) read.addAll(node.inputs());
        crossing.retainAll(read);
        return crossing;
    }

    /** The memory that {@code value} occupies. */
    public long bytes(Value value) {
        return sizes.of(value);
    }
}
