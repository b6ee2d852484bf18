package dev.ebb.cpu.group;

import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.exec.CompiledSequence;
import dev.ebb.exec.Sequence;
import dev.ebb.ir.Kernel;

import java.util.ArrayList;
import java.util.Optional;

/**
 * Splits a sequence into {@link MapGroup}s and computations that stay as they are. A program on
 * many vectors of the same length, such as a price and its derivatives for a thousand options,
 * becomes a few loops, and intermediate values are never written to memory.
 */
public final class MapGroups {
    private MapGroups() {}

    /** {@code sequence} split into groups, if they cover at least three quarters of it. */
    public static Optional<CompiledSequence> of(
            Sequence sequence, WorkerGroup workers, Tiles tiles, FusedLoops loops) {
        long possible = sequence.works().stream().filter(MapGroups::isPossible).count();
        if (isTooFew(possible, sequence)) return Optional.empty();
        var pieces = new ArrayList<Runnable>();
        int grouped = 0;
        int at = 0;
        while (at < sequence.works().size()) {
            var group = longest(sequence, at, workers, tiles, loops);
            if (group.isPresent()) {
                pieces.add(group.get());
                grouped += group.get().count();
                at += group.get().count();
            } else {
                pieces.add(sequence.works().get(at++).body());
            }
        }
        if (isTooFew(grouped, sequence)) return Optional.empty();
        return Optional.of(
                () -> {
                    for (var piece : pieces) piece.run();
                });
    }

    private static boolean isTooFew(long grouped, Sequence sequence) {
        return grouped == 0 || 4 * grouped < 3L * sequence.works().size();
    }

    private static boolean isPossible(Sequence.Work work) {
        var kernel = work.node().kernel();
        return (kernel instanceof Kernel.Map m && MapGroupForm.isOfLength(m.shape().size()))
                || (kernel instanceof Kernel.Fold f && MapGroupForm.isOfLength(f.shape().size()));
    }

    /** The group with the most works from {@code from} on. */
    private static Optional<MapGroup> longest(
            Sequence sequence, int from, WorkerGroup workers, Tiles tiles, FusedLoops loops) {
        int end = sequence.works().size();
        while (end > from + 1) {
            var form = MapGroupForm.of(sequence, from, end);
            if (form.end() < from + 2) return Optional.empty();
            end = form.firstUnsafe();
            if (end < form.end()) continue;
            var blocks = form.blocks(tiles, loops);
            if (blocks.isPresent())
                return Optional.of(new MapGroup(form, blocks.get(), workers, tiles));
            end = from + (form.end() - from) / 2;
        }
        return Optional.empty();
    }
}
