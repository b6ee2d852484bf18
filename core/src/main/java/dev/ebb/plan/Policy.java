package dev.ebb.plan;

import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Value;

import java.util.List;

/** Decides whether a value of the forward half is kept for the backward half. */
@FunctionalInterface
public interface Policy {

    /**
     * A value that could be kept, the node that computes it, its bytes and the cost of restoring
     * it.
     */
    record Candidate(Value value, Node node, long bytes, double cost) {}

    boolean keeps(Candidate candidate);

    default Policy or(Policy other) {
        return c -> keeps(c) || other.keeps(c);
    }

    default Policy and(Policy other) {
        return c -> keeps(c) && other.keeps(c);
    }

    default Policy negate() {
        return c -> !keeps(c);
    }

    /** Values computed inside a region of one of these names, at any depth. */
    static Policy regions(String... names) {
        var wanted = List.of(names);
        return c -> c.node().region().path().stream().anyMatch(wanted::contains);
    }

    /** Values named with {@code Ebb.name}. */
    static Policy names(String... names) {
        var wanted = List.of(names);
        return c -> c.node().labels().stream().anyMatch(wanted::contains);
    }

    /** Outputs of ops of these names. */
    static Policy ops(String... names) {
        var wanted = List.of(names);
        return c -> wanted.contains(c.node().op().name());
    }

    /** Outputs of kernels of this form. */
    static Policy kind(Class<? extends Kernel> form) {
        return c -> form.isInstance(c.node().kernel());
    }

    /** Values of at most {@code bytes}. */
    static Policy atMost(long bytes) {
        return c -> c.bytes() <= bytes;
    }

    /** Values of at least {@code bytes}. */
    static Policy atLeast(long bytes) {
        return c -> c.bytes() >= bytes;
    }
}
