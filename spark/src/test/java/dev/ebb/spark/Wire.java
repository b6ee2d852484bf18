package dev.ebb.spark;

import dev.ebb.nn.parallel.ExchangeQueue;
import dev.ebb.nn.parallel.Group;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/**
 * Another group's messages over a simulated network of limited speed: messages arrive at a rank one
 * after the other, at a fixed number of bytes per second. Waiting takes no processor time, unlike
 * loopback.
 */
final class Wire implements Group {
    private final Group group;
    private final double bytesPerSecond;
    private final long latencyNanos;
    private long free;

    Wire(Group group, double bytesPerSecond, double latency) {
        this.group = group;
        this.bytesPerSecond = bytesPerSecond;
        latencyNanos = (long) (1e9 * latency);
    }

    /** The time at which the last byte of a message requested now arrives. */
    private synchronized long end(long bytes) {
        long begin = Math.max(free, System.nanoTime() + latencyNanos);
        free = begin + (long) (1e9 * bytes / bytesPerSecond);
        return free;
    }

    @Override
    public Transfer receive(int from, MemorySegment into) {
        long end = end(into.byteSize());
        var transfer = group.receive(from, into);
        return () -> {
            transfer.await();
            for (long left; (left = end - System.nanoTime()) > 0; ) LockSupport.parkNanos(left);
        };
    }

    @Override
    public Transfer send(int to, MemorySegment data) {
        return group.send(to, data);
    }

    @Override
    public int rank() {
        return group.rank();
    }

    @Override
    public int size() {
        return group.size();
    }

    @Override
    public ExchangeQueue queue() {
        return group.queue();
    }

    @Override
    public void settle() {
        group.settle();
    }

    @Override
    public void close() {
        group.close();
    }

    @Override
    public String toString() {
        return group.toString();
    }
}
