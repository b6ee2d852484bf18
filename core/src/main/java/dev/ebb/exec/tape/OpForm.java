package dev.ebb.exec.tape;

import dev.ebb.exec.RelocatableKernel;
import dev.ebb.ir.Kernel;

import java.util.Optional;

/**
 * The properties of an op on operands of certain types, computed once for all such nodes on a tape,
 * and the measured times of these nodes.
 */
final class OpForm {
    private static final int SHARE = 16;

    private final int number;
    private final String name;
    private final Kernel kernel;
    private final double cost;
    private final long workspace;
    private final boolean once;
    private boolean reserved;
    private Optional<RelocatableKernel> relocatable = Optional.empty();
    private int calls;
    private long nanos;

    /**
     * @param number of a tape's forms, from 0 on
     * @param workspace the least workspace it needs, in bytes
     * @param once whether it may run only once
     */
    OpForm(int number, String name, Kernel kernel, double cost, long workspace, boolean once) {
        this.number = number;
        this.name = name;
        this.kernel = kernel;
        this.cost = cost;
        this.workspace = workspace;
        this.once = once;
    }

    int number() {
        return number;
    }

    String name() {
        return name;
    }

    Kernel kernel() {
        return kernel;
    }

    double cost() {
        return cost;
    }

    long workspace() {
        return workspace;
    }

    boolean once() {
        return once;
    }

    /** Whether memory of the device is already reserved for such nodes. */
    boolean isReserved() {
        return reserved;
    }

    void reserved() {
        reserved = true;
    }

    /** The computation that takes the addresses of operands and results, if there is one. */
    Optional<RelocatableKernel> relocatable() {
        return relocatable;
    }

    void relocatable(Optional<RelocatableKernel> found) {
        relocatable = found;
    }

    /**
     * The number of runs that the time of the next run counts for; 0 if it is not to be timed. A
     * generated method that takes the addresses of its operands may run faster than the clock can
     * be read: after a few runs, only one run in {@link #SHARE} is timed and counts for all of
     * them.
     */
    int share() {
        if (relocatable.isEmpty() || calls < SHARE) return 1;
        return calls % SHARE == 0 ? SHARE : 0;
    }

    void ran(long took) {
        calls++;
        nanos += took;
    }

    int calls() {
        return calls;
    }

    double seconds() {
        return nanos / 1e9;
    }
}
