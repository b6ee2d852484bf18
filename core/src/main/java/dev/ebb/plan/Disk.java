package dev.ebb.plan;

import java.nio.file.Path;

/**
 * A second place for values, slower and larger than memory.
 *
 * @param folder where the file lies
 * @param bytes what it may hold at any time; 0 if there is no such place
 * @param writing bytes a second from memory to it
 * @param reading bytes a second from it to memory
 * @param start seconds before either begins
 */
public record Disk(Path folder, long bytes, double writing, double reading, double start) {

    /** No second place. */
    public static final Disk NONE = new Disk(Path.of(""), 0, 1, 1, 0);

    /** Smaller values are not worth the trip. */
    static final long SMALLEST = 4096;

    public Disk {
        if (bytes < 0 || !(writing > 0) || !(reading > 0) || !(start >= 0)) {
            throw new IllegalArgumentException(
                    "a disk holds 0 bytes or more and moves some a second, not "
                            + bytes
                            + " bytes, "
                            + writing
                            + " written and "
                            + reading
                            + " read a second after "
                            + start
                            + " seconds");
        }
    }

    boolean isPresent() {
        return bytes > 0;
    }

    double toWrite(long size) {
        return start + size / writing;
    }

    double toRead(long size) {
        return start + size / reading;
    }
}
