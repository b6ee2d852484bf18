package dev.ebb;

import dev.ebb.grad.Forward;
import dev.ebb.grad.Reverse;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Recording;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.trace.Trace;
import dev.ebb.trace.Tree;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** The way in. Every method takes a function and gives a function, so they compose in any order. */
public final class Ebb {
    private Ebb() {}

    /** A function's value and its gradient, which has the structure of the argument. */
    public record ValueAndGrad<P>(Tensor value, P grad) {}

    /** A scalar to differentiate, and whatever else the function that gave it wants to tell. */
    public record WithExtra<A>(Tensor value, A extra) {}

    /** A function's value, its gradient, and what else it told. */
    public record ValueGradAndExtra<P, A>(Tensor value, P grad, A extra) {}

    /** A function's value and its derivative along a direction. */
    public record ValueAndTangent<R>(R value, R tangent) {}

    /** A function's value and what a cotangent of it implies for the argument. */
    public record ValueAndCotangent<R, P>(R value, P cotangent) {}

    /** The gradient of a scalar function. */
    public static <P> Fn<P, P> grad(Fn<P, Tensor> f) {
        return p -> valueAndGrad(f).apply(p).grad();
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
        return p -> valueAndGrad(f, by).apply(p).grad();
    }

    /** The gradient by one argument or by both. */
    public static <P, Q, D> Fn2<P, Q, D> grad(Fn2<P, Q, Tensor> f, By<By.Two<P, Q>, D> by) {
        return (p, q) -> valueAndGrad(f, by).apply(p, q).grad();
    }

    /** The gradient by one argument or by all. */
    public static <P, Q, S, D> Fn3<P, Q, S, D> grad(
            Fn3<P, Q, S, Tensor> f, By<By.Three<P, Q, S>, D> by) {
        return (p, q, s) -> valueAndGrad(f, by).apply(p, q, s).grad();
    }

    public static <P, Q> Fn2<P, Q, ValueAndGrad<P>> valueAndGrad(Fn2<P, Q, Tensor> f) {
        return valueAndGrad(f, By.first());
    }

    public static <P, Q, S> Fn3<P, Q, S, ValueAndGrad<P>> valueAndGrad(Fn3<P, Q, S, Tensor> f) {
        return valueAndGrad(f, By.firstOf3());
    }

    /** The value, and the gradient by a part of the argument. */
    public static <P, D> Fn<P, ValueAndGrad<D>> valueAndGrad(Fn<P, Tensor> f, By<P, D> by) {
        return p -> valueAndGrad((D d) -> f.apply(by.with().apply(p, d))).apply(by.part().apply(p));
    }

    /** The value, and the gradient by one argument or by both. */
    public static <P, Q, D> Fn2<P, Q, ValueAndGrad<D>> valueAndGrad(
            Fn2<P, Q, Tensor> f, By<By.Two<P, Q>, D> by) {
        Fn<By.Two<P, Q>, Tensor> whole = a -> f.apply(a.first(), a.second());
        return (p, q) -> valueAndGrad(whole, by).apply(new By.Two<>(p, q));
    }

    /** The value, and the gradient by one argument or by all. */
    public static <P, Q, S, D> Fn3<P, Q, S, ValueAndGrad<D>> valueAndGrad(
            Fn3<P, Q, S, Tensor> f, By<By.Three<P, Q, S>, D> by) {
        Fn<By.Three<P, Q, S>, Tensor> whole = a -> f.apply(a.first(), a.second(), a.third());
        return (p, q, s) -> valueAndGrad(whole, by).apply(new By.Three<>(p, q, s));
    }

    public static <P> Fn<P, ValueAndGrad<P>> valueAndGrad(Fn<P, Tensor> f) {
        return p -> {
            var traced = Traced.of(f, p);
            var y = traced.graph.results().getFirst().type();
            requireScalar(y);
            var results =
                    run(
                            () -> List.of(Tensors.fill(y, 1)),
                            traced,
                            Reverse.pullback(traced.graph, traced.wrt()));
            return new ValueAndGrad<>(
                    results.getFirst(), Tree.unflatten(p, results.subList(1, results.size())));
        };
    }

