package dev.ebb.plan.search;

import dev.ebb.ir.Adjoints;
import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Region;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;
import dev.ebb.plan.schedule.Binding;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Problem;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Graphs of ops that only a planner sees, with a backward half made by rule: what a network looks
 * like from here.
 */
public final class Toy {

    /**
     * An op that turns any inputs into outputs of the given types; elementwise ones may write in
     * place.
     */
    record Box(String name, double cost, List<Type> types, Set<Trait> traits, boolean elementwise)
            implements Op {
        @Override
        public List<Type> infer(List<Type> inputs) {
            return types;
        }

        @Override
        public Kernel kernel(List<Type> inputs) {
            if (!elementwise) return new Kernel.Cumulate(1, 1, 1, Kernel.Combine.SUM, false, false);
            var shape = types.getFirst().shape();
            var views =
                    inputs.stream()
                            .map(
                                    t ->
                                            t.shape().equals(shape)
                                                    ? View.contiguous(shape)
                                                    : new View(
                                                            0,
                                                            Collections.nCopies(shape.rank(), 0L)))
                            .toList();
            return new Kernel.Map(shape, views, Collections.nCopies(types.size(), Scalar.arg(0)));
        }

        @Override
        public void pullback(Node node, Adjoints adjoints) {
            throw new UnsupportedOperationException();
        }
    }

    public static final Cost COST = node -> ((Box) node.op()).cost();

    private final Graph.Builder graph = new Graph.Builder();
    private final List<Node> forward = new ArrayList<>();
    private final List<Value> weights = new ArrayList<>();
    private final List<Value> inputs = new ArrayList<>();
    private Region region = Region.TOP;

    public void region(String... path) {
        region = new Region(List.of(path));
        graph.at(region, false);
    }

    public Value weight(int size) {
        var p = graph.param(Type.of(DType.F32, size));
        weights.add(p);
        return p;
    }

    public Value input(int size) {
        var p = graph.param(Type.of(DType.F32, size));
        inputs.add(p);
        return p;
    }

    /** A product, a convolution: dear, and both its operands are read again by its derivative. */
    public Value product(double cost, int size, Value... operands) {
        return emit("product", cost, size, Set.of(), false, operands);
    }

    /** An activation, a sum: cheap, may be written in place. */
    public Value map(String name, int size, Value... operands) {
        return emit(name, size / 1000.0, size, Set.of(), true, operands);
    }

    public Value emit(
            String name,
            double cost,
            int size,
            Set<Trait> traits,
            boolean elementwise,
            Value... operands) {
        var op = new Box(name, cost, List.of(Type.of(DType.F32, size)), traits, elementwise);
        var out = graph.emit(op, operands);
        forward.add(graph.last());
        return out;
    }

    /** The gradient of {@code loss}, and for every weight its update in place. */
    Problem train(Value loss) {
        var gradients = backward(loss);
        var results = new ArrayList<Value>();
        results.add(loss);
        graph.at(Region.TOP, true);
        for (Value w : weights) {
            var op = new Box("update", w.type().size() / 1000.0, List.of(w.type()), Set.of(), true);
            results.add(graph.emit(op, w, Objects.requireNonNull(gradients.get(w))));
        }
        var built = graph.build(results);
        var bindings = new ArrayList<Binding>();
        for (Value p : built.params()) {
            int k = weights.indexOf(p);
            bindings.add(k >= 0 ? new Binding.Replaced(1 + k) : new Binding.Consumed());
        }
        return new Problem(built, bindings);
    }

    /** Loss and gradients, weights untouched. */
    public Problem gradient(Value loss) {
        var gradients = backward(loss);
        var results = new ArrayList<Value>();
        results.add(loss);
        for (Value w : weights) results.add(Objects.requireNonNull(gradients.get(w)));
        var built = graph.build(results);
        return new Problem(built, Collections.nCopies(built.params().size(), new Binding.Kept()));
    }

    /** {@code result}, with {@code updated} written into the memory of {@code state}. */
    Problem updating(Value state, Value updated, Value result) {
        var built = graph.build(List.of(result, updated));
        var bindings = new ArrayList<Binding>();
        for (Value p : built.params())
            bindings.add(p.equals(state) ? new Binding.Replaced(1) : new Binding.Kept());
        return new Problem(built, bindings);
    }

