package dev.ebb.plan.schedule;

import java.nio.file.Path;

/**
 * A private file on a disk, as a place to offload values to.
 *
 * @param folder the folder of the file
 */
public record Disk(Path folder, long bytes, Speed speed) implements Place {

    public Disk {
        Place.requireCapacity(bytes);
    }

    /** A file in {@code folder}, on a disk as fast as {@link Speed#typical}. */
    public static Disk in(Path folder, long bytes) {
        return new Disk(folder, bytes, Speed.typical());
    }

    @Override
    public boolean isTwoWay() {
        return false;
    }

    @Override
    public Way way() {
        return Way.DISK;
    }

    @Override
    public String name() {
        return "disk " + folder;
    }
}
