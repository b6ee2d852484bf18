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
 * The cotangents of a backward pass, accumulated as they arrive; cotangents of values that do not
 * depend on an input to differentiate by are dropped. Cotangents of slices of a value are collected
 * until that cotangent is read and then assembled once. Sums of sixteen-bit floats are kept in F32
 * and rounded when they are read.
 */
public final class Cotangents implements Adjoints {
    private final Graph.Builder graph;
    private final Set<Value> useful;
    private final Map<Value, Value> known = new HashMap<>();

    /** Cotangents of slices that do not overlap, and the kernel that assembles them. */
    private record Parts(
            List<View.Part> places,
            List<Value> cotangents,
            Function<List<View.Part>, Op> assemble) {}

    /** Cotangents of slices of a value that are not yet added to {@link #known}. */
    private final Map<Value, Parts> pending = new HashMap<>();

    /** The rounded sum for each value whose sum was rounded. */
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
                    ("the cotangent of %s has type %s where %s is expected: the derivative rule is"
                                    + " wrong")
                            .formatted(value, cotangent.type(), value.type()));
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

    /** Assembles the cotangents of the slices of {@code value} and adds them to its cotangent. */
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
