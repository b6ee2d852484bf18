package dev.ebb.cpu.straight;

import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.group.MapGroups;
import dev.ebb.cpu.tile.Need;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.work.Crew;
import dev.ebb.exec.Direct;
import dev.ebb.exec.Merged;
import dev.ebb.exec.Sequence;
import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;

import java.util.List;
import java.util.Optional;

/**
 * Makes one method of a program whose values are small: scalars and short vectors are in locals,
 * what they are computed from is read where it lies, and what nobody else reads is never written.
 * Its bits are those of the kernels: it calls the same scalar functions and adds in the same order.
 * It owns no memory: what must be in memory lies where the plan has it.
 *
 * @param after how often a program runs before it is worth a class
 */
public record StraightPrograms(int after) {
    /** Longer sequences are not worth the time it takes to write them out. */
    private static final int MOST_WORKS = 4096;

    /** So many elements of arguments and results are moved one by one at most. */
    private static final long MOST_MOVED = Parts.MOST_ACCESSES;

    /** Made in the ninth run. */
    public StraightPrograms() {
        this(8);
    }

    /**
     * One method of {@code sequence}, if most of its computations can be written out, or loops over
     * what these have in common.
     */
    public Optional<Merged> inPlace(
            Sequence sequence, Crew workers, Tiles tiles, FusedLoops loops) {
        boolean small = isSmall(sequence);
        if (!small || !isOneMethod(sequence)) {
            var regions = Regions.of(sequence, workers, tiles);
            if (regions.isPresent()) return regions;
        }
        if (!small) return MapGroups.of(sequence, workers, tiles, loops);
        return Optional.of(StraightClass.inPlace(sequence));
    }

    /** Whether a program is worth loops before its first run: by its sizes alone. */
    public boolean isAtOnce(List<Node> nodes) {
        return after < Integer.MAX_VALUE && Regions.isLarge(nodes);
    }

    private static boolean isOneMethod(Sequence sequence) {
        return sequence.works().stream().noneMatch(StraightForm::isCalled)
                && Parts.of(sequence, 0, false).size() == 1;
    }

    /** The registers of loops over what {@code node} has in common with others. */
    public static Need need(Node node) {
        return Regions.need(node);
    }

    /** The same for all of the body of a loop. */
    public static Need need(Graph body) {
        return Regions.need(body);
    }

    /** The same, from an array of arguments to an array of results. */
    public Optional<Direct> direct(Sequence sequence, int arguments) {
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
                ? Optional.of(StraightClass.direct(sequence, arguments))
                : Optional.empty();
    }

    private static boolean isSmall(Sequence sequence) {
        int all = sequence.works().size();
        if (all == 0 || all > MOST_WORKS) return false;
        long written = sequence.works().stream().filter(w -> !StraightForm.isCalled(w)).count();
        return 2 * written >= all;
    }
}
