package dev.ebb.plan.schedule;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * How fast a {@link Place} is.
 *
 * @param writing bytes a second from the arena to it
 * @param reading bytes a second from it to the arena
 * @param start seconds to start a transfer in either direction
 */
public record Speed(double writing, double reading, double start) {

    private static final int SAMPLE = 64 << 20;
    private static final int PIECE = 4 << 20;

    public Speed {
        if (!(writing > 0) || !(reading > 0) || !(start >= 0)) {
            throw new IllegalArgumentException(
                    ("speeds must be positive numbers of bytes a second and the start not negative,"
                                    + " not %s written and %s read a second after %s seconds")
                            .formatted(writing, reading, start));
        }
    }

    /**
     * The speed of a solid-state disk with the file cache of the operating system. Plans made with
     * it are the same everywhere.
     */
    public static Speed typical() {
        return new Speed(1e9, 2e9, 1e-4);
    }

    /** The speed of host memory. Plans made with it are the same everywhere. */
    public static Speed memory() {
        return new Speed(8e9, 8e9, 1e-5);
    }

    /**
     * The speed of pinned memory for a GPU on PCIe 5. Plans made with it are the same everywhere.
     */
    public static Speed pcie() {
        return new Speed(5e10, 5e10, 1e-5);
    }

    /**
     * The speed of the disk of {@code folder}, measured by writing and reading 64 MiB. Two
     * measurements differ, so plans made with them may differ; the results of the plans do not.
     */
    public static Speed measured(Path folder) {
        try {
            var path = Files.createTempFile(folder, "ebb-", ".speed");
            try (var file =
                    FileChannel.open(
                            path,
                            StandardOpenOption.READ,
                            StandardOpenOption.WRITE,
                            StandardOpenOption.DELETE_ON_CLOSE)) {
                var piece = ByteBuffer.allocateDirect(PIECE);
                long begun = System.nanoTime();
                for (long at = 0; at < SAMPLE; at += PIECE) {
                    piece.clear();
                    while (piece.hasRemaining()) file.write(piece, at + piece.position());
                }
                file.force(false);
                long written = System.nanoTime();
                for (long at = 0; at < SAMPLE; at += PIECE) {
                    piece.clear();
                    while (piece.hasRemaining()) file.read(piece, at + piece.position());
                }
                long read = System.nanoTime();
                return new Speed(
                        SAMPLE / ((written - begun) / 1e9),
                        SAMPLE / ((read - written) / 1e9),
                        1e-4);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the speed of the disk of " + folder + " cannot be measured: " + e, e);
        }
    }
}
