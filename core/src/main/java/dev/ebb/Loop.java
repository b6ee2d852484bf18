package dev.ebb;

import dev.ebb.control.CondOp;
import dev.ebb.control.RunOnceOps;
import dev.ebb.control.ScanOp;
import dev.ebb.control.WhileOp;
import dev.ebb.ir.Graph;
import dev.ebb.ir.IterationCosts;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.trace.Trace;
import dev.ebb.trace.Tree;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.IntToDoubleFunction;
import java.util.function.Supplier;

/**
 * Loops and branches that are single nodes of the graph, so that the planner can checkpoint their
 * states. A loop written in plain Java is unrolled instead.
 */
public final class Loop {
    private Loop() {}

    /**
     * The last carry of a loop, and the outputs of all its iterations, stacked along a new first
     * axis.
     */
    public record Scanned<C, Y>(C carry, Y stacked) {}

    /**
     * {@code carry, y = body(carry, x)} for every slice {@code x} of {@code xs} along the first
     * axis. {@code xs} may be any tree of tensors with equal first axes.
     */
    public static <C, X, Y> Scanned<C, Y> scan(C carry, X xs, Fn2<C, X, Next<C, Y>> body) {
        return scan(carry, xs, _ -> 1, body);
    }

    /**
     * The same for iterations of different cost: {@code cost} maps the number of an iteration to
     * its cost, in any unit. It only decides which carries are kept for the backward half.
     */
    public static <C, X, Y> Scanned<C, Y> scan(
            C carry, X xs, IntToDoubleFunction cost, Fn2<C, X, Next<C, Y>> body) {
        var stacks = Tree.flatten(xs);
        if (stacks.isEmpty())
            throw new ShapeException(
                    "a scan needs at least one tensor to scan over; use repeat for a number of"
                            + " iterations");
        int times = -1;
        for (Tensor t : stacks) {
            if (t.rank() == 0 || (times >= 0 && t.shape().dim(0) != times)) {
                throw new ShapeException(
                        "scan: all of xs need the same first axis, got "
                                + stacks.stream().map(Tensor::type).toList());
            }
            times = t.shape().dim(0);
        }
        return loop(times, carry, xs, IterationCosts.of(times, cost), body, Optional.empty());
    }

    /** {@code carry = body(carry)}, {@code times} times. */
    public static <C> C repeat(int times, C carry, Fn<C, C> body) {
        return repeat(times, carry, body, Optional.empty());
    }

    /** The same with a function that inverts an iteration. */
    static <C> C repeat(int times, C carry, Fn<C, C> body, Optional<Fn<C, C>> inverse) {
        if (times < 0) throw new IllegalArgumentException("a loop cannot run " + times + " times");
        return loop(
                        times,
                        carry,
                        List.<Tensor>of(),
                        IterationCosts.EVEN,
                        (C c, List<Tensor> none) -> new Next<>(body.apply(c), none),
                        inverse)
                .carry();
    }

    private static <C, X, Y> Scanned<C, Y> loop(
            int times,
            C carry,
            X xs,
            IterationCosts costs,
            Fn2<C, X, Next<C, Y>> body,
            Optional<Fn<C, C>> inverse) {
        var first = Tree.flatten(carry);
        var stacks = Tree.flatten(xs);
        var types = new ArrayList<>(first.stream().map(Tensor::type).toList());
        for (Tensor t : stacks) types.add(t.type().with(t.shape().reduce(List.of(0), false)));
        var structure = new ArrayList<Y>();
        var trace =
                Trace.of(
                        in -> {
                            var next =
                                    body.apply(
                                            Tree.unflatten(carry, in.subList(0, first.size())),
                                            Tree.unflatten(
                                                    xs, in.subList(first.size(), in.size())));
                            if (!Tree.shapeOf(next.state()).equals(Tree.shapeOf(carry))) {
                                throw new IllegalArgumentException(
                                        "a loop's body must return a carry of the same structure as"
                                                + " the one it takes");
                            }
                            structure.add(next.out());
                            var results = new ArrayList<>(Tree.flatten(next.state()));
                            results.addAll(Tree.flatten(next.out()));
                            return results;
                        },
                        types);
        var back = inverse.map(f -> Trace.of(in -> undone(f, carry, in), types));
        var constants = back.map(b -> union(trace, b)).orElse(trace.captured());
        var iteration = RunOnceOps.withResults(taking(trace, constants, types));
        var op =
                new ScanOp(
                        iteration,
                        times,
                        constants.size(),
                        first.size(),
                        false,
                        false,
                        Trait.once(iteration.traits()),
                        costs,
                        back.map(b -> taking(b, constants, types)));
        var operands = new ArrayList<>(constants);
        operands.addAll(first);
        operands.addAll(stacks);
        var outputs = Tensors.apply(op, operands);
        int given = trace.graph().results().size();
        return new Scanned<>(
                Tree.unflatten(carry, outputs.subList(0, first.size())),
                Tree.unflatten(structure.getFirst(), outputs.subList(first.size(), given)));
    }

