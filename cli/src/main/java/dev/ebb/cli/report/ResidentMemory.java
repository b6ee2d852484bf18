package dev.ebb.cli.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** The resident memory of this process, as the operating system reports it. */
public final class ResidentMemory {
    /**
     * An upper bound on the memory of the JVM in addition to the budget, as {@code ./ebb} starts
     * it: the Java heap, classes, compiled code, threads. {@code ResidentMemoryTest} checks runs
     * against it.
     */
    public static final long JVM_BYTES = 256L << 20;

    /** A heap of at most this size is not worth a garbage collection. */
    private static final long SMALL = 80L << 20;

    private static final Path STATUS = Path.of("/proc/self/status");

    private ResidentMemory() {}

    /** The peak resident set of this process so far; unknown on systems without /proc. */
    public static OptionalLong peakBytes() {
        if (!Files.isReadable(STATUS)) return OptionalLong.empty();
        try (var lines = Files.lines(STATUS)) {
            return lines.filter(line -> line.startsWith("VmHWM:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                    .findFirst();
        } catch (IOException _) {
            return OptionalLong.empty();
        }
    }

    /**
     * Runs a garbage collection before more memory is allocated, because the JVM would otherwise
     * let its heap grow. Does nothing if the heap is small.
     */
    public static void tidy() {
        if (Runtime.getRuntime().totalMemory() > SMALL) System.gc();
    }
}
