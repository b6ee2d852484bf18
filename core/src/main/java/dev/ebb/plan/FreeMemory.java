package dev.ebb.plan;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The memory a new arena could take: what the system says is available, or else what the heap may
 * still grow to.
 */
final class FreeMemory {
    private FreeMemory() {}

    static long bytes() {
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
