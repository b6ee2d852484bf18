package dev.ebb;

import dev.ebb.exec.Device;
import dev.ebb.exec.Report;
import dev.ebb.plan.Cost;
import dev.ebb.plan.Plan;
import dev.ebb.plan.Planner;
import dev.ebb.plan.TradeOff;
import dev.ebb.plan.Ways;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.trace.Trace;
import dev.ebb.trace.Tree;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A function made runnable on arrays: traced, planned and compiled once for each combination of
 * argument types, then run in its own arena.
 */
public final class Compiled<P, R> implements Fn<P, R>, AutoCloseable {
    private final Fn<P, R> f;
    private final Pipeline pipeline;
    private final Map<Object, Entry<R>> entries = new HashMap<>();
    private Optional<Entry<R>> latest = Optional.empty();

    private record Entry<R>(R structure, Prepared prepared) {}

    Compiled(Fn<P, R> f, Pipeline pipeline) {
        this.f = f;
        this.pipeline = pipeline;
    }

    /**
     * The same function on another device, planned by that device's own costs: another cost is
     * asked for after it.
     */
    public Compiled<P, R> on(Device device) {
        return new Compiled<>(f, pipeline.on(device));
    }

    /** The same function planned under another model of what kernels cost. */
    public Compiled<P, R> costing(Cost cost) {
        return new Compiled<>(f, pipeline.costing(cost));
    }

    /**
     * The same function under another strategy. {@code new Binomial(slots)} also says how many
     * states of each loop are kept for its backward half.
     */
    public Compiled<P, R> with(Planner strategy) {
        return new Compiled<>(f, pipeline.with(strategy));
    }

    /**
     * The same function whose values come back by these ways alone: as if ops had no inverses, or
     * the budget named no disk.
     */
    public Compiled<P, R> only(Ways ways) {
        return new Compiled<>(f, pipeline.only(ways));
    }

    /**
     * The same function with each op as its own kernel: slower, with the same bits; for finding
     * faults.
     */
    public Compiled<P, R> unfused() {
        return new Compiled<>(f, pipeline.unfused());
    }

    /** Runs on arrays; inside a function that is being traced, becomes part of it. */
    @Override
    public synchronized R apply(P argument) {
        var leaves = Tree.flatten(argument);
        if (leaves.stream().anyMatch(t -> !(t instanceof Array))) return f.apply(argument);
        var entry = entry(argument, leaves);
        var results = entry.prepared.run(leaves.stream().map(t -> (Array) t).toList());
        return Tree.unflatten(entry.structure, results);
    }

    /**
     * Runs as {@link #apply} does and checks every recomputed value against its first computation;
     * an op that gives other bits the second time is named.
     */
    public synchronized R verify(P argument) {
        var leaves = Tree.flatten(argument);
        var entry = entry(argument, leaves);
        var results = entry.prepared.verify(leaves.stream().map(t -> (Array) t).toList());
        return Tree.unflatten(entry.structure, results);
    }

    private Entry<R> entry(P argument, List<Tensor> leaves) {
        var entry =
                entries.computeIfAbsent(Tree.signature(argument), _ -> prepare(argument, leaves));
        latest = Optional.of(entry);
        return entry;
    }

    private Entry<R> prepare(P argument, List<Tensor> leaves) {
        var done = Flight.recorder().compiling();
        var structure = new ArrayList<R>();
        var trace = trace(argument, leaves, structure);
        var captured = Prepared.data(trace.captured());
        var prepared = Prepared.of(trace.graph(), captured, leaves.size(), pipeline);
        done.accept(prepared.plan());
        return new Entry<>(structure.getFirst(), prepared);
    }

    private Trace trace(P argument, List<Tensor> leaves, List<R> structure) {
        return Trace.of(
                in -> {
                    structure.add(f.apply(Tree.unflatten(argument, in)));
                    return Tree.flatten(structure.getFirst());
                },
                leaves.stream().map(Tensor::type).toList());
    }

    /** What the latest run promised and what it measured. */
    public Report report() {
        return latest.flatMap(e -> e.prepared.report())
                .orElseThrow(
                        () -> new IllegalStateException("nothing has run yet; call apply first"));
    }

    /**
     * What is decided for arguments like this one: what is kept, what is computed again, where it
     * lies. It takes no memory: that comes with the first run.
     */
    public synchronized Plan plan(P argument) {
        return entry(argument, Tree.flatten(argument)).prepared.plan();
    }

    /**
     * What memory buys for arguments like this one, and what each way of bringing values back adds.
     * Of the budget only the disk counts.
     */
    public TradeOff curve(P argument) {
        var leaves = Tree.flatten(argument);
        var graph = trace(argument, leaves, new ArrayList<>()).graph();
        return pipeline.tradeOff(graph, Prepared.bindings(graph, leaves.size()));
    }

    @Override
    public synchronized void close() {
        entries.values().forEach(e -> e.prepared.close());
        entries.clear();
        latest = Optional.empty();
    }
}
