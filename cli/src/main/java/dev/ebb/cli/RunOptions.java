package dev.ebb.cli;

import dev.ebb.cli.option.DiskArguments;
import dev.ebb.plan.Budget;

import java.nio.file.Path;

/**
 * The settings of a run that do not change the bits of its result. They are stored in the
 * checkpoint and used by a resumption. Texts are as typed on the command line; an empty one was not
 * given.
 *
 * @param disk the folder for offloading, as an absolute path
 * @param threads zero for one per core
 * @param every steps between checkpoints
 * @param steps the total number of steps
 * @param from the file from which the weights were loaded, as an absolute path
 */
record RunOptions(
        String budget,
        String disk,
        String room,
        String cost,
        int threads,
        int every,
        long steps,
        String from,
        String prefix) {

    /** For a command that only plans. */
    static RunOptions none() {
        return new RunOptions("100%", "", "4GiB", "typical", 0, 50, 1, "", "");
    }

    /** The budget for memory, and for the disk if there is one. */
    Budget bounds() {
        var memory = Budget.of(budget);
        return disk.isEmpty()
                ? memory
                : memory.with(DiskArguments.disk(Path.of(disk), Budget.of(room)));
    }
}
