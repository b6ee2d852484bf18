package dev.ebb;

import dev.ebb.exec.ArrayFunction;
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
 * A function that can be called on arrays. It is traced, planned and compiled once for each
 * combination of argument types, and each such program runs in its own arena. The budget limits all
 * arenas together: the least recently used ones are released to make room for a new one.
 *
 * <p>Java numbers in an argument may change from call to call. The function is then traced again;
 * if the number is only combined with tensors, as in {@code x.mul(rate)}, it becomes an input of
 * the program, and plan and memory are reused. A number that determines a shape, a branch or the
 * setting of an op, such as the bounds of {@code clamp}, leads to another program. To avoid
 * tracing, pass the number as a tensor.
 *
 * <p>Captured arrays and numbers are read when the function is traced and then fixed: assigning
 * another array to a captured field later has no effect for arguments of the same types. Pass what
 * changes from call to call as an argument.
 */
public final class Compiled<P, R> extends Options<Compiled<P, R>>
        implements Fn<P, R>, AutoCloseable {
    private final Fn<P, R> f;
    private final Optional<By<P, ?>> donated;
    private final Plans<R> plans;
    private volatile Optional<Plans.Entry<R>> latest = Optional.empty();

    /**
     * The argument and the result structure of the latest run: the next argument often has the same
     * structure.
     */
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
     * This function with a part of its argument donated: the caller will not read the arrays of
     * this part again, and results reuse their memory where types match. Reading one after the call
     * throws. Inside the arena every argument is overwritten once it is not needed any more,
     * donated or not; donating saves new arrays for the results.
     */
    public Compiled<P, R> donating(By<P, ?> part) {
        return new Compiled<>(f, planner(), Optional.of(part));
    }

    /** This function with its whole argument donated. */
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
     * This function on arrays of doubles: from the elements of arguments like this one to the
     * elements of the result, all of which must be F64. Structure and captured arrays are fixed
     * now. Its runs have no {@link #report}.
     */
    public synchronized Primitive primitive(P like) {
        var leaves = Tree.flatten(like);
        var entry = entry(like, leaves);
        var prepared = entry.prepared();
        prepared.requireDoubles();
        plans.makeRoom(entry);
        var direct = prepared.arrayFunction();
        return new Primitive(
                prepared.inputs(),
                prepared.outputs(),
                direct.filter(ArrayFunction::isPure),
                (in, out) -> apply(entry, like, in, out));
    }

    private synchronized void apply(Plans.Entry<R> entry, P like, double[] in, double[] out) {
        if (!entry.prepared().hasMemory()) {
            // its memory was freed: tracing again finds the arrays that the function closes over
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

    /** The promised and the measured figures of the latest run. */
    public Report report() {
        return latest.flatMap(e -> e.prepared().report())
                .orElseThrow(
                        () -> new IllegalStateException("nothing has run yet; call apply first"));
    }

    /**
     * The plan for arguments like this one. Planning allocates no tensor memory: that happens at
     * the first run.
     */
    public synchronized Plan plan(P argument) {
        return entry(argument, Tree.flatten(argument)).prepared().plan();
    }

    /**
     * The predicted time over budget for arguments like this one, with a line for each way of
     * restoring values. Of the budget only its places matter.
     */
    public TradeOff curve(P argument) {
        var leaves = Tree.flatten(argument);
        var graph = trace(argument, leaves, new ArrayList<>()).graph();
        return planner().tradeOff(graph, PreparedProgram.bindings(graph, leaves.size()));
    }

    /** The number of cached plans. */
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
