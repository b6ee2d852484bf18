package dev.ebb.cli;

import dev.ebb.cli.option.DiskArguments;
import dev.ebb.plan.Budget;

import java.nio.file.Path;

/**
 * What a run was started with besides what decides its bits: kept in its checkpoint, so that a
 * resumption goes on with the same. Texts are as typed on the command line; an empty one says that
 * nothing was.
 *
 * @param disk the folder of the second place, from the root
 * @param threads zero: one for each core
 * @param every steps between checkpoints
 * @param steps how many steps in all
 * @param from the file that the weights came from, from the root
 */
record Setup(
        String budget,
        String disk,
        String room,
        String cost,
        int threads,
        int every,
        long steps,
        String from,
        String prefix) {

    /** For what is only planned. */
    static Setup none() {
        return new Setup("100%", "", "4GiB", "typical", 0, 50, 1, "", "");
    }

    /** Memory, and the disk if there is one. */
    Budget bounds() {
        var memory = Budget.of(budget);
        return disk.isEmpty()
                ? memory
                : memory.with(DiskArguments.disk(Path.of(disk), Budget.of(room)));
    }
}
