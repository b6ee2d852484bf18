package dev.ebb.cpu.straight;

import dev.ebb.cpu.tile.Needs;
import dev.ebb.exec.RelocatableKernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Type;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Compiles a node on few elements into a method, or a loop over a few more, that takes the
 * addresses of operands and results as arguments; for tapes, which run the same op at changing
 * addresses. A method is made once a kind of node has been asked for a few times, and is cached for
 * all programs of a device in a least recently used cache.
 */
public final class MovableKernels {
    /** The most kinds of nodes in the cache. */
    private static final int MOST = 512;

    private record Kind(Op op, List<Type> types) {}

    /** The state of a kind: how often it was asked for, and its method if there is one. */
    private static final class Known {
        int asked;
        Optional<RelocatableKernel> made = Optional.empty();
        Optional<Needs> needs = Optional.empty();
    }

    private final int after;
    private final LinkedHashMap<Kind, Known> kinds = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * @param after how often a kind is asked for in vain
     */
    public MovableKernels(int after) {
        this.after = after;
    }

    private Known known(Node node) {
        var known = kinds.computeIfAbsent(new Kind(node.op(), node.inputTypes()), _ -> new Known());
        if (kinds.size() > MOST) kinds.pollFirstEntry();
        return known;
    }

    /** The worker memory that the kernel of {@code node} needs, computed once per kind. */
    public synchronized Needs needs(Node node, Function<Node, Needs> find) {
        var known = known(node);
        if (known.needs.isEmpty()) known.needs = Optional.of(find.apply(node));
        return known.needs.get();
    }

    public synchronized Optional<RelocatableKernel> of(Node node) {
        var known = known(node);
        boolean due = known.asked++ == after;
        if (due && (Fitting.bytes(node, node.outputs().size()) >= 0 || MovableLoop.isLoop(node)))
            known.made = Optional.of(StraightClass.movable(node));
        return known.made;
    }
}
