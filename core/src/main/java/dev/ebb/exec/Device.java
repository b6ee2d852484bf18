package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Node;
import dev.ebb.plan.Threads;

import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * Something that computes kernels. Planning, memory and order are decided before a device is asked.
 */
public interface Device extends AutoCloseable {

    String name();

    /** All that makes this device as fast as it is, such as its number of threads, in one line. */
    default String signature() {
        return name();
    }

    /**
     * Bytes of scratch that {@link #bind} will want for this node; planned like any other buffer.
     */
    long workspaceBytes(Node node);

    /** How many threads share a program's kernels at most. */
    default Threads threads() {
        return Threads.ONE;
    }

    /**
     * The bytes that this device owns beside the arena while a program of these nodes exists, by
     * the number of workers that share its kernels: what {@link #open} allocates, to the byte. The
     * nodes in the bodies of loops and branches count too. Never less for more workers.
     */
    IntToLongFunction ownBytes(List<Node> nodes);

    /** The most that {@link #ownBytes} can be for one node, whatever it is. */
    long mostOwnBytes(int workers);

    /**
     * This device with memory of its own for one program of these nodes, whose kernels so many
     * workers share; and for those nodes that this was opened for before. It is given back when
     * that is closed.
     */
    Device open(List<Node> nodes, int workers);

    /**
     * The computation of {@code node} on these buffers. All buffers are slices of one off-heap
     * arena, aligned to 64 bytes; an output may be an input's memory where {@link
     * dev.ebb.plan.Inplace} allows it. Running it allocates nothing off heap and gives the same
     * bits every time. A device that was not opened gives the node memory of its own.
     */
    Runnable bind(Node node, List<Buffer> inputs, List<Buffer> outputs, Buffer workspace);

    /** Gives back what this device owns. What was bound to it cannot run any more. */
    @Override
    default void close() {}
}
