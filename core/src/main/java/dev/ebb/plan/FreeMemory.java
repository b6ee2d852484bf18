package dev.ebb.plan;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The memory available for a new arena: what the operating system reports, limited by the control
 * group (container); if that is unknown, what the heap may still grow to.
 */
final class FreeMemory {
    private FreeMemory() {}

    static long bytes() {
        return Math.min(ofSystem(), ofGroup(Path.of("/sys/fs/cgroup")));
    }

    /** The free bytes below the limit of a control group; unbounded if there is no limit. */
    static long ofGroup(Path folder) {
        try {
            var limit = Files.readString(folder.resolve("memory.max")).strip();
            var used = Files.readString(folder.resolve("memory.current")).strip();
            return limit.equals("max")
                    ? Long.MAX_VALUE
                    : Math.max(0, Long.parseLong(limit) - Long.parseLong(used));
        } catch (IOException | NumberFormatException e) {
            return Long.MAX_VALUE;
        }
    }

    private static long ofSystem() {
        var heap = Runtime.getRuntime();
        long growth = heap.maxMemory() - heap.totalMemory() + heap.freeMemory();
        var system = Path.of("/proc/meminfo");
        try {
            if (!Files.isReadable(system)) return growth;
            for (String line : Files.readAllLines(system)) {
                if (line.startsWith("MemAvailable:")) {
                    return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
                }
            }
            return growth;
        } catch (IOException e) {
            return growth;
        }
    }
}
