package dev.ebb;

import dev.ebb.exec.Direct;
import dev.ebb.exec.Report;
import dev.ebb.loop.ProgramPlanner;
import dev.ebb.plan.Plan;
import dev.ebb.plan.TradeOff;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Numbers;
import dev.ebb.tensor.Tensor;
import dev.ebb.trace.Chunks;
import dev.ebb.trace.Pattern;
import dev.ebb.trace.Trace;
import dev.ebb.trace.Tree;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A function made runnable on arrays: traced, planned and compiled once for each combination of
 * argument types, then run in its own arena. The budget bounds all arenas together: those that were
 * not used for longest are given back for a new one.
 *
 * <p>A number in an argument may change from call to call. The function is then traced again, since
 * it reads the number as Java does; where it mixes it with tensors, as in {@code x.mul(rate)}, the
 * number becomes an input of the program, and plan and memory stay. A number that decides more than
 * that, a shape, a branch or the setting of an op such as the bounds of {@code clamp}, makes
 * another program, and so does whatever else differs in an argument. To be spared tracing, make the
 * number a tensor.
 *
 * <p>What the function closes over freezes at the first call: an array, or a number, of the
 * enclosing code is read when the function is traced, and a field that is set to another one later
 * is not looked at again for arguments of the same types. What changes from call to call is an
 * argument.
 */
public final class Compiled<P, R> extends Options<Compiled<P, R>>
        implements Fn<P, R>, AutoCloseable {
    private final Fn<P, R> f;
    private final Optional<By<P, ?>> donated;
    private final Plans<R> plans;
    private volatile Optional<Plans.Entry<R>> latest = Optional.empty();

    /** The latest entry's argument, and what its run gave: the next one is often like it. */
    private Optional<Repeat<P, R>> repeat = Optional.empty();

    private record Repeat<P, R>(Plans.Entry<R> entry, Pattern<P> argument, Pattern<R> result) {}

    Compiled(Fn<P, R> f, ProgramPlanner planner) {
        this(f, planner, Optional.empty());
    }

    private Compiled(Fn<P, R> f, ProgramPlanner planner, Optional<By<P, ?>> donated) {
        super(planner);
        this.f = f;
        this.donated = donated;
        plans = new Plans<>(planner);
    }

    @Override
    Compiled<P, R> under(ProgramPlanner other) {
        return new Compiled<>(f, other, donated);
    }

    /**
     * The same with a part of its argument donated: whoever calls it will not read the arrays of
     * this part again, and results lie in their memory where types match. Reading one after the
     * call is refused. In the program's own memory every argument is overwritten as soon as it is
     * not needed any more, donated or not; what donating saves is new arrays for the results.
     */
    public Compiled<P, R> donating(By<P, ?> part) {
        return new Compiled<>(f, planner(), Optional.of(part));
    }

    /** The same with its whole argument donated. */
    public Compiled<P, R> donating() {
        return donating(new By<P, P>(p -> p, (_, p) -> p));
    }

    private List<Tensor> donated(P argument) {
        return donated.isPresent() ? Tree.flatten(donated.get().part().apply(argument)) : List.of();
    }

    /** Runs on arrays; inside a function that is being traced, becomes part of it. */
    @Override
    public synchronized R apply(P argument) {
        var before = repeat.orElse(null);
        if (before != null && before.entry.prepared().hasMemory()) {
            var arrays = new Array[before.argument.leaves()];
            if (before.argument.gather(argument, arrays)) {
                plans.used(before.entry);
                return before.result.with(before.entry.prepared().run(arrays, donated(argument)));
            }
        }
        var leaves = Tree.flatten(argument);
        if (leaves.stream().anyMatch(t -> !(t instanceof Array))) return f.apply(argument);
        var entry = entry(argument, leaves);
        plans.makeRoom(entry);
        var results = entry.prepared().run(leaves.toArray(Array[]::new), donated(argument));
        repeat =
                Optional.of(
                        new Repeat<>(entry, Pattern.of(argument), Pattern.of(entry.structure())));
        return Tree.unflatten(entry.structure(), results);
    }

    /**
     * Runs as {@link #apply} does and checks every recomputed value against its first computation;
     * an op that gives other bits the second time is named.
     */
    public synchronized R verify(P argument) {
        var leaves = Tree.flatten(argument);
        var entry = entry(argument, leaves);
        plans.makeRoom(entry);
        var results = entry.prepared().verify(leaves.toArray(Array[]::new));
        return Tree.unflatten(entry.structure(), results);
    }

    /**
     * This function for callers that hold doubles: from the elements of arguments like this one to
     * the elements of the result, all of which must be F64. Structure and captured arrays are those
     * of now. Its runs have no {@link #report}.
     */
    public synchronized Primitive primitive(P like) {
        var leaves = Tree.flatten(like);
        var entry = entry(like, leaves);
        var prepared = entry.prepared();
        prepared.requireDoubles();
        plans.makeRoom(entry);
        var direct = prepared.direct();
        return new Primitive(
                prepared.inputs(),
                prepared.outputs(),
                direct.filter(Direct::isPure),
                (in, out) -> apply(entry, like, in, out));
    }

    private synchronized void apply(Plans.Entry<R> entry, P like, double[] in, double[] out) {
        if (!entry.prepared().hasMemory()) {
            // its memory was given back: what the function closes over is found by tracing it again
            var again = entry(like, Tree.flatten(like));
            plans.makeRoom(again);
            again.prepared().apply(in, out);
            return;
        }
        plans.used(entry);
        entry.prepared().apply(in, out);
    }

    private Plans.Entry<R> entry(P argument, List<Tensor> leaves) {
        repeat = Optional.empty();
        var entry =
                plans.entry(
                        Tree.numberless(argument),
                        Tree.signature(argument),
                        leaves.size(),
                        (changing, chunks) ->
                                traced(
                                        argument,
                                        leaves,
                                        new Numbers(changing),
                                        new Chunks(chunks)));
        latest = Optional.of(entry);
        return entry;
    }

    private Plans.Traced<R> traced(
            P argument, List<Tensor> leaves, Numbers numbers, Chunks chunks) {
        var structure = new ArrayList<R>();
        var trace = chunks.during(() -> numbers.during(() -> trace(argument, leaves, structure)));
        return new Plans.Traced<>(trace, structure.getFirst(), numbers.seen(), chunks.most());
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
        return latest.flatMap(e -> e.prepared().report())
                .orElseThrow(
                        () -> new IllegalStateException("nothing has run yet; call apply first"));
    }

    /**
     * What is decided for arguments like this one: what is kept, what is computed again, where it
     * lies. It takes no memory: that comes with the first run.
     */
    public synchronized Plan plan(P argument) {
        return entry(argument, Tree.flatten(argument)).prepared().plan();
    }

    /**
     * What memory buys for arguments like this one, and what each way of bringing values back adds.
     * Of the budget only the places count.
     */
    public TradeOff curve(P argument) {
        var leaves = Tree.flatten(argument);
        var graph = trace(argument, leaves, new ArrayList<>()).graph();
        return planner().tradeOff(graph, Prepared.bindings(graph, leaves.size()));
    }

    /** How many plans are kept. */
    synchronized int plans() {
        return plans.size();
    }

    @Override
    public synchronized void close() {
        plans.close();
        repeat = Optional.empty();
        latest = Optional.empty();
    }
}
