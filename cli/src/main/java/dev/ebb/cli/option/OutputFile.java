package dev.ebb.cli.option;

import org.jspecify.annotations.Nullable;

import java.nio.file.Files;
import java.nio.file.Path;

/** A file that a command writes at its end. */
public final class OutputFile {
    private OutputFile() {}

    /**
     * Throws if the file, if one is named, cannot be written: before the work instead of after it.
     */
    public static void require(String option, @Nullable Path file) {
        if (file == null) return;
        var parent = file.toAbsolutePath().getParent();
        if (parent == null || !Files.isDirectory(parent))
            throw new Refusal(option + " " + file + ": there is no folder " + parent);
        if (Files.isDirectory(file)) throw new Refusal(option + " " + file + " is a folder");
    }
}
