package dev.ebb;

import dev.ebb.exec.Program;
import dev.ebb.exec.Report;
import dev.ebb.ir.Graph;
import dev.ebb.plan.Binding;
import dev.ebb.plan.Plan;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Store;
import dev.ebb.tensor.Tensor;
import dev.ebb.trace.Trace;
import dev.ebb.trace.Tree;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A process that steps: training, a simulation. Its state (weights, optimizer, counters, running
 * statistics) lives in the program's arena from step to step and is updated in place; each step is
 * fed an input and gives an output.
 */
public final class Stepper<S, B, R> implements AutoCloseable {
    private final S initial;
    private final R structure;
    private final Graph graph;
    private final Plan plan;
    private final Program program;
    private final int states;
    private final int inputs;
    private final Object inputSignature;
    private Optional<Report> report = Optional.empty();

    Stepper(Fn2<S, B, Next<S, R>> step, S initial, B example, Pipeline pipeline) {
        this.initial = initial;
        this.inputSignature = Tree.signature(example);
        var done = Flight.recorder().compiling();
        var state = Tree.flatten(initial);
        var input = Tree.flatten(example);
        states = state.size();
        inputs = input.size();
        var types = new ArrayList<>(state.stream().map(Tensor::type).toList());
        types.addAll(input.stream().map(Tensor::type).toList());
        var structures = new ArrayList<R>();
        var trace =
                Trace.of(
                        in -> {
                            var before = in.subList(0, states);
                            var next =
                                    step.apply(
                                            Tree.unflatten(initial, before),
                                            Tree.unflatten(example, in.subList(states, in.size())));
                            structures.add(next.out());
                            return results(before, next);
                        },
                        types);
        structure = structures.getFirst();
        graph = trace.graph();
        var bindings = new ArrayList<Binding>();
        for (int i = 0; i < graph.params().size(); i++) {
            bindings.add(
                    i < states
                            ? new Binding.Replaced(i)
                            : i < states + inputs ? new Binding.Consumed() : new Binding.Kept());
        }
        plan = pipeline.plan(graph, bindings);
        program = new Program(plan.layout(), pipeline.device());
        done.accept(plan);
        restore(initial);
        var captured = Prepared.data(trace.captured());
        for (int i = 0; i < captured.size(); i++) write(captured.get(i), states + inputs + i);
    }

    private List<Tensor> results(List<Tensor> before, Next<S, R> next) {
        var after = Tree.flatten(next.state());
        if (!Tree.shapeOf(next.state()).equals(Tree.shapeOf(initial))) {
            throw new IllegalArgumentException(
                    "a step must return a state built like the one it was given");
        }
        var results = new ArrayList<Tensor>();
        for (int i = 0; i < states; i++)
            results.add(before.get(i).apply(new Store(), after.get(i)));
        results.addAll(Tree.flatten(next.out()));
        return results;
    }

    private void write(Array array, int param) {
        Prepared.write(program, param, array, graph);
    }

    /** One step: the state moves on, the output comes back. */
    public synchronized R step(B input) {
        if (!Tree.signature(input).equals(inputSignature)) {
            throw new IllegalArgumentException(
                    "this stepper was compiled for inputs like "
                            + inputSignature
                            + ", not "
                            + Tree.signature(input)
                            + "; make another one for them");
        }
        var leaves = Tree.flatten(input);
        for (int i = 0; i < inputs; i++) write((Array) leaves.get(i), states + i);
        var done = Flight.recorder().running();
        var measured = program.run();
        done.accept(measured);
        report = Optional.of(measured);
        return Tree.unflatten(structure, read(states, graph.results().size()));
    }

    /** A copy of the state as it is now. */
    public synchronized S state() {
        var arrays = new ArrayList<Array>();
        for (int i = 0; i < states; i++) {
            int state = i;
            arrays.add(
                    Array.make(
                            graph.params().get(i).type(),
                            to -> program.readParam(state, to.segment())));
        }
        return Tree.unflatten(initial, arrays);
    }

    /** Goes on from another state. */
    public synchronized void restore(S state) {
        var leaves = Tree.flatten(state);
        for (int i = 0; i < states; i++) write((Array) leaves.get(i), i);
    }

    private List<Array> read(int from, int to) {
        var arrays = new ArrayList<Array>();
        for (int i = from; i < to; i++) {
            arrays.add(Prepared.result(program, i, graph));
        }
        return arrays;
    }

    /** What the latest step promised and what it measured. */
    public Report report() {
        return report.orElseThrow(
                () -> new IllegalStateException("nothing has run yet; call step first"));
    }

    /** What is decided: what is kept, what is computed again, where it lies. */
    public Plan plan() {
        return plan;
    }

    @Override
    public synchronized void close() {
        program.close();
    }
}
