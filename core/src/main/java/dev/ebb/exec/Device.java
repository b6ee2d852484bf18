package dev.ebb.exec;

import dev.ebb.ir.FusionLimits;
import dev.ebb.ir.Node;
import dev.ebb.plan.Threads;
import dev.ebb.plan.cost.Roofline;
import dev.ebb.plan.schedule.Cost;

import java.util.List;
import java.util.Optional;
import java.util.function.IntToLongFunction;

/**
 * Runs kernels: a CPU or a GPU. The order of kernels and their memory are decided by the plan, not
 * by the device.
 */
public interface Device {

    String name();

    /**
     * A description of everything that affects the speed of this device, such as its number of
     * threads, in one line.
     */
    default String signature() {
        return name();
    }

    /**
     * Bytes of workspace that {@link Queue#bind} needs for this node; planned like any other
     * buffer.
     */
    long workspaceBytes(Node node);

    /** The most threads that share a program's kernels. */
    default Threads threads() {
        return Threads.ONE;
    }

    /**
     * The bytes that this device owns outside the arena while a program of these nodes exists, by
     * the number of workers that share its kernels: exactly the bytes that {@link Queue#reserve}
     * allocates. The nodes in the bodies of loops and branches count too. Never less for more
     * workers.
     */
    IntToLongFunction ownBytes(List<Node> nodes);

    /** The most that {@link #ownBytes} can be for one node, whatever it is. */
    long mostOwnBytes(int workers);

    /** Whether plain Java ({@code Kernel.Library}) works on this device's memory, not on copies. */
    default boolean isHost() {
        return true;
    }

    /** The limits of fusion for kernels of this device. */
    default FusionLimits fusion() {
        return FusionLimits.processor();
    }

    /**
     * Where the computation of {@code node} may be cut along an axis with the same bits: see {@link
     * Node.Cuts}. A device that does not say so is never asked to compute in tiles.
     */
    default int cutEvery(Node node, int axis) {
        return Node.Cuts.NEVER;
    }

    /**
     * The default cost model for plans, from fixed rates. It depends on the kind of device alone,
     * so that plans do not change from machine to machine.
     */
    default Cost cost() {
        return Roofline.typical();
    }

    /**
     * A sentence on the device memory that no budget counts, such as a driver's context; none if
     * there is none.
     */
    default Optional<String> uncounted() {
        return Optional.empty();
    }

    /** A new queue for the work of one program, with memory of its own. */
    Queue open();
}