    public Problem infer(Value result) {
        var built = graph.build(List.of(result));
        return new Problem(built, Collections.nCopies(built.params().size(), new Binding.Kept()));
    }

    private Map<Value, Value> backward(Value loss) {
        Map<Value, Value> gradients = new LinkedHashMap<>();
        graph.at(region, true);
        gradients.put(
                loss,
                graph.emit(new Box("one", 0.001, List.of(loss.type()), Set.of(), false), List.of())
                        .getFirst());
        for (Node node : forward.reversed()) {
            var dy = gradients.get(node.outputs().getFirst());
            if (dy == null) continue;
            graph.at(node.region(), true);
            var box = (Box) node.op();
            for (Value x : node.inputs().stream().distinct().toList()) {
                if (inputs.contains(x)) continue;
                var reads = new ArrayList<Value>(List.of(dy));
                if (!box.name().equals("add")) reads.addAll(node.inputs());
                boolean inPlace = box.elementwise();
                var op =
                        new Box("d" + box.name(), box.cost(), List.of(x.type()), Set.of(), inPlace);
                var dx = graph.emit(op, reads.stream().distinct().toList()).getFirst();
                gradients.merge(
                        x,
                        dx,
                        (a, b) ->
                                graph.emit(
                                        new Box(
                                                "add",
                                                x.type().size() / 1000.0,
                                                List.of(x.type()),
                                                Set.of(),
                                                true),
                                        a,
                                        b));
            }
        }
        return gradients;
    }

    /** Blocks of attention and a wide layer around a residual stream. */
    public static Problem transformerStep(int layers, int tokens, int width) {
        var toy = new Toy();
        var x = toy.map("embed", tokens * width, toy.input(tokens * width));
        for (int l = 0; l < layers; l++) {
            toy.region("block " + l);
            x = toy.block(x, tokens, width);
        }
        toy.region();
        var loss = toy.emit("loss", tokens * width / 1000.0, 1, Set.of(), false, x);
        return toy.train(loss);
    }

    private Value block(Value x, int tokens, int width) {
        int n = tokens * width;
        double gemm = 2e-3 * tokens * width * width / 1000.0;
        var normed = map("norm", n, x);
        var q = product(gemm, n, normed, weight(width * width));
        var k = product(gemm, n, normed, weight(width * width));
        var v = product(gemm, n, normed, weight(width * width));
        var attended = emit("attend", gemm, n, Set.of(), false, q, k, v);
        var projected = product(gemm, n, attended, weight(width * width));
        var y = map("add", n, x, projected);
        var second = map("norm", n, y);
        var wide = product(4 * gemm, 4 * n, second, weight(4 * width * width));
        var active = map("gelu", 4 * n, wide);
        var narrow = product(4 * gemm, n, active, weight(4 * width * width));
        return map("add", n, y, narrow);
    }

    /** Stages down, stages up, each reading its partner's output. */
    public static Problem unet(int depth, int size) {
        var toy = new Toy();
        var x = toy.map("in", size, toy.input(size));
        var skips = new ArrayList<Value>();
        int n = size;
        for (int d = 0; d < depth; d++) {
            toy.region("down " + d);
            x = toy.map("relu", n, toy.product(n / 100.0, n, x, toy.weight(64)));
            skips.add(x);
            n /= 2;
            x = toy.map("pool", n, x);
        }
        for (int d = depth - 1; d >= 0; d--) {
            toy.region("up " + d);
            n *= 2;
            x = toy.product(n / 100.0, n, x, skips.get(d), toy.weight(64));
            x = toy.map("relu", n, x);
        }
        toy.region();
        return toy.train(toy.emit("loss", 1, 1, Set.of(), false, x));
    }

    /**
     * A chain of products, each followed by an activation; no weights, so that all memory is
     * activations.
     */
    public static Problem mlp(int layers, int size) {
        var toy = new Toy();
        var x = toy.map("in", size, toy.input(size));
        for (int l = 0; l < layers; l++) {
            toy.region("layer " + l);
            x = toy.map("tanh", size, toy.product(100, size, x, toy.weight(16)));
        }
        toy.region();
        return toy.gradient(toy.emit("loss", 1, 1, Set.of(), false, x));
    }
}
