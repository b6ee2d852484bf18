package dev.ebb.cpu.straight;

import dev.ebb.cpu.tile.Needs;
import dev.ebb.exec.Anywhere;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Type;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Makes one method of a node on few elements, or a loop over some more, that is told where its
 * operands and results lie, for whoever runs the same op at ever other places. One is made once a
 * node of its kind was asked for a few times, and stays for all programs of a device while it is
 * among those used last.
 */
public final class MovableKernels {
    /** So many kinds of nodes are remembered. */
    private static final int MOST = 512;

    private record Kind(Op op, List<Type> types) {}

    /** What became of a kind: how often it was asked for, and its method once there is one. */
    private static final class Known {
        int asked;
        Optional<Anywhere> made = Optional.empty();
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

    /** What the kernel of {@code node} needs of workers, found once for its kind. */
    public synchronized Needs needs(Node node, Function<Node, Needs> find) {
        var known = known(node);
        if (known.needs.isEmpty()) known.needs = Optional.of(find.apply(node));
        return known.needs.get();
    }

    public synchronized Optional<Anywhere> of(Node node) {
        var known = known(node);
        boolean due = known.asked++ == after;
        if (due && (Fitting.bytes(node, node.outputs().size()) >= 0 || MovableLoop.isLoop(node)))
            known.made = Optional.of(StraightClass.movable(node));
        return known.made;
    }
}
