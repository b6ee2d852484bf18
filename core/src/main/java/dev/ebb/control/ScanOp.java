package dev.ebb.control;

import dev.ebb.grad.Reverse;
import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Control;
import dev.ebb.ir.Fill;
import dev.ebb.ir.Graph;
import dev.ebb.ir.IterationCosts;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Region;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.tensor.op.Store;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * A loop as one node. Inputs: constants, first carries, stacked slices; the body maps (constants,
 * carries, slices) to (carries, slices). Its derivative is again such a loop, in the other
 * direction, that reads the stacked carries: the only rule there is, so any order works. Which
 * carries are really kept is left to the planner. A loop whose body has ops that run only once
 * stacks its carries from the start, since it cannot run again for the derivative: see {@link
 * RunOnceOps}.
 *
 * @param counted whether the first input says how many iterations, of at most {@code times}, really
 *     run
 * @param costs the declared costs of the iterations, in the order in which they run
 * @param remember whether the carries at the start of each iteration are stacked as further outputs
 * @param undo maps (constants, carries after an iteration, slices) to the carries before it
 */
public record ScanOp(
        Graph body,
        int times,
        int constants,
        int carries,
        boolean reverse,
        boolean counted,
        boolean remember,
        IterationCosts costs,
        Optional<Graph> undo)
        implements Op {

    public ScanOp {
        for (int i = 0; i < carries; i++) {
            var before = body.params().get(constants + i).type();
            var after = body.results().get(i).type();
            if (!before.equals(after)) {
                throw new ShapeException(
                        ("a loop's carry of type %s became %s in its body; a carry must keep its"
                             + " shape and element type, for example through cast or reshape")
                                .formatted(before, after));
            }
        }
    }

    @Override
    public String name() {
        return "scan(" + times + (reverse ? ", reverse" : "") + ")";
    }

    @Override
    public List<Type> infer(List<Type> inputs) {
        int first = first();
        for (int i = 0; i < inputs.size() - first; i++) {
            var expected = body.params().get(i).type();
            if (i >= constants + carries) expected = stacked(expected);
            if (!inputs.get(first + i).equals(expected)) {
                throw new ShapeException(
                        "input %s of a loop is %s where %s is expected"
                                .formatted(i, inputs.get(first + i), expected));
            }
        }
        var types = new ArrayList<Type>();
        for (int i = 0; i < body.results().size(); i++) {
            var type = body.results().get(i).type();
            types.add(i < carries ? type : stacked(type));
        }
        if (remember) for (var p : carryParams()) types.add(stacked(p.type()));
        return types;
    }

    @Override
    public Set<Trait> traits() {
        return body.traits();
    }

    private boolean runsOnce() {
        return Trait.once(traits());
    }

    private Type stacked(Type type) {
        return type.with(type.shape().prepend(times));
    }

    /** The body with each carry written into the memory of the carry before it. */
    private Graph inPlace(Graph iteration) {
        var g = new Graph.Builder();
        var params = iteration.params().stream().map(p -> g.param(p.type())).toList();
        var here = g.inline(iteration, params);
        var results = new ArrayList<Value>();
        for (int i = 0; i < iteration.results().size(); i++) {
            var result = here.at(iteration.results().get(i));
            results.add(
                    i < carries ? g.emit(new Store(), params.get(constants + i), result) : result);
        }
        return g.build(results);
    }

    @Override
    public Kernel kernel(List<Type> inputs) {
        return new Control.Scan(
                inPlace(body),
                times,
                constants,
                carries,
                reverse,
                counted,
                remember
                        ? new Control.Checkpointing.Everything()
                        : new Control.Checkpointing.Nothing(),
                costs,
                undo.map(this::inPlace));
    }

    /** The number of inputs before the constants. */
    private int first() {
        return counted ? 1 : 0;
    }

    private List<Value> carryParams() {
        return body.params().subList(constants, constants + carries);
    }

    /**
     * The body, with the carries at the start of an iteration as further results if they are
     * stacked.
     */
    private Graph bodyWithCarries() {
        if (!remember) return body;
        var results = new ArrayList<>(body.results());
        results.addAll(carryParams());
        return new Graph(body.params(), body.nodes(), results);
    }

    /** Examples that run different numbers of iterations are processed one after the other. */
    @Override
    public void batch(Node node, Op.Batching batching) {
        var count = node.inputs().subList(0, first());
        if (count.stream().anyMatch(batching::differs) || runsOnce()) {
            batching.oneByOne(node);
            return;
        }
        var operands = node.inputs().subList(first(), node.inputs().size());
        var iterations = BatchedLoopBody.of(body, constants, carries, operands, batching);
        var op =
                new ScanOp(
                        iterations.body().graph(),
                        times,
                        constants,
                        carries,
                        reverse,
                        counted,
                        remember,
                        costs,
                        Optional.empty());
        var inputs = new ArrayList<>(count.stream().map(batching::of).toList());
        inputs.addAll(iterations.operands(operands, batching));
        var outputs = batching.graph().emit(op, inputs);
        int given = body.results().size();
        for (int i = 0; i < outputs.size(); i++) {
            boolean differs =
                    i < given
                            ? iterations.body().differs().get(i)
                            : iterations.params().get(constants + i - given);
            boolean stacked = i >= carries;
            batching.put(
                    node.outputs().get(i),
                    differs && stacked ? batching.swapped(outputs.get(i)) : outputs.get(i),
                    differs);
        }
    }

    /**
     * The forward rule does not apply to a loop that stacks its carries, can be inverted or has ops
     * that run only once: its tangents come from the pullback of its pullback.
     */
    @Override
    public boolean forward(Node node, Forwarding forwarding) {
        if (remember || undo.isPresent() || runsOnce()) return false;
        var operands = node.inputs().subList(first(), node.inputs().size());
        var g = forwarding.graph();
        g.at(node.region(), node.reverse());
        if (operands.stream().anyMatch(v -> forwarding.tangent(v).isPresent())) {
            new TangentLoop(this, operands, forwarding)
                    .emit(node.inputs().subList(0, first()), node.outputs());
        } else {
            var made = g.emit(this, node.inputs().stream().map(forwarding::of).toList());
            for (int i = 0; i < made.size(); i++)
                forwarding.put(node.outputs().get(i), made.get(i), Optional.empty());
        }
        g.at(Region.TOP, false);
        return true;
    }

    @Override
    public void pullback(Node node, Adjoints adjoints) {
        var g = adjoints.graph();
        var count = node.inputs().subList(0, first());
        var operands = node.inputs().subList(first(), node.inputs().size());
        var again =
                new ScanOp(body, times, constants, carries, reverse, counted, true, costs, undo);
        var trajectory = runsOnce() ? node.outputs() : g.emit(again, node.inputs());
        var stacks = trajectory.subList(body.results().size(), trajectory.size());

        var wanted =
                IntStream.range(0, constants)
                        .filter(
                                i ->
                                        isFloat(body.params().get(i))
                                                && adjoints.wanted(operands.get(i)))
                        .boxed()
                        .toList();
        var back = new Backwards(this, wanted);
        var inputs = new ArrayList<>(count);
        inputs.addAll(operands.subList(0, constants));
        for (int i : back.floatCarries) inputs.add(adjoints.of(node.outputs().get(i)));
        for (int i : wanted) inputs.add(g.emit(new Fill(wide(operands.get(i).type()), 0)));
        inputs.addAll(stacks);
        inputs.addAll(operands.subList(constants + carries, operands.size()));
        for (int i : back.floatSlicesOut) inputs.add(adjoints.of(node.outputs().get(i)));
        for (Value v : RunOnceOps.results(body))
            inputs.add(trajectory.get(body.results().lastIndexOf(v)));
        int carried = back.floatCarries.size() + wanted.size();
        var outputs =
                g.emit(
                        new ScanOp(
                                back.body,
                                times,
                                constants,
                                carried,
                                !reverse,
                                counted,
                                false,
                                costs.reversed(),
                                Optional.empty()),
                        inputs);
        int at = 0;
        for (int i : back.floatCarries)
            adjoints.add(operands.get(constants + i), outputs.get(at++));
        for (int i : wanted) {
            var sum = outputs.get(at++);
            adjoints.add(operands.get(i), Reverse.rounded(g, sum, operands.get(i)));
        }
        for (int i : back.floatSlicesIn) adjoints.add(operands.get(i), outputs.get(at++));
    }

    /** The type in which cotangents are summed over the iterations. */
    private static Type wide(Type type) {
        return type.with(type.dtype().compute());
    }

    private static boolean isFloat(Value v) {
        return v.type().dtype().isFloat();
    }

    /**
     * The body of the reverse loop. Its carries are the cotangents of the forward carries and the
     * accumulated cotangents of the constants.
     */
    private static final class Backwards {
        final List<Integer> floatCarries;
        final List<Integer> floatSlicesIn;
        final List<Integer> floatSlicesOut;
        final Graph body;

        Backwards(ScanOp loop, List<Integer> wanted) {
            var forward = loop.bodyWithCarries();
            int c = loop.constants;
            int n = loop.carries;
            var params = forward.params();
            floatCarries =
                    IntStream.range(0, n).filter(i -> isFloat(params.get(c + i))).boxed().toList();
            floatSlicesIn =
                    IntStream.range(c + n, params.size())
                            .filter(i -> isFloat(params.get(i)))
                            .boxed()
                            .toList();
            floatSlicesOut =
                    IntStream.range(n, forward.results().size())
                            .filter(i -> isFloat(forward.results().get(i)))
                            .boxed()
                            .toList();
            var wrt = new ArrayList<Integer>();
            floatCarries.forEach(i -> wrt.add(c + i));
            wrt.addAll(wanted);
            wrt.addAll(floatSlicesIn);
            var pulled = RunOnceOps.withoutOps(Reverse.pullback(forward, wrt), forward);

            var g = new Graph.Builder();
            var constants = params.subList(0, c).stream().map(p -> g.param(p.type())).toList();
            var cotangents =
                    floatCarries.stream().map(i -> g.param(params.get(c + i).type())).toList();
            var sums = wanted.stream().map(i -> g.param(wide(params.get(i).type()))).toList();
            var carries = params.subList(c, c + n).stream().map(p -> g.param(p.type())).toList();
            var slices =
                    params.subList(c + n, params.size()).stream()
                            .map(p -> g.param(p.type()))
                            .toList();
            var slots =
                    floatSlicesOut.stream()
                            .map(i -> g.param(forward.results().get(i).type()))
                            .toList();
            var kept = RunOnceOps.results(forward).stream().map(v -> g.param(v.type())).toList();

            var arguments = new ArrayList<>(constants);
            arguments.addAll(carries);
            arguments.addAll(slices);
            for (int i = 0; i < forward.results().size(); i++) {
                int carry = floatCarries.indexOf(i);
                int slice = floatSlicesOut.indexOf(i);
                var type = forward.results().get(i).type();
                arguments.add(
                        i < n
                                ? carry >= 0 ? cotangents.get(carry) : g.emit(new Fill(type, 0))
                                : slice >= 0 ? slots.get(slice) : g.emit(new Fill(type, 0)));
            }
            arguments.addAll(kept);
            var here = g.inline(pulled, arguments);
            var found =
                    pulled
                            .results()
                            .subList(forward.results().size(), pulled.results().size())
                            .stream()
                            .map(here::at)
                            .toList();
            var results = new ArrayList<>(found.subList(0, floatCarries.size()));
            for (int i = 0; i < sums.size(); i++) {
                results.add(Reverse.sum(g, sums.get(i), found.get(floatCarries.size() + i)));
            }
            results.addAll(found.subList(floatCarries.size() + sums.size(), found.size()));
            body = g.build(results);
        }
    }
}
