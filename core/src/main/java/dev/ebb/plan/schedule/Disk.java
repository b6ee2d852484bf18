package dev.ebb.plan.schedule;

import java.nio.file.Path;

/**
 * A second place for values, slower and larger than memory.
 *
 * @param folder where the file lies
 * @param bytes what it may hold at any time; 0 if there is no such place
 */
public record Disk(Path folder, long bytes, Speed speed) {

    /** No second place. */
    public static final Disk NONE = new Disk(Path.of(""), 0, Speed.typical());

    /** Smaller values are not worth the trip. */
    public static final long SMALLEST = 4096;

    public Disk {
        if (bytes < 0)
            throw new IllegalArgumentException("a disk holds 0 bytes or more, not " + bytes);
    }

    public boolean isPresent() {
        return bytes > 0;
    }

    public double toWrite(long size) {
        return speed.start() + size / speed.writing();
    }

    public double toRead(long size) {
        return speed.start() + size / speed.reading();
    }
}
