package dev.ebb.exec;

import dev.ebb.ir.Memory;
import dev.ebb.plan.schedule.Host;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The work that one program, or one tape, gives to a device, and the memory it works in. Work is
 * put at the end of the queue and runs in that order; putting it there does not wait for it. Only
 * {@link #read}, {@link #finish} and {@link Event#nanos} wait, and they throw the first failure of
 * the work before them. That failure stays, whichever thread it was thrown to: every later read
 * throws it too, until {@link #finish} has thrown it.
 */
public interface Queue extends KernelBinder, AutoCloseable {

    /** Memory that this queue's work may use, all of it zero. */
    Allocation allocate(long bytes);

    /** Memory until it is closed; nothing on the queue may use it then. */
    interface Allocation extends AutoCloseable {
        Memory memory();

        @Override
        void close();
    }

    /**
     * Host memory for values that are offloaded from this queue's memory. If pinned memory is
     * requested, the driver of a GPU allocates it and copies while the GPU computes.
     */
    default HostPool hostPool(Host.Kind kind, long bytes) {
        return HostPool.of(this, bytes);
    }

    /**
     * Puts on the queue: all of {@code from} is copied to the start of {@code to}; both may
     * overlap.
     */
    void copy(Memory from, Memory to);

    /** As {@link #copy(Memory, Memory)}, of {@code bytes} bytes from one offset to another. */
    default void copy(Memory from, long fromOffset, Memory to, long toOffset, long bytes) {
        copy(from.slice(fromOffset, bytes), to.slice(toOffset, bytes));
    }

    /** Puts on the queue: all of {@code memory} becomes zero. */
    void clear(Memory memory);

    /**
     * Puts on the queue: all of {@code from}, as it is now, is copied to the start of {@code to}.
     * Any thread may call this.
     */
    void write(MemorySegment from, Memory to);

    /** Waits for all work before it, then copies all of {@code from}. Any thread may call this. */
    void read(Memory from, MemorySegment to);

    /** Ends a run: waits until all work on the queue has run. A failure does not outlast it. */
    void finish();

    /** A new event of this queue; it is recorded again in every run. */
    Event event();

    /** A point in the order of a queue's work, which can be waited for and timed. */
    interface Event {

        /** Records the event at the end of the queue. */
        void mark();

        /**
         * Waits until the event is reached; the time at which it was, in nanoseconds since a fixed
         * time.
         */
        long nanos();
    }

    /**
     * Records the work that {@code run} puts on this queue, so that it can be repeated as a whole
     * (for example as a CUDA graph). {@code run} must enqueue the same work in every call and must
     * not read or write data from the host. Empty if the device gains nothing by it.
     */
    default Optional<Runnable> recorded(Runnable run) {
        return Optional.empty();
    }

    /** Waits for the enqueued work and frees all memory. */
    @Override
    void close();
}
