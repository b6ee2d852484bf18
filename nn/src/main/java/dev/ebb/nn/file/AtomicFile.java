package dev.ebb.nn.file;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Writes files atomically: to a temporary file in the same folder, forced to the disk, then
 * renamed. If anything fails on the way, the old file remains.
 */
public final class AtomicFile {
    private AtomicFile() {}

    /** Writes a file's content. */
    @FunctionalInterface
    public interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    /** Replaces {@code file} by {@code content}, or leaves it unchanged if that fails. */
    public static void write(Path file, Content content) throws IOException {
        var target = file.toAbsolutePath();
        var beside = target.resolveSibling(target.getFileName() + ".part");
        try {
            try (var channel =
                    FileChannel.open(
                            beside,
                            StandardOpenOption.CREATE,
                            StandardOpenOption.TRUNCATE_EXISTING,
                            StandardOpenOption.WRITE)) {
                var out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16);
                content.writeTo(out);
                out.flush();
                channel.force(true);
            }
            rename(beside, target);
        } catch (IOException e) {
            Files.deleteIfExists(beside);
            throw e;
        }
    }

    /** As {@link #write(Path, Content)}, with a text in UTF-8. */
    public static void write(Path file, String text) throws IOException {
        write(file, out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    }

    /**
     * Renames the complete file {@code from}, in the same folder, to {@code to}, atomically and
     * durably.
     */
    public static void rename(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException _) {
            Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
        }
        force(to.toAbsolutePath().resolveSibling("."));
    }

    /** Forces the new name to the disk too. Systems that cannot open a folder do not need this. */
    private static void force(Path folder) {
        try (var channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException _) {
            // the file itself is safe; only its new name may not be on the disk yet
        }
    }
}
