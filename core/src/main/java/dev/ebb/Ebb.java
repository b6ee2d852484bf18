package dev.ebb;

import dev.ebb.control.CustomOp;
import dev.ebb.grad.Forward;
import dev.ebb.grad.Reverse;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.tensor.Recording;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.trace.RecordedFunction;
import dev.ebb.trace.Trace;
import dev.ebb.trace.Tree;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * The entry points: derivatives ({@link #grad}), batching ({@code vmap}), compilation ({@link
 * #compile}) and training steps ({@code stepper}). Every method takes a function and gives a
 * function, so they compose in any order.
 */
public final class Ebb {
    private Ebb() {}

    /** A function's value and its gradient, which has the structure of the argument. */
    public record ValueAndGrad<P>(Tensor value, P grad) {}

    /** A scalar to differentiate, and a further result that is returned as it is. */
    public record WithExtra<A>(Tensor value, A extra) {}

    /** A function's value, its gradient, and its further result. */
    public record ValueGradAndExtra<P, A>(Tensor value, P grad, A extra) {}

    /** A function's value and its derivative along a direction. */
    public record ValueAndTangent<R>(R value, R tangent) {}

    /** A function's value, and the cotangent of its argument: a vector-Jacobian product. */
    public record ValueAndCotangent<R, P>(R value, P cotangent) {}

    /** The gradient of a scalar function. */
    public static <P> Fn<P, P> grad(Fn<P, Tensor> f) {
        var both = valueAndGrad(f);
        return p -> both.apply(p).grad();
    }

    /** The gradient of a scalar function by its first argument. */
    public static <P, Q> Fn2<P, Q, P> grad(Fn2<P, Q, Tensor> f) {
        return grad(f, By.first());
    }

    /** The gradient of a scalar function by its first argument. */
    public static <P, Q, S> Fn3<P, Q, S, P> grad(Fn3<P, Q, S, Tensor> f) {
        return grad(f, By.firstOf3());
    }

    /** The gradient by a part of the argument. */
    public static <P, D> Fn<P, D> grad(Fn<P, Tensor> f, By<P, D> by) {
        var both = valueAndGrad(f, by);
        return p -> both.apply(p).grad();
    }

    /** The gradient by one argument or by both. */
    public static <P, Q, D> Fn2<P, Q, D> grad(Fn2<P, Q, Tensor> f, By<By.Two<P, Q>, D> by) {
        var both = valueAndGrad(f, by);
        return (p, q) -> both.apply(p, q).grad();
    }

    /** The gradient by one argument or by all. */
    public static <P, Q, S, D> Fn3<P, Q, S, D> grad(
            Fn3<P, Q, S, Tensor> f, By<By.Three<P, Q, S>, D> by) {
        var both = valueAndGrad(f, by);
        return (p, q, s) -> both.apply(p, q, s).grad();
    }

    public static <P, Q> Fn2<P, Q, ValueAndGrad<P>> valueAndGrad(Fn2<P, Q, Tensor> f) {
        return valueAndGrad(f, By.first());
    }

    public static <P, Q, S> Fn3<P, Q, S, ValueAndGrad<P>> valueAndGrad(Fn3<P, Q, S, Tensor> f) {
        return valueAndGrad(f, By.firstOf3());
    }

    /** The value, and the gradient by a part of the argument. */
    public static <P, D> Fn<P, ValueAndGrad<D>> valueAndGrad(Fn<P, Tensor> f, By<P, D> by) {
        By.given(f);
        return p -> valueAndGrad((D d) -> f.apply(by.with().apply(p, d))).apply(by.part().apply(p));
    }

    /** The value, and the gradient by one argument or by both. */
    public static <P, Q, D> Fn2<P, Q, ValueAndGrad<D>> valueAndGrad(
            Fn2<P, Q, Tensor> f, By<By.Two<P, Q>, D> by) {
        var both = valueAndGrad(By.whole(f), by);
        return (p, q) -> both.apply(new By.Two<>(p, q));
    }

    /** The value, and the gradient by one argument or by all. */
    public static <P, Q, S, D> Fn3<P, Q, S, ValueAndGrad<D>> valueAndGrad(
            Fn3<P, Q, S, Tensor> f, By<By.Three<P, Q, S>, D> by) {
        var all = valueAndGrad(By.whole(f), by);
        return (p, q, s) -> all.apply(new By.Three<>(p, q, s));
    }

    public static <P> Fn<P, ValueAndGrad<P>> valueAndGrad(Fn<P, Tensor> f) {
        By.given(f);
        return p -> {
            var traced = RecordedFunction.of(f::apply, p);
            var gradient = Reverse.gradient(traced.graph(), traced.wrt());
            var y = traced.graph().results().getFirst().type();
            var results = traced.run(gradient, List.of(Tensors.fill(y, 1)));
            return new ValueAndGrad<>(
                    results.getFirst(), Tree.unflatten(p, results.subList(1, results.size())));
        };
    }

    /**
     * As {@link #valueAndGrad}, for a function that returns more than its value: logits, norms,
     * counts, new running statistics. These extras do not contribute to the gradient.
     */
    public static <P, A> Fn<P, ValueGradAndExtra<P, A>> valueGradAndExtra(Fn<P, WithExtra<A>> f) {
        By.given(f);
        return p -> {
            var form = new ArrayList<A>();
            Fn<P, List<Tensor>> flat =
                    x -> {
                        var told = f.apply(x);
                        form.add(told.extra());
                        var all = new ArrayList<>(List.of(told.value()));
                        Tree.flatten(told.extra()).forEach(t -> all.add(t.detach()));
                        return all;
                    };
            var traced = RecordedFunction.of(flat::apply, p);
            var types = traced.graph().results().stream().map(Value::type).toList();
            var results = traced.run(Reverse.gradient(traced.graph(), traced.wrt()), seeds(types));
            int told = types.size();
            return new ValueGradAndExtra<>(
                    results.getFirst(),
                    Tree.unflatten(p, results.subList(told, results.size())),
                    Tree.unflatten(form.getFirst(), results.subList(1, told)));
        };
    }

    /** Cotangents: one for the value, zero for the rest. */
    private static List<Tensor> seeds(List<Type> types) {
        return IntStream.range(0, types.size())
                .mapToObj(i -> Tensors.fill(types.get(i), i == 0 ? 1 : 0))
                .toList();
    }

    /** The vector-Jacobian product: a function of the argument and a cotangent of the value. */
    public static <P, R> Fn2<P, R, ValueAndCotangent<R, P>> vjp(Fn<P, R> f) {
        By.given(f);
        return (p, ct) -> {
            var traced = RecordedFunction.of(f::apply, p);
            var results =
                    traced.run(Reverse.pullback(traced.graph(), traced.wrt()), Tree.flatten(ct));
            int m = traced.graph().results().size();
            return new ValueAndCotangent<>(
                    Tree.unflatten(traced.structure(), results.subList(0, m)),
                    Tree.unflatten(p, results.subList(m, results.size())));
        };
    }

    /**
     * The Jacobian-vector product, in forward mode: a function of the argument and a direction like
     * it.
     */
    public static <P, R> Fn2<P, P, ValueAndTangent<R>> jvp(Fn<P, R> f) {
        By.given(f);
        return (p, direction) -> {
            var traced = RecordedFunction.of(f::apply, p);
            var results =
                    traced.run(
                            Forward.pushforward(traced.graph(), traced.wrt()),
                            Tree.flatten(direction));
            int m = traced.graph().results().size();
            return new ValueAndTangent<>(
                    Tree.unflatten(traced.structure(), results.subList(0, m)),
                    Tree.unflatten(traced.structure(), results.subList(m, results.size())));
        };
    }

    /**
     * The Hessian-vector product of a scalar function: reverse over reverse, no Hessian is formed.
     */
    public static <P> Fn2<P, P, P> hvp(Fn<P, Tensor> f) {
        var back = vjp(grad(f));
        return (p, direction) -> back.apply(p, direction).cotangent();
    }

    /**
     * All partial derivatives: for each tensor of the argument one with the shape of the value
     * followed by its own. A compiled function whose budget is too small for all rows at once
     * computes them in chunks, with the same bits.
     */
    public static <P> Fn<P, P> jacobian(Fn<P, Tensor> f) {
        By.given(f);
        return p ->
                Tree.unflatten(
                        p, BatchedFunctions.jacobians((P x) -> List.of(f.apply(x)), p).getFirst());
    }

    /** All second derivatives of a scalar function of one tensor. */
    public static Fn<Tensor, Tensor> hessian(Fn<Tensor, Tensor> f) {
        return jacobian(grad(f));
    }

    /**
     * All second derivatives of a scalar function of a tree: for each of its tensors, in the order
     * of {@link Tensorwise#list}, the Jacobian of the gradient by that tensor.
     */
    public static <P> Fn<P, List<P>> hessianBlocks(Fn<P, Tensor> f) {
        var slopes = grad(f);
        return p ->
                BatchedFunctions.jacobians((P x) -> Tree.flatten(slopes.apply(x)), p).stream()
                        .map(block -> Tree.unflatten(p, block))
                        .toList();
    }

    /**
     * {@code f} of every slice along the first axis of the argument's tensors; the results are
     * stacked along theirs. Each slice gets the bits it would get alone. It composes with every
     * function here: {@code vmap(grad(f))} are per-example gradients.
     */
    public static <P, R> Fn<P, R> vmap(Fn<P, R> f) {
        return vmap(f, 0);
    }

    /** As above, along another axis of arguments and results, counted from the end if negative. */
    public static <P, R> Fn<P, R> vmap(Fn<P, R> f, int axis) {
        By.given(f);
        return p -> BatchedFunctions.map(f, axis, p);
    }

    /** {@code f} of every slice along the first axis of a part of its argument. */
    public static <P, D, R> Fn<P, R> vmap(Fn<P, R> f, By<P, D> by) {
        By.given(f);
        return p -> vmap((D d) -> f.apply(by.with().apply(p, d))).apply(by.part().apply(p));
    }

    /** {@code f} of every slice along the first axis of both arguments. */
    public static <P, Q, R> Fn2<P, Q, R> vmap(Fn2<P, Q, R> f) {
        return vmap(f, By.both());
    }

    /** {@code f} of every slice along the first axis of one argument or both. */
    public static <P, Q, D, R> Fn2<P, Q, R> vmap(Fn2<P, Q, R> f, By<By.Two<P, Q>, D> by) {
        var mapped = vmap(By.whole(f), by);
        return (p, q) -> mapped.apply(new By.Two<>(p, q));
    }

    /**
     * {@code f} of every slice along an axis of each argument: {@code first} of the first one's
     * tensors, {@code second} of the second one's, counted from the end if negative. Results are
     * stacked along their first axis. An argument that is the same for all slices is left out by a
     * {@link By}.
     */
    public static <P, Q, R> Fn2<P, Q, R> vmap(Fn2<P, Q, R> f, int first, int second) {
        var mapped = vmap(f);
        return (p, q) -> mapped.apply(leading(p, first), leading(q, second));
    }

    /** {@code f} of every slice along the first axis of all arguments. */
    public static <P, Q, S, R> Fn3<P, Q, S, R> vmap(Fn3<P, Q, S, R> f) {
        return vmap(f, By.allOf3());
    }

    /** {@code f} of every slice along the first axis of some of its arguments. */
    public static <P, Q, S, D, R> Fn3<P, Q, S, R> vmap(
            Fn3<P, Q, S, R> f, By<By.Three<P, Q, S>, D> by) {
        var mapped = vmap(By.whole(f), by);
        return (p, q, s) -> mapped.apply(new By.Three<>(p, q, s));
    }

    /** {@code f} of every slice along an axis of each argument, as for two arguments. */
    public static <P, Q, S, R> Fn3<P, Q, S, R> vmap(
            Fn3<P, Q, S, R> f, int first, int second, int third) {
        var mapped = vmap(f);
        return (p, q, s) -> mapped.apply(leading(p, first), leading(q, second), leading(s, third));
    }

    /** The tensors of a tree with {@code axis} as the first. */
    private static <P> P leading(P tree, int axis) {
        return Tensorwise.map(tree, t -> t.moveAxis(axis, 0));
    }

    /**
     * {@code f} with a user-defined derivative: {@code pullback} takes the argument, the value and
     * a cotangent of the value, in which it must be linear, and returns the cotangent of the
     * argument. It may use any op, loops and derivatives too, and is itself differentiated for
     * higher orders. Captured tensors have no derivative: make them part of the argument.
     */
    public static <P, R> Fn<P, R> custom(Fn<P, R> f, Fn3<P, R, R, P> pullback) {
        By.given(f);
        By.given(pullback);
        return p -> {
            var forward = RecordedFunction.of(f::apply, p);
            int results = forward.graph().results().size();
            var types = new ArrayList<>(Tree.flatten(p).stream().map(Tensor::type).toList());
            int arguments = types.size();
            for (int twice = 0; twice < 2; twice++)
                forward.graph().results().forEach(r -> types.add(r.type()));
            var backward = Trace.of(in -> cotangents(pullback, p, forward.structure(), in), types);
            var closed = new LinkedHashSet<>(forward.captured());
            closed.addAll(backward.captured());
            var operands = new ArrayList<>(Tree.flatten(p));
            operands.addAll(closed);
            var op =
                    CustomOp.of(
                            forward.graph(),
                            forward.captured().stream().map(operands::lastIndexOf).toList(),
                            backward.graph(),
                            backward.captured().stream().map(operands::lastIndexOf).toList(),
                            arguments,
                            operands.size());
            operands.addAll(op.unreadTypes().stream().map(t -> Tensors.fill(t, 0)).toList());
            var values = Tensors.apply(op, operands);
            return Tree.unflatten(forward.structure(), values.subList(0, results));
        };
    }

    private static <P, R> List<Tensor> cotangents(
            Fn3<P, R, R, P> pullback, P argument, R value, List<Tensor> in) {
        int n = Tree.flatten(argument).size();
        int m = (in.size() - n) / 2;
        var found =
                Tree.flatten(
                        pullback.apply(
                                Tree.unflatten(argument, in.subList(0, n)),
                                Tree.unflatten(value, in.subList(n, n + m)),
                                Tree.unflatten(value, in.subList(n + m, n + 2 * m))));
        var types = found.stream().map(Tensor::type).toList();
        var expected = in.subList(0, n).stream().map(Tensor::type).toList();
        if (!types.equals(expected)) {
            throw new ShapeException(
                    ("the derivative of a custom function gives %s where its argument is %s; it"
                                    + " must return a cotangent with the types of the argument")
                            .formatted(types, expected));
        }
        return found;
    }

    /**
     * Makes {@code f} callable on arrays. Set options on the result: {@code
     * Ebb.compile(f).within(Budget.of("64MiB"))}, and the other {@link Options}.
     */
    public static <P, R> Compiled<P, R> compile(Fn<P, R> f) {
        return new Compiled<>(By.given(f), Devices.planner());
    }

    /** As above, of two arguments. */
    public static <P, Q, R> Compiled2<P, Q, R> compile(Fn2<P, Q, R> f) {
        return new Compiled2<>(compile(By.whole(f)));
    }

    /** As above, of three arguments. */
    public static <P, Q, S, R> Compiled3<P, Q, S, R> compile(Fn3<P, Q, S, R> f) {
        return new Compiled3<>(compile(By.whole(f)));
    }

    /**
     * A step function to run repeatedly; it takes the state and an input and returns the next state
     * and an output: {@code Ebb.stepper(step).within(Budget.of("64MiB")).start(initial, example)}.
     */
    public static <S, B, R> Stepping<S, B, R> stepper(Fn2<S, B, Next<S, R>> step) {
        return new Stepping<>(By.given(step), Devices.planner());
    }

    /**
     * Runs {@code body} with its ops in a region of this name: a unit for strategies and for the
     * report.
     */
    public static <R> R region(String name, Supplier<R> body) {
        if (!Recording.isActive()) return body.get();
        var graph = Recording.current("region").graph();
        var outer = graph.region();
        boolean reverse = graph.isReverse();
        graph.at(outer.enter(name), reverse);
        try {
            return body.get();
        } finally {
            graph.at(outer, reverse);
        }
    }

    /**
     * Names a tensor, so that a policy can select it: {@code new Keep(Policy.names("attn"))}. A
     * name changes no bit and costs no kernel; a fused kernel has the names of all its ops. Without
     * effect outside of a function that is being traced.
     */
    public static Tensor name(Tensor tensor, String name) {
        return Recording.isActive() ? tensor.named(name) : tensor;
    }
}
