package dev.ebb.nn.file;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Files that are whole or absent: written beside their place, forced to the disk, then renamed over
 * it. Whatever happens on the way, a file of the old content stays.
 */
public final class Durable {
    private Durable() {}

    /** Writes a file's content. */
    @FunctionalInterface
    public interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    /** Replaces {@code file} by {@code content}, or leaves it as it was. */
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

    /** Gives {@code from}, whole and beside it, the name {@code to}, at once and to stay. */
    public static void rename(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException _) {
            Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
        }
        force(to.toAbsolutePath().resolveSibling("."));
    }

    /** The new name is on the disk too. Systems that cannot open a folder need no such call. */
    private static void force(Path folder) {
        try (var channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException _) {
            // the file itself is safe already; only the age of its name is not
        }
    }
}
