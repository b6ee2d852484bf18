package dev.ebb.cpu.group;

import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.work.Crew;
import dev.ebb.exec.Merged;
import dev.ebb.exec.Sequence;

import java.util.ArrayList;
import java.util.Optional;

/**
 * Cuts a sequence into {@link MapGroup}s and what is run as it is: what a program does with many
 * vectors of the same length, such as a price and its derivatives for a thousand options, is then a
 * few loops, and what only they read is never written to memory.
 */
public final class MapGroups {
    private MapGroups() {}

    /** {@code sequence} in groups, if these are half of it or more. */
    public static Optional<Merged> of(
            Sequence sequence, Crew workers, Tiles tiles, FusedLoops loops) {
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
        if (2 * grouped < Math.max(1, sequence.works().size())) return Optional.empty();
        return Optional.of(
                () -> {
                    for (var piece : pieces) piece.run();
                });
    }

    /** The group of most works from {@code from} on. */
    private static Optional<MapGroup> longest(
            Sequence sequence, int from, Crew workers, Tiles tiles, FusedLoops loops) {
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
