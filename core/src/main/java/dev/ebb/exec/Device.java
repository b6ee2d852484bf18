package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Node;

import java.util.List;

/**
 * Something that computes kernels. Planning, memory and order are decided before a device is asked.
 */
public interface Device {

    String name();

    /** All that makes this device as fast as it is, such as its number of threads, in one line. */
    default String signature() {
        return name();
    }

    /**
     * Bytes of scratch that {@link #bind} will want for this node; planned like any other buffer.
     */
    long workspaceBytes(Node node);

    /** Bytes this device owns besides the arena, whatever it runs: counted against every budget. */
    long fixedBytes();

    /**
     * The computation of {@code node} on these buffers. All buffers are slices of one off-heap
     * arena, aligned to 64 bytes; an output may be an input's memory where {@link
     * dev.ebb.plan.Inplace} allows it. Running it allocates nothing off heap and gives the same
     * bits every time.
     */
    Runnable bind(Node node, List<Buffer> inputs, List<Buffer> outputs, Buffer workspace);
}
