package dev.ebb.control;

import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Fill;
import dev.ebb.ir.Graph;
import dev.ebb.ir.IterationCosts;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.tensor.op.Axes;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A function with a derivative that its author wrote. Inputs: the arguments, then the values that
 * either function closes over, then one value of each result's type that is not read: the function
 * runs as a loop of one iteration whose carries are the results, and these are its initial carries.
 * The derivative is a graph like any other, so higher orders follow from it.
 *
 * @param forward maps arguments and closed-over values to results
 * @param backward maps arguments, closed-over values, results and their cotangents to the
 *     cotangents of the arguments
 * @param arguments how many arguments there are
 */
public record CustomOp(Graph forward, Graph backward, int arguments) implements Op {

    /**
     * Makes the op from two recorded functions. The first parameters of both are the arguments;
     * those of the second are followed by results and cotangents. The last parameters of each are
     * the values that it closes over, given by their operand numbers.
     */
    public static CustomOp of(
            Graph forward,
            List<Integer> closedForward,
            Graph backward,
            List<Integer> closedBackward,
            int arguments,
            int operands) {
        var all = new Type[operands];
        for (int i = 0; i < arguments; i++) all[i] = forward.params().get(i).type();
        closed(forward, closedForward, all);
        closed(backward, closedBackward, all);
        int results = forward.results().size();
        return new CustomOp(
                taking(forward, all, arguments, closedForward, 0),
                taking(backward, all, arguments, closedBackward, 2 * results),
                arguments);
    }

    private static void closed(Graph graph, List<Integer> numbers, Type[] types) {
        int first = graph.params().size() - numbers.size();
        for (int i = 0; i < numbers.size(); i++)
            types[numbers.get(i)] = graph.params().get(first + i).type();
    }

    /**
     * {@code graph} with all operands as its first parameters, followed by its {@code own} further
     * parameters.
     */
    private static Graph taking(
            Graph graph, Type[] types, int arguments, List<Integer> closed, int own) {
        var g = new Graph.Builder();
        var operands = Arrays.stream(types).map(g::param).toList();
        var inputs = new ArrayList<>(operands.subList(0, arguments));
        for (Value p : graph.params().subList(arguments, arguments + own))
            inputs.add(g.param(p.type()));
        closed.forEach(i -> inputs.add(operands.get(i)));
        var here = g.inline(graph, inputs);
        return g.build(graph.results().stream().map(here::at).toList());
    }

    /** The types of the inputs that are not read. */
    public List<Type> unreadTypes() {
        return forward.results().stream().map(Value::type).toList();
    }

    @Override
    public String name() {
        return "custom";
    }

    @Override
    public Set<Trait> traits() {
        return forward.traits();
    }

    @Override
    public List<Type> infer(List<Type> inputs) {
        return unreadTypes();
    }

    @Override
    public Kernel kernel(List<Type> inputs) {
        var g = new Graph.Builder();
        var operands = forward.params().stream().map(p -> g.param(p.type())).toList();
        forward.results().forEach(r -> g.param(r.type()));
        var here = g.inline(forward, operands);
        var body = g.build(forward.results().stream().map(here::at).toList());
        return new ScanOp(
                        body,
                        1,
                        operands.size(),
                        forward.results().size(),
                        false,
                        false,
                        false,
                        IterationCosts.EVEN,
                        Optional.empty())
                .kernel(inputs);
    }

    @Override
    public void pullback(Node node, Adjoints adjoints) {
        int operands = forward.params().size();
        for (int i = arguments; i < operands; i++) {
            if (adjoints.wanted(node.inputs().get(i))) {
                throw new IllegalStateException(
                        ("a custom function captures a %s whose gradient is asked for, but its"
                             + " derivative gives only that of its argument; make the tensor a part"
                             + " of the argument, and return zeros as its cotangent if it has none")
                                .formatted(node.inputs().get(i).type()));
            }
        }
        var inputs = new ArrayList<>(node.inputs().subList(0, operands));
        inputs.addAll(node.outputs());
        for (Value out : node.outputs()) inputs.add(adjoints.of(out));
        var here = adjoints.graph().inline(backward, inputs);
        for (int i = 0; i < arguments; i++) {
            if (node.inputs().get(i).type().dtype().isFloat())
                adjoints.add(node.inputs().get(i), here.at(backward.results().get(i)));
        }
    }

    /**
     * Both functions vectorized over the examples; the cotangent of an argument that all examples
     * share is summed over them.
     */
    @Override
    public void batch(Node node, Op.Batching batching) {
        if (Trait.once(traits())) {
            batching.oneByOne(node);
            return;
        }
        var operands = node.inputs().subList(0, forward.params().size());
        var differs = operands.stream().map(batching::differs).toList();
        int results = forward.results().size();
        var all = Collections.nCopies(results, true);
        var there = new ArrayList<>(differs);
        there.addAll(Collections.nCopies(2 * results, true));
        var op =
                new CustomOp(
                        batching.body(forward, differs, all).graph(),
                        summed(
                                batching.body(backward, there, differs.subList(0, arguments)),
                                differs),
                        arguments);
        var here = new ArrayList<>(operands.stream().map(batching::of).toList());
        for (Type t : op.unreadTypes()) here.add(batching.graph().emit(new Fill(t, 0)));
        var outputs = batching.graph().emit(op, here);
        for (int i = 0; i < results; i++) batching.put(node.outputs().get(i), outputs.get(i), true);
    }

    /** {@code backward} with the cotangents of unbatched arguments summed over the examples. */
    private static Graph summed(Op.Batching.Body backward, List<Boolean> differs) {
        var g = new Graph.Builder();
        var params = backward.graph().params().stream().map(p -> g.param(p.type())).toList();
        var here = g.inline(backward.graph(), params);
        var results = new ArrayList<Value>();
        for (int i = 0; i < backward.differs().size(); i++) {
            var found = here.at(backward.graph().results().get(i));
            boolean sum = backward.differs().get(i) && !differs.get(i);
            results.add(sum ? g.emit(Axes.summed(found.type().dtype()), found) : found);
        }
        return g.build(results);
    }
}
