package dev.ebb.tensor;

import dev.ebb.ir.Type;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * The Java numbers that a function combines with tensors while it is traced, as in {@code
 * x.mul(rate)}, in order. Numbers known to change from call to call become parameters of the graph,
 * so that the graph stays the same; the others are constants in it.
 */
public final class Numbers {
    static final ScopedValue<Optional<Numbers>> CURRENT = ScopedValue.newInstance();

    private final BitSet changing;
    private final List<Double> seen = new ArrayList<>();

    /** Numbers whose positions are in {@code changing} become parameters. */
    public Numbers(BitSet changing) {
        this.changing = (BitSet) changing.clone();
    }

    /** All numbers of the trace so far. */
    public List<Double> seen() {
        return List.copyOf(seen);
    }

    /** A parameter for {@code value}, if it is one of the numbers that change. */
    private Optional<Array> met(Type type, double value) {
        seen.add(value);
        return changing.get(seen.size() - 1)
                ? Optional.of(Array.of(type, value))
                : Optional.empty();
    }

    /** Runs {@code body}, a trace, and records its numbers here. */
    public <R> R during(java.util.function.Supplier<R> body) {
        return ScopedValue.where(CURRENT, Optional.of(this)).call(body::get);
    }

    /**
     * As {@link #met} of the current trace, if there is one; numbers in derivative rules are not
     * recorded.
     */
    static Optional<Array> meet(Type type, double value) {
        return CURRENT.isBound()
                ? CURRENT.get().flatMap(n -> n.met(type, value))
                : Optional.empty();
    }
}
