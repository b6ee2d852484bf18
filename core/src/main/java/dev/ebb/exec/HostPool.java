package dev.ebb.exec;

import dev.ebb.ir.Memory;

import java.lang.foreign.Arena;

/**
 * Host memory for values that are offloaded from a queue's memory, allocated once. Copies to it are
 * made by one thread beside the one that puts work on the queue, one after the other, and those
 * from it by the same thread or by one more; two that are made at once do not overlap.
 */
public interface HostPool extends AutoCloseable {

    /**
     * Copies all of {@code from}, as the work before {@code ready} has left it, to {@code offset}
     * of this pool, and returns when it is there.
     */
    void store(Memory from, Queue.Event ready, long offset);

    /**
     * Copies from {@code offset} of this pool to all of {@code to}, once the work before {@code
     * ready} has done with it. Work that is put on the queue after this returns reads the copy.
     */
    void load(long offset, Memory to, Queue.Event ready);

    @Override
    void close();

    /** Ordinary memory, with copies in the order of {@code queue}. */
    static HostPool of(Queue queue, long bytes) {
        var arena = Arena.ofShared();
        var memory = arena.allocate(bytes, 64);
        return new HostPool() {
            @Override
            public void store(Memory from, Queue.Event ready, long offset) {
                queue.read(from, memory.asSlice(offset, from.bytes()));
            }

            @Override
            public void load(long offset, Memory to, Queue.Event ready) {
                queue.write(memory.asSlice(offset, to.bytes()), to);
            }

            @Override
            public void close() {
                arena.close();
            }
        };
    }
}
