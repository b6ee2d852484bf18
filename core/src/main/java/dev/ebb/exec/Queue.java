package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Memory;
import dev.ebb.ir.Node;
import dev.ebb.plan.schedule.Host;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.function.IntToLongFunction;

/**
 * The work that one program, or one tape, gives to a device, and the memory it works in. Work is
 * put at the end of the queue and runs in that order; putting it there does not wait for it. Only
 * {@link #read}, {@link #finish} and {@link Event#nanos} wait, and they throw the first failure of
 * the work before them. That failure stays, whichever thread it was thrown to: every later read
 * throws it too, until {@link #finish} has thrown it.
 */
public interface Queue extends AutoCloseable {

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
     * The bytes outside its {@link #allocate allocations} that this queue uses after {@link
     * #reserve} for these nodes, by the number of workers that share their kernels.
     */
    default IntToLongFunction ownBytes(List<Node> nodes) {
        return _ -> 0;
    }

    /**
     * Allocates the memory that the kernels of these nodes, and of those of earlier calls, need
     * outside the arena if this number of workers share them. Must be called before the nodes are
     * bound. A node that was bound before this call may not run after it.
     */
    default void reserve(List<Node> nodes, int workers) {}

    /**
     * The computation of {@code node} on these buffers: running the result enqueues it. All buffers
     * lie in memory of this queue, aligned to 64 bytes; an output may be an input's memory where
     * {@link dev.ebb.plan.schedule.Inplace} allows it. The computation allocates nothing and gives
     * the same bits every time.
     */
    Runnable bind(Node node, List<Buffer> inputs, List<Buffer> outputs, Buffer workspace);

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

    /**
     * The number of runs after which a program is compiled as {@link #compiled one method}, which
     * takes milliseconds. The number is fixed, so that the decision does not depend on time.
     */
    default int compiledAfter() {
        return Integer.MAX_VALUE;
    }

    /**
     * Whether a program of these computations is compiled before its first run; decided by their
     * sizes only.
     */
    default boolean isCompiledAtOnce(List<Node> nodes) {
        return false;
    }

    /**
     * The whole {@code sequence} as one method that computes the same bits, reads the parameters in
     * their memory and writes the results to theirs. Empty if that is not faster, for example if
     * most computations have many elements.
     */
    default Optional<CompiledSequence> compiled(Sequence sequence) {
        return Optional.empty();
    }

    /**
     * As {@link #compiled}, with the first {@code arguments} parameters and all results in arrays
     * of doubles instead; all of these are F64.
     */
    default Optional<ArrayFunction> arrayFunction(Sequence sequence, int arguments) {
        return Optional.empty();
    }

    /**
     * The computation of {@code node}, and of every node of the same op on operands of the same
     * types, as one method that takes the addresses of operands and results. Empty if the device
     * gains nothing by it, and for the first few requests.
     */
    default Optional<RelocatableKernel> relocatable(Node node) {
        return Optional.empty();
    }

    /** Waits for the enqueued work and frees all memory. */
    @Override
    void close();
}
