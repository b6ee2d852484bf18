package dev.ebb.cli.option;

import org.jspecify.annotations.Nullable;

import java.nio.file.Files;
import java.nio.file.Path;

/** A file that an option names to be written when a command ends. */
public final class OutputFile {
    private OutputFile() {}

    /**
     * What is in the way of a file, if one is named, is told before the work rather than after it.
     */
    public static void require(String option, @Nullable Path file) {
        if (file == null) return;
        var parent = file.toAbsolutePath().getParent();
        if (parent == null || !Files.isDirectory(parent))
            throw new Refusal(option + " " + file + ": there is no folder " + parent);
        if (Files.isDirectory(file)) throw new Refusal(option + " " + file + " is a folder");
    }
}
