package dev.ebb.exec;

import dev.ebb.ir.Memory;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.Optional;

/**
 * Host memory for values offloaded from a queue's memory, allocated once. One thread copies to it,
 * one transfer after the other; the same thread or a second one copies from it. Concurrent
 * transfers do not overlap.
 */
public interface HostPool extends AutoCloseable {

    /**
     * Copies all of {@code from}, as the work before {@code ready} has left it, to {@code offset}
     * of this pool, and returns when it is there. Between two runs {@code from} may be memory of
     * the host, whatever the device, as may {@code to} of {@link #load}.
     */
    void store(Memory from, Queue.Event ready, long offset);

    /**
     * Copies from {@code offset} of this pool to all of {@code to}, once the work before {@code
     * ready} has run. Work that is put on the queue after this returns reads the copy.
     */
    void load(long offset, Memory to, Queue.Event ready);

    /**
     * Copies that the device orders itself while the host continues; empty if threads of the host
     * copy.
     */
    default Optional<DeviceCopies> deviceCopies() {
        return Optional.empty();
    }

    @Override
    void close();

    /** Makes copies between the queue's memory and this pool that the device puts in order. */
    interface DeviceCopies {
        /**
         * A copy, to be started in every run.
         *
         * @param out whether to the pool
         * @param earlier copies in the other direction that start before it in the same run and for
         *     which it has to wait
         */
        DeviceCopy copy(Memory memory, long offset, boolean out, List<DeviceCopy> earlier);

        /** Waits until nothing is being copied. */
        void finish();
    }

    /** A copy that the device orders itself; the host never waits for it. */
    interface DeviceCopy {
        /**
         * Puts it behind the work that is on the queue by now. It is made even if that work fails.
         */
        void start();

        /** Work that is put on the queue from now on runs after the copy. */
        void await();
    }

    /** Ordinary memory, with copies in the order of {@code queue}. */
    static HostPool of(Queue queue, long bytes) {
        var arena = Arena.ofShared();
        var memory = arena.allocate(bytes, 64);
        return new HostPool() {
            @Override
            public void store(Memory from, Queue.Event ready, long offset) {
                var to = memory.asSlice(offset, from.bytes());
                if (from instanceof Memory.Host(var here)) to.copyFrom(here);
                else EarlierFailure.of(() -> queue.read(from, to));
            }

            @Override
            public void load(long offset, Memory to, Queue.Event ready) {
                var from = memory.asSlice(offset, to.bytes());
                if (to instanceof Memory.Host(var here)) here.copyFrom(from);
                else queue.write(from, to);
            }

            @Override
            public void close() {
                arena.close();
            }
        };
    }
}
