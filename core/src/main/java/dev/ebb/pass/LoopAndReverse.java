package dev.ebb.pass;

import dev.ebb.ir.Control;
import dev.ebb.ir.Control.Checkpointing;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A loop whose stacked carries are read only by its reverse loop, and that reverse loop. */
record LoopAndReverse(Node forward, Node backward) {

    boolean ofUnknownLength() {
        return forward.kernel() instanceof Control.While;
    }

    /** The forward loop as its reverse runs it again. */
    Control.Scan forwardScan() {
        return forward.kernel() instanceof Control.While w
                ? w.iterations(new Checkpointing.Nothing())
                : ((Control.Scan) forward.kernel()).withCheckpointing(new Checkpointing.Nothing());
    }

    Control.Scan reverse() {
        return (Control.Scan) backward.kernel();
    }

    /** The operands of the forward loop, without its number of iterations. */
    List<Value> forwardInputs() {
        boolean counted = !ofUnknownLength() && forwardScan().counted();
        return forward.inputs().subList(counted ? 1 : 0, forward.inputs().size());
    }

    /** The operands of the reverse loop, without its number of iterations. */
    List<Value> reverseInputs() {
        return backward.inputs().subList(reverse().counted() ? 1 : 0, backward.inputs().size());
    }

    /** The results of the forward loop other than its stacks. */
    List<Value> forwardResults() {
        return forward.outputs().subList(0, Loops.plainOutputs(forward.kernel()));
    }

    static List<LoopAndReverse> of(Graph graph) {
        Map<Value, Set<Node>> readers = new HashMap<>();
        for (Node node : graph.nodes()) {
            for (Value v : node.inputs())
                readers.computeIfAbsent(v, _ -> new HashSet<>()).add(node);
        }
        var pairs = new ArrayList<LoopAndReverse>();
        for (Node node : graph.nodes()) {
            if (!remembersEverything(node.kernel()) || Loops.carries(node.kernel()) == 0) continue;
            var stacks =
                    node.outputs()
                            .subList(Loops.plainOutputs(node.kernel()), node.outputs().size());
            var by =
                    stacks.stream()
                            .flatMap(v -> readers.getOrDefault(v, Set.of()).stream())
                            .distinct()
                            .toList();
            if (by.size() != 1 || stacks.stream().anyMatch(graph.results()::contains)) continue;
            var pair = new LoopAndReverse(node, by.getFirst());
            if (reverses(by.getFirst(), pair.forwardScan(), stacks)) pairs.add(pair);
        }
        return pairs;
    }

    private static boolean remembersEverything(Kernel kernel) {
        return (kernel instanceof Control.Scan s
                        && s.checkpointing() instanceof Checkpointing.Everything)
                || (kernel instanceof Control.While w
                        && w.checkpointing() instanceof Checkpointing.Everything);
    }

    /**
     * A loop with an op that may run only once cannot be in a pair, since its iterations may run
     * again. For the reverse iteration, {@link ReversedIteration#mayRunAgain} decides.
     */
    private static boolean reverses(Node node, Control.Scan forward, List<Value> stacks) {
        if (!(node.kernel() instanceof Control.Scan k)
                || !(k.checkpointing() instanceof Checkpointing.Nothing)
                || Trait.once(forward.body().traits())) return false;
        int first = (k.counted() ? 1 : 0) + k.constants() + k.carries();
        var inputs = node.inputs();
        return k.times() == forward.times()
                && k.counted() == forward.counted()
                && k.reverse() != forward.reverse()
                && inputs.size() >= first + stacks.size()
                && inputs.subList(first, first + stacks.size()).equals(stacks)
                && stacks.stream().allMatch(s -> inputs.stream().filter(s::equals).count() == 1);
    }
}
