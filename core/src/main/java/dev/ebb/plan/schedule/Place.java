package dev.ebb.plan.schedule;

/**
 * A memory to offload values to, such as a pool of host memory or a file on a disk. A budget names
 * any number of places, the nearest first. Transfers of one place run one after the other, in
 * parallel with the computation and with other places; a two-way place can be written and read at
 * the same time.
 */
public sealed interface Place permits Host, Disk {

    /** Smaller values are not worth a transfer. */
    long SMALLEST = 4096;

    /** The capacity in bytes. */
    long bytes();

    Speed speed();

    /** Whether a value can be offloaded to it while another is fetched from it. */
    boolean isTwoWay();

    /** The way of restoring values from this place. */
    Way way();

    /** The name of this place in reports and errors. */
    String name();

    /** Seconds for which offloading {@code size} bytes occupies this place. */
    default double toWrite(long size) {
        return speed().start() + size / speed().writing();
    }

    /** Seconds for which fetching {@code size} bytes occupies this place. */
    default double toRead(long size) {
        return speed().start() + size / speed().reading();
    }

    /** {@code bytes}, refused if no place can have that size. */
    static long requireCapacity(long bytes) {
        if (bytes <= 0)
            throw new IllegalArgumentException(
                    "the capacity of a place must be positive, not " + bytes);
        return bytes;
    }
}
