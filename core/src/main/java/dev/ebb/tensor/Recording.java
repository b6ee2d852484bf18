package dev.ebb.tensor;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Op;
import dev.ebb.ir.Value;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A graph being recorded. For a function that is traced, the outer tensors it captures become
 * hidden parameters. For a tape, the recording stays open until it is closed, and its {@link
 * Follower} is notified of each op.
 */
public final class Recording {
    /** The innermost function being traced; empty inside {@link #atOnce}. */
    private static final ScopedValue<Optional<Recording>> CURRENT = ScopedValue.newInstance();

    private final Graph.Builder graph;
    private final Optional<Recording> outer;
    private final SequencedMap<Object, Tensor> captured = new LinkedHashMap<>();
    private final SequencedMap<Object, Value> values = new LinkedHashMap<>();
    private final Optional<Follower> follower;
    private final Optional<Recording> itself = Optional.of(this);
    private boolean open = true;

    /** Receives each parameter and each op of a recording as soon as it is recorded. */
    public interface Follower {
        void captured(Array array, Value param);

        void emitted();

        /** A copy of the data of {@code tensor}. */
        Array read(Traced tensor);
    }

    private Recording(Graph.Builder graph, Optional<Recording> outer, Optional<Follower> follower) {
        this.graph = graph;
        this.outer = outer;
        this.follower = follower;
    }

    /**
     * A recording that stays open until {@link #close}: ops on its tensors find it by themselves.
     */
    public static Recording followed(Graph.Builder graph, Follower follower) {
        return new Recording(graph, Optional.empty(), Optional.of(follower));
    }

    public void close() {
        open = false;
    }

    public boolean isOpen() {
        return open;
    }

    /** Runs {@code body} with every op in it recorded here, those without operands too. */
    public <R> R during(Supplier<R> body) {
        return ScopedValue.where(CURRENT, Optional.of(this)).call(body::get);
    }

    /** Runs {@code function} with every tensor op it performs recorded into {@code graph}. */
    public static <R> R into(Graph.Builder graph, Function<Recording, R> function) {
        var recording = new Recording(graph, innermost(), Optional.empty());
        try {
            return ScopedValue.where(CURRENT, Optional.of(recording))
                    .call(() -> function.apply(recording));
        } finally {
            recording.open = false;
            // tensors that outlive the function keep a reference to this recording, but not to the
            // captured tensors
            recording.captured.clear();
            recording.values.clear();
        }
    }

    /** Runs {@code body} as if nothing were being traced: ops on arrays are computed at once. */
    static <R> R atOnce(Supplier<R> body) {
        return ScopedValue.where(CURRENT, Optional.empty())
                .where(Numbers.CURRENT, Optional.empty())
                .call(body::get);
    }

    private static Optional<Recording> innermost() {
        return CURRENT.isBound() ? CURRENT.get() : Optional.empty();
    }

    public static boolean isActive() {
        return innermost().isPresent();
    }

    /**
     * The recording to which an op on {@code operands} belongs: that of the innermost function
     * being traced, or else on the tape of an operand. Empty if there are only arrays.
     */
    public static Optional<Recording> of(List<? extends Tensor> operands, String caller) {
        var innermost = innermost();
        if (innermost.isPresent()) return innermost;
        for (int i = 0; i < operands.size(); i++) {
            if (operands.get(i) instanceof Traced traced) {
                if (!traced.owner().open) {
                    throw new IllegalStateException(
                            ("%s: %s was traced in a function that has already returned, or on a"
                                 + " tape that is closed; return it from that function, or copy it"
                                 + " out of the tape with array(), instead of keeping it")
                                    .formatted(caller, traced));
                }
                return Optional.of(traced.owner());
            }
        }
        return Optional.empty();
    }

    /** The same on behalf of {@code op}, whose name is used in error messages. */
    static Optional<Recording> of(List<? extends Tensor> operands, Op op) {
        if (!CURRENT.isBound()
                && !operands.isEmpty()
                && operands.getFirst() instanceof Traced first
                && first.owner().open) return first.owner().itself;
        return of(operands, op.name());
    }

    /** The innermost function being traced, on behalf of {@code caller}. */
    public static Recording current(String caller) {
        return innermost()
                .orElseThrow(
                        () ->
                                new IllegalStateException(
                                        caller
                                                + ": nothing is being traced here; call it inside a"
                                                + " function given to grad, compile or a loop"));
    }

    /** A copy of the data of {@code tensor}, which only a tape has. */
    Array read(Traced tensor, String caller) {
        if (!open) {
            throw new IllegalStateException(
                    ("%s: %s was traced in a function that has already returned, or on a tape that"
                         + " is closed; return it from that function, or copy it out of the tape"
                         + " with array(), instead of keeping it")
                            .formatted(caller, tensor));
        }
        return follower.orElseThrow(() -> noData(tensor, caller)).read(tensor);
    }

    private static IllegalStateException noData(Traced tensor, String caller) {
        return new IllegalStateException(
                ("%s: %s has no data yet, since its function is being traced: it is recorded now"
                     + " and runs later. Return the tensor and read it from the result; decide by"
                     + " it with Tensors.where, Loop.cond or Loop.whileTrue; or use a Tape, on"
                     + " which every op runs at once")
                        .formatted(caller, tensor));
    }

    public Graph.Builder graph() {
        return graph;
    }

    public List<Tensor> emit(Op op, List<Tensor> operands) {
        var inputs = new Value[operands.size()];
        for (int i = 0; i < inputs.length; i++) {
            var operand = operands.get(i);
            boolean here = operand instanceof Traced(var owner, _) && owner == this;
            inputs[i] = here ? ((Traced) operand).value() : value(operand, op.name());
        }
        var outputs = graph.emit(op, List.of(inputs));
        follower.ifPresent(Follower::emitted);
        return outputs.size() == 1
                ? List.of(tensor(outputs.getFirst()))
                : outputs.stream().map(this::tensor).toList();
    }

    /** Copies {@code function} into this graph, applied to {@code operands}. */
    public List<Tensor> inline(Graph function, List<Tensor> operands) {
        var here = graph.inline(function, operands.stream().map(t -> value(t, "inline")).toList());
        follower.ifPresent(Follower::emitted);
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
                if (!encloses(traced.owner())
                        && !(traced.owner().isTape() && outermostIsNoTape())) {
                    throw new IllegalStateException(
                            ("%s: %s belongs to another trace or tape, which %s; pass it as an"
                                            + " argument or return it from its function")
                                    .formatted(
                                            caller,
                                            traced,
                                            traced.owner().open
                                                    ? "does not enclose this one"
                                                    : "has already returned or closed"));
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

    private boolean isTape() {
        return open && follower.isPresent();
    }

    /**
     * Whether the outermost recording is no tape; then a captured tensor of a tape may still flow
     * out to that tape.
     */
    private boolean outermostIsNoTape() {
        var r = this;
        while (r.outer.isPresent()) r = r.outer.get();
        return r.follower.isEmpty();
    }

    private Value capture(Object key, Tensor t) {
        var known = values.get(key);
        if (known != null) return known;
        var param = graph.param(t.type());
        if (t instanceof Array array) follower.ifPresent(f -> f.captured(array, param));
        captured.put(key, t);
        values.put(key, param);
        return param;
    }

    /** Tensors from outside, in the order in which they became parameters. */
    public List<Tensor> captured() {
        return List.copyOf(captured.values());
    }

    /** A key that compares arrays by identity. */
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
