package dev.ebb.exec;

import dev.ebb.ir.FusionLimits;
import dev.ebb.ir.Node;
import dev.ebb.plan.Cost;
import dev.ebb.plan.Roofline;

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
     * Bytes of scratch that {@link Queue#bind} will want for this node; planned like any other
     * buffer.
     */
    long workspaceBytes(Node node);

    /** Bytes this device owns besides the arena, whatever it runs: counted against every budget. */
    long fixedBytes();

    /** How much this device wants merged into one kernel. */
    default FusionLimits fusion() {
        return FusionLimits.processor();
    }

    /**
     * What kernels take here, by fixed rates: what plans are made with unless another cost is asked
     * for. It depends on the kind of device alone, so that plans do not change from machine to
     * machine.
     */
    default Cost cost() {
        return Roofline.typical();
    }

    /** A new queue for the work of one program, with memory of its own. */
    Queue open();
}
