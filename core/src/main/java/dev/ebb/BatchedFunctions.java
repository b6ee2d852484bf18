package dev.ebb;

import dev.ebb.batch.Vmap;
import dev.ebb.control.RunOnceOps;
import dev.ebb.grad.Forward;
import dev.ebb.grad.Reverse;
import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.trace.Chunks;
import dev.ebb.trace.RecordedFunction;
import dev.ebb.trace.Tree;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Functions applied to many slices at once: along an axis, and the rows of a Jacobian.
 *
 * <p>A Jacobian is computed from products with unit vectors, batched by {@link Ebb#vmap}. In
 * reverse mode a unit vector is a cotangent and gives a row; in forward mode, used where there are
 * fewer arguments than results, it is a tangent and gives a column. Rows or columns are computed in
 * chunks whose size depends on the budget.
 */
final class BatchedFunctions {
    private BatchedFunctions() {}

    /** {@code f} of every slice along an axis. */
    static <P, R> R map(Fn<P, R> f, int axis, P p) {
        var leaves = Tree.flatten(p).stream().map(t -> t.moveAxis(axis, 0)).toList();
        if (leaves.isEmpty())
            throw new ShapeException("vmap needs a tensor in its argument to map over");
        int size = leaves.getFirst().dim(0);
        for (Tensor t : leaves) {
            if (t.dim(0) != size) {
                throw new ShapeException(
                        ("vmap along axis %s: one tensor has %s slices, another %s; let the"
                             + " function capture tensors that are the same for all slices, or"
                             + " leave them out of the part that By chooses")
                                .formatted(axis, size, t.dim(0)));
            }
        }
        var types =
                leaves.stream()
                        .map(t -> t.type().with(t.shape().reduce(List.of(0), false)))
                        .toList();
        var traced = RecordedFunction.of(f::apply, Tree.unflatten(p, leaves), types);
        var along = new ArrayList<>(Collections.nCopies(leaves.size(), true));
        while (along.size() < traced.operands().size()) along.add(false);
        var all = Collections.nCopies(traced.graph().results().size(), true);
        var graph = Vmap.of(traced.graph(), size, along, all).graph();
        var results = traced.run(graph, List.of());
        return Tree.unflatten(
                traced.structure(), results.stream().map(t -> t.moveAxis(0, axis)).toList());
    }

    /**
     * The Jacobians: for each result and each tensor of the argument a tensor whose axes are those
     * of the result, then those of the argument's tensor. Ops that may run only once run once for
     * all Jacobians.
     */
    static <P> List<List<Tensor>> jacobians(Fn<P, List<Tensor>> f, P at) {
        var traced = RecordedFunction.of(f::apply, at);
        var graph = RunOnceOps.withResults(traced.graph());
        int results = traced.structure().size();
        var given =
                Trait.once(graph.traits())
                        ? traced.run(graph, List.of()).subList(results, graph.results().size())
                        : List.<Tensor>of();
        return IntStream.range(0, results)
                .mapToObj(
                        i -> {
                            var kept = new ArrayList<>(List.of(graph.results().get(i)));
                            kept.addAll(graph.results().subList(results, graph.results().size()));
                            return new Derived<>(
                                            traced,
                                            new Graph(graph.params(), graph.nodes(), kept),
                                            given)
                                    .jacobian();
                        })
                .toList();
    }

    /**
     * One result of a function, to be differentiated.
     *
     * @param graph returns that result, then the results of the ops that run only once
     * @param given the values of those further results
     */
    private record Derived<R>(RecordedFunction<R> traced, Graph graph, List<Tensor> given) {

        List<Tensor> jacobian() {
            var leaves = traced.operands().subList(0, traced.arguments());
            var y = graph.results().getFirst().type();
            long arguments = leaves.stream().mapToLong(t -> t.type().size()).sum();
            return y.size() > arguments ? columns(leaves, y) : rows(leaves, y);
        }

        private List<Tensor> rows(List<Tensor> leaves, Type y) {
            var pullback = RunOnceOps.withoutOps(Reverse.pullback(graph, traced.wrt()), graph);
            int values = graph.results().size();
            Fn<Tensor, List<Tensor>> product =
                    unit -> {
                        var seeds = new ArrayList<>(List.of(unit));
                        for (Tensor t : given) seeds.add(Tensors.fill(t.type(), 0));
                        seeds.addAll(given);
                        var found = traced.run(pullback, seeds);
                        return found.subList(values, found.size());
                    };
            var all = units(y, product, leaves.stream().map(Tensor::type).toList());
            var out = new ArrayList<Tensor>();
            for (int i = 0; i < leaves.size(); i++)
                out.add(all.get(i).reshape(y.shape().append(leaves.get(i).shape().dims())));
            return out;
        }

        private List<Tensor> columns(List<Tensor> leaves, Type y) {
            var pushforward =
                    RunOnceOps.withoutOps(Forward.pushforward(graph, traced.wrt()), graph);
            int values = graph.results().size();
            var out = new ArrayList<Tensor>();
            for (int i = 0; i < leaves.size(); i++) {
                int leaf = i;
                var x = leaves.get(i).type();
                Fn<Tensor, List<Tensor>> product =
                        unit -> {
                            var directions = toward(leaves, leaf, unit);
                            directions.addAll(given);
                            return List.of(traced.run(pushforward, directions).get(values));
                        };
                var columns =
                        units(x, product, List.of(y))
                                .getFirst()
                                .reshape(Math.toIntExact(x.size()), Math.toIntExact(y.size()));
                out.add(columns.transpose().reshape(y.shape().append(x.shape().dims())));
            }
            return out;
        }
    }

    /** {@code unit} for one tensor of the argument, zeros for the others. */
    private static List<Tensor> toward(List<Tensor> leaves, int leaf, Tensor unit) {
        var all = new ArrayList<Tensor>();
        for (Tensor t : leaves) all.add(all.size() == leaf ? unit : Tensors.fill(t.type(), 0));
        return all;
    }

    /** {@code product} with every unit vector of {@code type}, stacked: {@code [size, ...]}. */
    private static List<Tensor> units(
            Type type, Fn<Tensor, List<Tensor>> product, List<Type> results) {
        int count = Math.toIntExact(type.size());
        if (count == 0) {
            return results.stream()
                    .map(t -> Tensors.fill(t.with(Shape.of(0).append(t.shape().dims())), 0))
                    .toList();
        }
        int each = Chunks.of(count);
        int chunks = Math.ceilDiv(count, each);
        if (chunks == 1) return chunk(type, Tensors.fill(Type.of(DType.I64), 0), count, product);
        var starts = Tensors.arange(DType.I64, chunks).mul(each);
        var stacked =
                Loop.scan(
                                List.<Tensor>of(),
                                starts,
                                (none, start) ->
                                        new Next<>(none, chunk(type, start, each, product)))
                        .stacked();
        var out = new ArrayList<Tensor>();
        for (int i = 0; i < results.size(); i++) {
            var whole = Shape.of(chunks * each).append(results.get(i).shape().dims());
            var all = stacked.get(i).reshape(whole);
            out.add(chunks * each == count ? all : all.slice(0, 0, count));
        }
        return out;
    }

    /** The product with {@code each} unit vectors, starting with unit vector {@code start}. */
    private static List<Tensor> chunk(
            Type type, Tensor start, int each, Fn<Tensor, List<Tensor>> product) {
        int count = Math.toIntExact(type.size());
        var numbers = Tensors.arange(DType.I64, each).add(start).unsqueeze(1);
        var units = numbers.eq(Tensors.arange(DType.I64, count)).cast(type.dtype());
        return Ebb.vmap(product).apply(units.reshape(Shape.of(each).append(type.shape().dims())));
    }
}
