package dev.ebb.grad;

import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Fill;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Op;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The cotangents of a sweep, summed as they come; those of no use are dropped. Those of parts of a
 * value wait until it is asked for, and are put together once. Sums of sixteen-bit floats are kept
 * in F32 and rounded when they are asked for.
 */
public final class Cotangents implements Adjoints {
    private final Graph.Builder graph;
    private final Set<Value> useful;
    private final Map<Value, Value> known = new HashMap<>();

    /** Parts that do not overlap, and how they are put together. */
    private record Parts(
            List<View.Part> places,
            List<Value> cotangents,
            Function<List<View.Part>, Op> assemble) {}

    /** What flowed into parts of a value and is not among {@link #known} yet. */
    private final Map<Value, Parts> pending = new HashMap<>();

    /** Sums that were rounded, by what they are of. */
    private final Map<Value, Value> rounded = new HashMap<>();

    public Cotangents(Graph.Builder graph, Set<Value> useful) {
        this.graph = graph;
        this.useful = Set.copyOf(useful);
    }

    @Override
    public Graph.Builder graph() {
        return graph;
    }

    @Override
    public boolean reached(Value value) {
        return known.containsKey(value) || pending.containsKey(value);
    }

    @Override
    public boolean wanted(Value value) {
        return useful.contains(value);
    }

    @Override
    public Value of(Value value) {
        settle(value);
        var sum = known.get(value);
        if (sum == null) return graph.emit(new Fill(value.type(), 0));
        if (sum.type().equals(value.type())) return sum;
        return rounded.computeIfAbsent(
                sum, wide -> CotangentCast.to(value.type().dtype(), wide, graph));
    }

    /**
     * The cotangent of {@code value} so far, which may be of a wider type; empty if nothing flowed
     * into it.
     */
    public Optional<Value> found(Value value) {
        settle(value);
        return Optional.ofNullable(known.get(value));
    }

    @Override
    public void add(Value value, Value cotangent) {
        if (!value.type().equals(cotangent.type())) {
            throw new IllegalStateException(
                    "the cotangent of "
                            + value
                            + " has type "
                            + cotangent.type()
                            + " where "
                            + value.type()
                            + " is expected: the derivative rule is wrong");
        }
        if (!wanted(value)) return;
        sum(value, cotangent);
    }

    @Override
    public void addPart(
            Value value, View.Part part, Value cotangent, Function<List<View.Part>, Op> assemble) {
        if (!wanted(value)) return;
        var before = pending.get(value);
        if (before != null && before.places.stream().anyMatch(part::overlaps)) settle(value);
        var parts =
                pending.computeIfAbsent(
                        value, _ -> new Parts(new ArrayList<>(), new ArrayList<>(), assemble));
        parts.places.add(part);
        parts.cotangents.add(cotangent);
    }

    /** Puts the parts of {@code value} together and adds them to the rest. */
    private void settle(Value value) {
        var parts = pending.remove(value);
        if (parts == null) return;
        var op = parts.assemble.apply(parts.places);
        sum(value, graph.emit(op, parts.cotangents.toArray(Value[]::new)));
    }

    private void sum(Value value, Value cotangent) {
        known.merge(value, cotangent, (a, b) -> graph.emit(new Accumulate(), a, b));
    }
}
