package dev.ebb.cli.option;

import dev.ebb.plan.Budget;
import dev.ebb.plan.schedule.Disk;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.nio.file.Files;
import java.nio.file.Path;

/** The options of the disk to which values are offloaded. */
public final class DiskArguments {
    public static final String ROOM = "4GiB";

    @Option(
            names = "--disk",
            paramLabel = "DIR",
            description =
                    "Offload what does not fit in the budget (values, weights, optimizer state) to"
                            + " a file in this folder.")
    private @Nullable Path folder;

    @Option(
            names = "--disk-room",
            paramLabel = "BYTES",
            defaultValue = ROOM,
            converter = BudgetText.class,
            description = "The largest size of that file. Default: ${DEFAULT-VALUE}.")
    private Budget room = Budget.of(ROOM);

    public boolean isNamed() {
        return folder != null;
    }

    /** Throws if the options are given to a command that does not support them. */
    public void refuseFor(String command) {
        if (folder != null) throw new Refusal("--disk cannot be used with " + command);
    }

    /**
     * Throws if no file can be created in the folder, before the run instead of at the first
     * transfer.
     */
    public void requireFolder() {
        if (folder == null || (Files.isDirectory(folder) && Files.isWritable(folder))) return;
        throw new Refusal(
                "--disk "
                        + folder
                        + (Files.isDirectory(folder)
                                ? ": this folder cannot be written; name another"
                                : ": there is no such folder; make it, or name another"));
    }

    /** A file in {@code folder} of at most {@code room}, which is a number of bytes. */
    public static Disk disk(Path folder, Budget room) {
        if (!(room instanceof Budget.Bytes(long bytes)))
            throw new Refusal("--disk-room is a number of bytes, such as 4GiB, not " + room);
        return Disk.in(folder, bytes);
    }

    /** {@code memory}, with the disk added if there is one. */
    public Budget with(Budget memory) {
        return folder == null ? memory : memory.with(disk(folder, room));
    }
}
