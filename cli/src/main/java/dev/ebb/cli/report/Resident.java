package dev.ebb.cli.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** What the system says this process has in memory. */
public final class Resident {
    /**
     * The most that the JVM itself takes beside the budget, as {@code ./ebb} starts it: the Java
     * heap, classes, compiled code, threads. {@code ResidentTest} holds runs to it.
     */
    public static final long JVM_BYTES = 256L << 20;

    /** A heap that is not worth the time. */
    private static final long SMALL = 80L << 20;

    private static final Path STATUS = Path.of("/proc/self/status");

    private Resident() {}

    /** The largest resident set of this process so far; unknown where there is no /proc. */
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
     * Gives back to the system what is garbage now, before memory is asked for again: the JVM would
     * rather let its heap grow than look for it. A small heap is left alone.
     */
    public static void tidy() {
        if (Runtime.getRuntime().totalMemory() > SMALL) System.gc();
    }
}
