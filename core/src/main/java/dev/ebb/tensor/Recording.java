package dev.ebb.tensor;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Op;
import dev.ebb.ir.Value;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Function;

/**
 * One function being traced: its graph, and the outer tensors it closes over, each a hidden
 * parameter.
 */
public final class Recording {
    private static final ScopedValue<Recording> CURRENT = ScopedValue.newInstance();

    private final Graph.Builder graph;
    private final Optional<Recording> outer;
    private final SequencedMap<Object, Tensor> captured = new LinkedHashMap<>();
    private final SequencedMap<Object, Value> values = new LinkedHashMap<>();
    private boolean open = true;

    private Recording(Graph.Builder graph) {
        this.graph = graph;
        this.outer = CURRENT.isBound() ? Optional.of(CURRENT.get()) : Optional.empty();
    }

    /** Runs {@code function} with every tensor op it performs recorded into {@code graph}. */
    public static <R> R into(Graph.Builder graph, Function<Recording, R> function) {
        var recording = new Recording(graph);
        try {
            return ScopedValue.where(CURRENT, recording).call(() -> function.apply(recording));
        } finally {
            recording.open = false;
        }
    }

    public static boolean isActive() {
        return CURRENT.isBound();
    }

    /** The innermost function being traced, on behalf of {@code caller}. */
    public static Recording current(String caller) {
        if (!CURRENT.isBound()) {
            throw new IllegalStateException(
                    caller
                            + ": nothing is being traced here; call it inside a function given"
                            + " to grad, compile or a loop");
        }
        return CURRENT.get();
    }

    public Graph.Builder graph() {
        return graph;
    }

    public List<Tensor> emit(Op op, List<Tensor> operands) {
        var inputs = operands.stream().map(t -> value(t, op.name())).toList();
        return graph.emit(op, inputs).stream().map(this::tensor).toList();
    }

    /** Copies {@code function} into this graph, applied to {@code operands}. */
    public List<Tensor> inline(Graph function, List<Tensor> operands) {
        var here = graph.inline(function, operands.stream().map(t -> value(t, "inline")).toList());
        return function.results().stream().map(r -> tensor(here.at(r))).toList();
    }

    public Tensor tensor(Value value) {
        return new Traced(this, value);
    }

    /**
     * The value of {@code t} in this graph, on behalf of {@code caller}; a tensor from outside is
     * captured.
     */
    public Value value(Tensor t, String caller) {
        return switch (t) {
            case Traced(var owner, var value) when owner == this -> value;
            case Traced traced -> {
                if (!encloses(traced.owner())) {
                    throw new IllegalStateException(
                            caller
                                    + ": "
                                    + traced
                                    + " belongs to another trace, which "
                                    + (traced.owner().open
                                            ? "does not enclose this one"
                                            : "has already returned")
                                    + "; pass it as an argument or return it from its function");
                }
                yield capture(traced, traced);
            }
            case Array array -> capture(new Same(array), array);
        };
    }

    private boolean encloses(Recording other) {
        for (var r = outer; r.isPresent(); r = r.get().outer) if (r.get() == other) return true;
        return false;
    }

    private Value capture(Object key, Tensor t) {
        captured.putIfAbsent(key, t);
        return values.computeIfAbsent(key, _ -> graph.param(t.type()));
    }

    /** Tensors from outside, in the order in which they became parameters. */
    public List<Tensor> captured() {
        return List.copyOf(captured.values());
    }

    /** Arrays are told apart by identity. */
    private record Same(Array array) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Same(var a) && a == array;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(array);
        }
    }
}