    /**
     * As {@link #valueAndGrad}, for a function that tells more than its value: logits, norms,
     * counts, new running statistics. What it tells has no part in the gradient.
     */
    public static <P, A> Fn<P, ValueGradAndExtra<P, A>> valueGradAndExtra(Fn<P, WithExtra<A>> f) {
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
            var traced = Traced.of(flat, p);
            var types = traced.graph.results().stream().map(Value::type).toList();
            requireScalar(types.getFirst());
            var results =
                    run(() -> seeds(types), traced, Reverse.pullback(traced.graph, traced.wrt()));
            int told = types.size();
            return new ValueGradAndExtra<>(
                    results.getFirst(),
                    Tree.unflatten(p, results.subList(told, results.size())),
                    Tree.unflatten(form.getFirst(), results.subList(1, told)));
        };
    }

    /** One for the value, nothing for what is told besides. */
    private static List<Tensor> seeds(List<Type> types) {
        return IntStream.range(0, types.size())
                .mapToObj(i -> Tensors.fill(types.get(i), i == 0 ? 1 : 0))
                .toList();
    }

    private static void requireScalar(Type y) {
        if (y.shape().rank() != 0 || !y.dtype().isFloat()) {
            throw new ShapeException(
                    "grad needs a function whose value is one float, this one gives "
                            + y
                            + "; reduce it with sum() or mean(), or use vjp or jacobian");
        }
    }

    /** The vector-Jacobian product: a function of the argument and a cotangent of the value. */
    public static <P, R> Fn2<P, R, ValueAndCotangent<R, P>> vjp(Fn<P, R> f) {
        return (p, ct) -> {
            var traced = Traced.of(f, p);
            var results =
                    run(
                            () -> Tree.flatten(ct),
                            traced,
                            Reverse.pullback(traced.graph, traced.wrt()));
            int m = traced.graph.results().size();
            return new ValueAndCotangent<>(
                    Tree.unflatten(traced.structure, results.subList(0, m)),
                    Tree.unflatten(p, results.subList(m, results.size())));
        };
    }

    /**
     * The Jacobian-vector product, in forward mode: a function of the argument and a direction like
     * it.
     */
    public static <P, R> Fn2<P, P, ValueAndTangent<R>> jvp(Fn<P, R> f) {
        return (p, direction) -> {
            var traced = Traced.of(f, p);
            var results =
                    run(
                            () -> Tree.flatten(direction),
                            traced,
                            Forward.pushforward(traced.graph, traced.wrt()));
            int m = traced.graph.results().size();
            return new ValueAndTangent<>(
                    Tree.unflatten(traced.structure, results.subList(0, m)),
                    Tree.unflatten(traced.structure, results.subList(m, results.size())));
        };
    }

    /**
     * The Hessian-vector product of a scalar function: reverse over reverse, no Hessian is formed.
     */
    public static <P> Fn2<P, P, P> hvp(Fn<P, Tensor> f) {
        return (p, direction) -> vjp(grad(f)).apply(p, direction).cotangent();
    }

    /** All partial derivatives: the value's shape followed by the argument's. */
    public static Fn<Tensor, Tensor> jacobian(Fn<Tensor, Tensor> f) {
        return x -> {
            var traced = Traced.of(f, x);
            var y = traced.graph.results().getFirst().type();
            var dims = new ArrayList<>(y.shape().dims());
            dims.addAll(x.shape().dims());
            var rows = new ArrayList<Tensor>();
            boolean tall = y.size() > x.type().size();
            long n = tall ? x.type().size() : y.size();
            for (int i = 0; i < n; i++) {
                rows.add(
                        tall
                                ? jvp(f).apply(x, unit(x.type(), i)).tangent().reshape(-1)
                                : vjp(f).apply(x, unit(y, i)).cotangent().reshape(-1));
            }
            if (rows.isEmpty()) return Tensors.fill(new Type(y.dtype(), new Shape(dims)), 0);
            var all = Tensors.stack(rows, 0);
            return (tall ? all.transpose() : all).reshape(new Shape(dims));
        };
    }

    /** All second derivatives of a scalar function. */
    public static Fn<Tensor, Tensor> hessian(Fn<Tensor, Tensor> f) {
        return jacobian(grad(f));
    }

    private static Tensor unit(Type type, int i) {
        var data = new double[Math.toIntExact(type.size())];
        data[i] = 1;
        return Array.of(type, data);
    }

    /**
     * Makes {@code f} runnable on arrays. How it is planned and run is said on the result: {@code
     * Ebb.compile(f).within(Budget.of("64MiB"))}, and so on by the other {@link Options}.
     */
    public static <P, R> Compiled<P, R> compile(Fn<P, R> f) {
        return new Compiled<>(f, Pipeline.free());
    }

    /** As above, of two arguments. */
    public static <P, Q, R> Compiled2<P, Q, R> compile(Fn2<P, Q, R> f) {
        return new Compiled2<>(compile((By.Two<P, Q> a) -> f.apply(a.first(), a.second())));
    }

    /** As above, of three arguments. */
    public static <P, Q, S, R> Compiled3<P, Q, S, R> compile(Fn3<P, Q, S, R> f) {
        return new Compiled3<>(
                compile((By.Three<P, Q, S> a) -> f.apply(a.first(), a.second(), a.third())));
    }

    /**
     * A process made of a step, which takes the state and an input and gives the next state and an
     * output: {@code Ebb.stepper(step).within(Budget.of("64MiB")).start(initial, example)}.
     */
    public static <S, B, R> Stepping<S, B, R> stepper(Fn2<S, B, Next<S, R>> step) {
        return new Stepping<>(step, Pipeline.free());
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
     * The same tensor under a name, by which a policy can find it: {@code new
     * Keep(Policy.names("attn"))}. A name changes no bit and costs no kernel; where ops are merged
     * into one kernel, that kernel answers to the names of all of them. Outside of a function that
     * is being traced it means nothing.
     */
    public static Tensor name(Tensor tensor, String name) {
        return Recording.isActive() ? tensor.named(name) : tensor;
    }

    /** A function recorded at an argument. */
    private record Traced<R>(Graph graph, List<Tensor> operands, int arguments, R structure) {
        static <P, R> Traced<R> of(Fn<P, R> f, P argument) {
            var leaves = Tree.flatten(argument);
            var structure = new ArrayList<R>();
            var trace =
                    Trace.of(
                            in -> {
                                structure.add(f.apply(Tree.unflatten(argument, in)));
                                return Tree.flatten(structure.getFirst());
                            },
                            leaves.stream().map(Tensor::type).toList());
            var operands = new ArrayList<>(leaves);
            operands.addAll(trace.captured());
            return new Traced<>(trace.graph(), operands, leaves.size(), structure.getFirst());
        }

        List<Integer> wrt() {
            return IntStream.range(0, arguments).boxed().toList();
        }
    }

    private static List<Tensor> run(Supplier<List<Tensor>> extra, Traced<?> traced, Graph graph) {
        var operands = new ArrayList<>(traced.operands);
        operands.addAll(extra.get());
        if (operands.size() != graph.params().size()) {
            throw new ShapeException(
                    "a direction or cotangent has "
                            + (operands.size() - traced.operands.size())
                            + " tensors where "
                            + (graph.params().size() - traced.operands.size())
                            + " are expected");
        }
        for (int i = 0; i < operands.size(); i++) {
            var expected = graph.params().get(i).type();
            if (!operands.get(i).type().equals(expected)) {
                throw new ShapeException(
                        "a direction or cotangent is "
                                + operands.get(i).type()
                                + " where "
                                + expected
                                + " is expected");
            }
        }
        var recording = Recording.of(operands, "a derivative");
        if (recording.isPresent()) return recording.get().inline(graph, operands);
        return List.copyOf(EagerEngine.run(graph, operands.stream().map(t -> (Array) t).toList()));
    }
}
