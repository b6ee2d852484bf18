package dev.ebb;

import dev.ebb.exec.Device;
import dev.ebb.grad.Forward;
import dev.ebb.grad.Reverse;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Plan;
import dev.ebb.plan.TradeOff;
import dev.ebb.plan.schedule.Cost;
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
        return (p, q) -> grad((P x) -> f.apply(x, q)).apply(p);
    }

    public static <P, Q> Fn2<P, Q, ValueAndGrad<P>> valueAndGrad(Fn2<P, Q, Tensor> f) {
        return (p, q) -> valueAndGrad((P x) -> f.apply(x, q)).apply(p);
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

    /** Makes {@code f} runnable on arrays. */
    public static <P, R> Compiled<P, R> compile(Fn<P, R> f) {
        return compile(f, Budget.unlimited());
    }

    /** Makes {@code f} runnable on arrays, never owning more than {@code budget}. */
    public static <P, R> Compiled<P, R> compile(Fn<P, R> f, Budget budget) {
        return new Compiled<>(f, Pipeline.within(budget));
    }

    /**
     * What memory buys for {@code f} at arguments like this one: budgets, predicted times, and what
     * each way of bringing values back adds.
     */
    public static <P, R> TradeOff curve(Fn<P, R> f, P argument) {
        return curve(f, argument, Budget.unlimited());
    }

    /** As above, with the disk that {@code budget} names. */
    public static <P, R> TradeOff curve(Fn<P, R> f, P argument, Budget budget) {
        try (var compiled = compile(f, budget)) {
            return compiled.curve(argument);
        }
    }

    /** As above, of a step: the curve on which {@link #plan} lies. */
    public static <S, B, R> TradeOff curve(
            Fn2<S, B, Next<S, R>> step,
            S initial,
            B example,
            Budget budget,
            Device device,
            Cost cost) {
        return StepTrace.of(step, initial, example)
                .tradeOff(Pipeline.within(budget).on(device).costing(cost));
    }

    /**
     * Makes a process out of a step: {@code initial} is its state, which lives in the program's
     * memory from then on; {@code example} tells the types of the inputs. Nothing it owns exceeds
     * {@code budget}.
     */
    public static <S, B, R> Stepper<S, B, R> stepper(
            Fn2<S, B, Next<S, R>> step, S initial, B example, Budget budget) {
        return stepper(step, initial, example, budget, Devices.best());
    }

    /** As {@link #stepper(Fn2, Object, Object, Budget)}, on a device of the caller's choice. */
    public static <S, B, R> Stepper<S, B, R> stepper(
            Fn2<S, B, Next<S, R>> step, S initial, B example, Budget budget, Device device) {
        return stepper(step, initial, example, budget, device, device.cost());
    }

    /** As above, planned under a model of what kernels cost. */
    public static <S, B, R> Stepper<S, B, R> stepper(
            Fn2<S, B, Next<S, R>> step,
            S initial,
            B example,
            Budget budget,
            Device device,
            Cost cost) {
        return new Stepper<>(
                step, initial, example, Pipeline.within(budget).on(device).costing(cost));
    }

    /**
     * The plan of the stepper that {@link #stepper(Fn2, Object, Object, Budget, Device, Cost)}
     * would make, without the memory it would own. Of the state and the example only the types
     * count.
     */
    public static <S, B, R> Plan plan(
            Fn2<S, B, Next<S, R>> step,
            S initial,
            B example,
            Budget budget,
            Device device,
            Cost cost) {
        return StepTrace.of(step, initial, example)
                .plan(Pipeline.within(budget).on(device).costing(cost));
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
