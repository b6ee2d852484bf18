package dev.ebb;

import dev.ebb.ir.Graph;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.Tensor;
import dev.ebb.trace.Trace;
import dev.ebb.trace.Tree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Supplier;

/** Loops and branches that stay loops and branches in the graph, so that their states can be planned. */
public final class Loop {
    private Loop() {}

    /** The last carry of a loop, and what its rounds gave, stacked along a new first axis. */
    public record Scanned<C, Y>(C carry, Y stacked) {}

    /**
     * {@code carry, y = body(carry, x)} for every slice {@code x} of {@code xs} along the first axis. {@code xs} may be
     * any tree of tensors with equal first axes.
     */
    public static <C, X, Y> Scanned<C, Y> scan(C carry, X xs, Fn2<C, X, Next<C, Y>> body) {
        var stacks = Tree.flatten(xs);
        if (stacks.isEmpty()) throw new ShapeException("a scan needs something to scan over; use repeat for a count");
        int times = -1;
        for (Tensor t : stacks) {
            if (t.rank() == 0 || times >= 0 && t.shape().dim(0) != times) {
                throw new ShapeException("scan: all of xs need the same first axis, got "
                        + stacks.stream().map(Tensor::type).toList());
            }
            times = t.shape().dim(0);
        }
        return loop(times, carry, xs, body);
    }

    /** {@code carry = body(carry)}, {@code times} times. */
    public static <C> C repeat(int times, C carry, Fn<C, C> body) {
        if (times < 0) throw new IllegalArgumentException("a loop cannot run " + times + " times");
        return loop(times, carry, List.<Tensor>of(), (C c, List<Tensor> none) -> new Next<>(body.apply(c), none))
                .carry();
    }

    private static <C, X, Y> Scanned<C, Y> loop(int times, C carry, X xs, Fn2<C, X, Next<C, Y>> body) {
        var first = Tree.flatten(carry);
        var stacks = Tree.flatten(xs);
        var types = new ArrayList<>(first.stream().map(Tensor::type).toList());
        for (Tensor t : stacks) types.add(t.type().with(t.shape().reduce(List.of(0), false)));
        var structure = new ArrayList<Y>();
        var trace = Trace.of(
                in -> {
                    var next = body.apply(
                            Tree.unflatten(carry, in.subList(0, first.size())),
                            Tree.unflatten(xs, in.subList(first.size(), in.size())));
                    if (!Tree.shapeOf(next.state()).equals(Tree.shapeOf(carry))) {
                        throw new IllegalArgumentException("a loop's body must return a carry built like the one it takes");
                    }
                    structure.add(next.out());
                    var results = new ArrayList<>(Tree.flatten(next.state()));
                    results.addAll(Tree.flatten(next.out()));
                    return results;
                },
                types);
        var op = new ScanOp(capturesFirst(trace, types), times, trace.captured().size(), first.size(), false, false);
        var operands = new ArrayList<>(trace.captured());
        operands.addAll(first);
        operands.addAll(stacks);
        var outputs = Tensors.apply(op, operands);
        return new Scanned<>(
                Tree.unflatten(carry, outputs.subList(0, first.size())),
                Tree.unflatten(structure.getFirst(), outputs.subList(first.size(), outputs.size())));
    }

    /** One of two functions of nothing, by a truth value; what they close over flows in and gradients flow back. */
    public static <R> R cond(Tensor predicate, Supplier<R> yes, Supplier<R> no) {
        var structure = new ArrayList<R>();
        var first = traced(yes, structure);
        var second = traced(no, structure);
        if (!Tree.shapeOf(structure.getFirst()).equals(Tree.shapeOf(structure.getLast()))) {
            throw new IllegalArgumentException("the two branches return results of different structure");
        }
        var operands = new LinkedHashMap<Tensor, Integer>();
        first.captured().forEach(t -> operands.putIfAbsent(t, operands.size()));
        second.captured().forEach(t -> operands.putIfAbsent(t, operands.size()));
        var all = List.copyOf(operands.keySet());
        var op = new CondOp(taking(first, all), taking(second, all));
        var inputs = new ArrayList<Tensor>();
        inputs.add(predicate);
        inputs.addAll(all);
        return Tree.unflatten(structure.getFirst(), Tensors.apply(op, inputs));
    }

    private static <R> Trace traced(Supplier<R> branch, List<R> structure) {
        return Trace.of(
                _ -> {
                    structure.add(branch.get());
                    return Tree.flatten(structure.getLast());
                },
                List.of());
    }

    /** The branch as a function of all tensors that either branch closes over. */
    private static Graph taking(Trace trace, List<Tensor> operands) {
        var g = new Graph.Builder();
        var params = operands.stream().map(t -> g.param(t.type())).toList();
        var here = g.inline(
                trace.graph(), trace.captured().stream().map(t -> params.get(operands.indexOf(t))).toList());
        return g.build(trace.graph().results().stream().map(here::at).toList());
    }

    /** The body with what it closes over as its first parameters. */
    private static Graph capturesFirst(Trace trace, List<Type> types) {
        var g = new Graph.Builder();
        var captured = trace.captured().stream().map(t -> g.param(t.type())).toList();
        var arguments = new ArrayList<>(types.stream().map(g::param).toList());
        arguments.addAll(captured);
        var here = g.inline(trace.graph(), arguments);
        return g.build(trace.graph().results().stream().map(here::at).toList());
    }
}