    private static <C> List<Tensor> undone(Fn<C, C> inverse, C carry, List<Tensor> after) {
        var before = Tree.flatten(inverse.apply(Tree.unflatten(carry, after)));
        var types = before.stream().map(Tensor::type).toList();
        if (!types.equals(after.stream().map(Tensor::type).toList())) {
            throw new ShapeException(
                    ("a loop's inverse gives %s where the carry is %s; it must return the types"
                                    + " that the body takes")
                            .formatted(types, after.stream().map(Tensor::type).toList()));
        }
        return before;
    }

    /**
     * {@code carry = body(carry)} while {@code condition(carry)}, which gives one truth value,
     * holds. The number of iterations is recorded, and the backward half runs as many; more than
     * {@code limit} are an error.
     */
    public static <C> C whileTrue(int limit, C carry, Fn<C, Tensor> condition, Fn<C, C> body) {
        if (limit < 1)
            throw new IllegalArgumentException("a loop's limit must be positive, not " + limit);
        var first = Tree.flatten(carry);
        var types = first.stream().map(Tensor::type).toList();
        var asked = Trace.of(in -> List.of(condition.apply(Tree.unflatten(carry, in))), types);
        var done =
                Trace.of(
                        in -> {
                            var next = body.apply(Tree.unflatten(carry, in));
                            if (!Tree.shapeOf(next).equals(Tree.shapeOf(carry))) {
                                throw new IllegalArgumentException(
                                        "a loop's body must return a carry of the same structure as"
                                                + " the one it takes");
                            }
                            return Tree.flatten(next);
                        },
                        types);
        var constants = union(asked, done);
        var op =
                new WhileOp(
                        taking(asked, constants, types),
                        RunOnceOps.withResults(taking(done, constants, types)),
                        limit,
                        constants.size(),
                        first.size());
        var operands = new ArrayList<>(constants);
        operands.addAll(first);
        return Tree.unflatten(carry, Tensors.apply(op, operands).subList(0, first.size()));
    }

    /** The tensors that either function closes over. */
    private static List<Tensor> union(Trace first, Trace second) {
        var all = new LinkedHashSet<>(first.captured());
        all.addAll(second.captured());
        return List.copyOf(all);
    }

    /**
     * One of two functions without arguments, chosen by a truth value; gradients flow to the
     * tensors that they close over.
     */
    public static <R> R cond(Tensor predicate, Supplier<R> yes, Supplier<R> no) {
        var structure = new ArrayList<R>();
        var first = traced(yes, structure);
        var second = traced(no, structure);
        if (!Tree.shapeOf(structure.getFirst()).equals(Tree.shapeOf(structure.getLast()))) {
            throw new IllegalArgumentException(
                    "the two branches return results of different structure");
        }
        var all = union(first, second);
        var op = CondOp.of(taking(first, all, List.of()), taking(second, all, List.of()));
        var inputs = new ArrayList<Tensor>();
        inputs.add(predicate);
        inputs.addAll(all);
        int given = first.graph().results().size();
        return Tree.unflatten(structure.getFirst(), Tensors.apply(op, inputs).subList(0, given));
    }

    private static <R> Trace traced(Supplier<R> branch, List<R> structure) {
        return Trace.of(
                _ -> {
                    structure.add(branch.get());
                    return Tree.flatten(structure.getLast());
                },
                List.of());
    }

    /**
     * The function with {@code constants}, some of which it closes over, as its first parameters.
     */
    private static Graph taking(Trace trace, List<Tensor> constants, List<Type> types) {
        var g = new Graph.Builder();
        var outer = constants.stream().map(t -> g.param(t.type())).toList();
        var arguments = new ArrayList<>(types.stream().map(g::param).toList());
        trace.captured().forEach(t -> arguments.add(outer.get(constants.indexOf(t))));
        var here = g.inline(trace.graph(), arguments);
        return g.build(trace.graph().results().stream().map(here::at).toList());
    }
}
