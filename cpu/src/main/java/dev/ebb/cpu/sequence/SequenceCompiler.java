package dev.ebb.cpu.sequence;

import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.group.MapGroups;
import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.exec.ArrayFunction;
import dev.ebb.exec.CompiledSequence;
import dev.ebb.exec.Sequence;
import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;

import java.util.List;
import java.util.Optional;

/**
 * Compiles a program with small values into one method: scalars and short vectors are in locals,
 * operands are read from their planned memory, and values that nothing else reads are never stored.
 * It calls the same scalar functions and adds in the same order as the kernels, so the bits are the
 * same. It allocates no memory of its own.
 *
 * @param after the number of runs of a program before it is compiled
 */
public record SequenceCompiler(int after) {
    /** Longer sequences take too long to compile. */
    private static final int MOST_WORKS = 4096;

    /** The most elements of arguments and results that are copied one by one. */
    private static final long MOST_MOVED = MethodSplit.MOST_ACCESSES;

    /** Compiles a program after its ninth run. */
    public SequenceCompiler() {
        this(8);
    }

    /**
     * {@code sequence} as one method, if most of its computations can be unrolled or merged into
     * loops.
     */
    public Optional<CompiledSequence> inPlace(
            Sequence sequence, WorkerGroup workers, Tiles tiles, FusedLoops loops) {
        boolean small = isSmall(sequence);
        if (!small || !isOneMethod(sequence)) {
            var merged = MergedLoops.of(sequence, workers, tiles);
            if (merged.isPresent()) return merged;
        }
        if (!small) return MapGroups.of(sequence, workers, tiles, loops);
        return Optional.of(SequenceClass.inPlace(sequence));
    }

    /** Whether a program gets merged loops before its first run; depends on its sizes alone. */
    public boolean isAtOnce(List<Node> nodes) {
        return after < Integer.MAX_VALUE && MergedLoops.isLarge(nodes);
    }

    private static boolean isOneMethod(Sequence sequence) {
        return sequence.works().stream().noneMatch(SequenceParts::isCalled)
                && MethodSplit.of(sequence, 0, false).size() == 1;
    }

    /** The scratch memory for merged loops that contain {@code node}. */
    public static KernelScratch scratch(Node node) {
        return MergedLoops.scratch(node);
    }

    /** The same for all nodes of the body of a loop. */
    public static KernelScratch scratch(Graph body) {
        return MergedLoops.scratch(body);
    }

    /** The same, from an array of arguments to an array of results. */
    public Optional<ArrayFunction> arrayFunction(Sequence sequence, int arguments) {
        if (!isSmall(sequence)) return Optional.empty();
        long moved = 0;
        for (var p : sequence.params().subList(0, arguments)) {
            if (p.value().type().dtype() != DType.F64) return Optional.empty();
            moved += p.value().type().size();
        }
        for (var r : sequence.results()) {
            if (r.value().type().dtype() != DType.F64) return Optional.empty();
            moved += r.value().type().size();
        }
        return moved <= MOST_MOVED
                ? Optional.of(SequenceClass.direct(sequence, arguments))
                : Optional.empty();
    }

    private static boolean isSmall(Sequence sequence) {
        int all = sequence.works().size();
        if (all == 0 || all > MOST_WORKS) return false;
        long written = sequence.works().stream().filter(w -> !SequenceParts.isCalled(w)).count();
        return 2 * written >= all;
    }
}
