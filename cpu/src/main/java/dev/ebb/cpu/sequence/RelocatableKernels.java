package dev.ebb.cpu.sequence;

import dev.ebb.cpu.tile.ProgramScratch;
import dev.ebb.exec.RelocatableKernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Type;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Compiles a node on few elements into an unrolled method, or one on somewhat more elements into a
 * loop. Both take the addresses of operands and results as arguments, for tapes, which run the same
 * op at changing addresses. A method is made once a kind of node has been asked for a few times,
 * and is cached for all programs of a device in a least recently used cache.
 */
public final class RelocatableKernels {
    /** The most kinds of nodes in the cache. */
    private static final int MOST = 512;

    private record Kind(Op op, List<Type> types) {}

    /** The state of a kind: how often it was asked for, and its method if there is one. */
    private static final class Known {
        int asked;
        Optional<RelocatableKernel> made = Optional.empty();
        Optional<ProgramScratch> scratch = Optional.empty();
    }

    private final int after;
    private final LinkedHashMap<Kind, Known> kinds = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * @param after the number of requests for a kind of node before it is compiled
     */
    public RelocatableKernels(int after) {
        this.after = after;
    }

    private Known known(Node node) {
        var known = kinds.computeIfAbsent(new Kind(node.op(), node.inputTypes()), _ -> new Known());
        if (kinds.size() > MOST) kinds.pollFirstEntry();
        return known;
    }

    /** The worker memory that the kernel of {@code node} needs, computed once per kind. */
    public synchronized ProgramScratch scratch(Node node, Function<Node, ProgramScratch> find) {
        var known = known(node);
        if (known.scratch.isEmpty()) known.scratch = Optional.of(find.apply(node));
        return known.scratch.get();
    }

    public synchronized Optional<RelocatableKernel> of(Node node) {
        var known = known(node);
        boolean due = known.asked++ == after;
        if (due
                && (UnrollLimits.bytes(node, node.outputs().size()) >= 0
                        || RelocatableLoop.isLoop(node)))
            known.made = Optional.of(SequenceClass.relocatable(node));
        return known.made;
    }
}
