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
 * Computes kernels: a processor or a card. Which kernels run, in which order and in which memory,
 * is decided before a device is asked to run them.
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

    /** How many threads share a program's kernels at most. */
    default Threads threads() {
        return Threads.ONE;
    }

    /**
     * The bytes that this device owns beside the arena while a program of these nodes exists, by
     * the number of workers that share its kernels: what {@link Queue#reserve} allocates, to the
     * byte. The nodes in the bodies of loops and branches count too. Never less for more workers.
     */
    IntToLongFunction ownBytes(List<Node> nodes);

    /** The most that {@link #ownBytes} can be for one node, whatever it is. */
    long mostOwnBytes(int workers);

    /** Whether plain Java ({@code Kernel.Library}) works on this device's memory, not on copies. */
    default boolean isHost() {
        return true;
    }

    /** How much this device wants merged into one kernel. */
    default FusionLimits fusion() {
        return FusionLimits.processor();
    }

    /**
     * Where the computation of {@code node} may be cut along an axis with the same bits: see {@link
     * Node.Cuts}. A device that does not say so is never asked to compute in parts.
     */
    default int cutEvery(Node node, int axis) {
        return Node.Cuts.NEVER;
    }

    /**
     * What kernels take here, by fixed rates: what plans are made with unless another cost is asked
     * for. It depends on the kind of device alone, so that plans do not change from machine to
     * machine.
     */
    default Cost cost() {
        return Roofline.typical();
    }

    /**
     * What it takes of its memory whatever runs, and no budget counts, in one sentence; none if
     * there is no such thing.
     */
    default Optional<String> uncounted() {
        return Optional.empty();
    }

    /** A new queue for the work of one program, with memory of its own. */
    Queue open();
}
