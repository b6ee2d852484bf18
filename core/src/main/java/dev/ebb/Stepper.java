package dev.ebb;

import dev.ebb.exec.Report;
import dev.ebb.exec.program.Program;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Type;
import dev.ebb.plan.Plan;
import dev.ebb.tensor.Array;
import dev.ebb.trace.Tree;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A process that steps: training, a simulation. Its state (weights, optimizer, counters, running
 * statistics) lives in the program's arena from step to step and is updated in place; each step is
 * fed an input and gives an output.
 */
public final class Stepper<S, B, R> implements AutoCloseable {
    private final S form;
    private final R output;
    private final Graph graph;
    private final Plan plan;
    private final Program program;
    private final int states;
    private final int inputs;
    private final Object inputSignature;
    private volatile Optional<Report> report = Optional.empty();
    private boolean closed;

    /** The tensors of the state that a failed step may have changed, until they are restored. */
    private final BitSet unsure = new BitSet();

    Stepper(StepTrace<S, R> trace, S initial, Object inputSignature, Plan plan, Program program) {
        this.inputSignature = inputSignature;
        form = trace.form();
        output = trace.output();
        states = trace.states();
        inputs = trace.inputs();
        graph = trace.graph();
        this.plan = plan;
        this.program = program;
        restore(initial);
        var captured = trace.data();
        for (int i = 0; i < captured.size(); i++) write(captured.get(i), states + inputs + i);
    }

    static <S, B, R> Stepper<S, B, R> of(
            Fn2<S, B, Next<S, R>> step, S initial, B example, Pipeline pipeline) {
        var done = Flight.recorder().compiling();
        var trace = StepTrace.of(step, initial, example);
        var plan = trace.plan(pipeline);
        var program = new Program(plan.layout(), pipeline.device(), plan.workers());
        done.accept(plan);
        return new Stepper<>(trace, initial, Tree.signature(example), plan, program);
    }

    private void write(Array array, int param) {
        Prepared.write(program, param, array, graph);
    }

    /**
     * One step: the state moves on, the output comes back. A step that fails on its way leaves a
     * state that is partly of before and partly of after it: it must be restored before the next.
     */
    public synchronized R step(B input) {
        requireState();
        if (!Tree.signature(input).equals(inputSignature)) {
            throw new IllegalArgumentException(
                    "this stepper was compiled for inputs like "
                            + inputSignature
                            + ", not "
                            + Tree.signature(input)
                            + "; make another one for them, or make a number that changes from"
                            + " step to step a tensor");
        }
        var leaves = Tree.flatten(input);
        for (int i = 0; i < inputs; i++) write((Array) leaves.get(i), states + i);
        var done = Flight.recorder().running();
        var measured = run();
        done.accept(measured);
        report = Optional.of(measured);
        return Tree.unflatten(output, read(states, graph.results().size()));
    }

    private Report run() {
        try {
            return program.run();
        } finally {
            if (program.isPartial()) unsure.set(0, states);
        }
    }

    /** That there is a state, and all of it of one step. */
    void requireState() {
        requireOpen();
        if (!unsure.isEmpty()) throw unsure(unsure.nextSetBit(0));
    }

    private void requireOpen() {
        if (closed) throw new IllegalStateException("this stepper is closed; make another one");
    }

    private IllegalStateException unsure(int place) {
        return new IllegalStateException(
                "the latest step failed on its way, so tensor "
                        + place
                        + " of the state, "
                        + Tensorwise.names(form).get(place)
                        + ", may be of before or after it; restore a state first");
    }

    /**
     * How states are built: one whose tensors have types and names but no data, so that nothing can
     * be computed from it.
     */
    public S form() {
        return form;
    }

    /** A copy of the state as it is now. */
    public synchronized S state() {
        return Tree.unflatten(form, IntStream.range(0, states).mapToObj(this::state).toList());
    }

    /**
     * A copy of one tensor of the state as it is now, by its place in {@link Tensorwise#list}: for
     * writing a state out without a second one in memory.
     */
    public synchronized Array state(int place) {
        requireOpen();
        var type = stateType(place);
        if (unsure.get(place)) throw unsure(place);
        return Array.make(type, to -> program.readParam(place, to.segment()));
    }

    private Type stateType(int place) {
        if (place < 0 || place >= states) {
            throw new IllegalArgumentException(
                    "the state has " + states + " tensors, from 0 on, and none at " + place);
        }
        return graph.params().get(place).type();
    }

    /** Goes on from another state. */
    public synchronized void restore(S state) {
        requireOpen();
        var leaves = Tree.flatten(state);
        for (int i = 0; i < states; i++) write((Array) leaves.get(i), i);
        unsure.clear();
    }

    /**
     * Replaces one tensor of the state, by its place in {@link Tensorwise#list}: for reading a
     * state without a second one in memory.
     */
    public synchronized void restore(int place, Array tensor) {
        requireOpen();
        var type = stateType(place);
        if (!tensor.type().equals(type)) {
            throw new IllegalArgumentException(
                    "tensor "
                            + place
                            + " of the state, "
                            + Tensorwise.names(form).get(place)
                            + ", is "
                            + type
                            + ", not "
                            + tensor.type());
        }
        write(tensor, place);
        unsure.clear(place);
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

    /**
     * The bytes in the arena while each computation or transfer of the latest step ran, as counted:
     * beside {@link dev.ebb.exec.program.MemoryProfile}, which is the promise.
     */
    public synchronized long[] held() {
        return program.held();
    }

    /** What is decided: what is kept, what is computed again, where it lies. */
    public Plan plan() {
        return plan;
    }

    @Override
    public synchronized void close() {
        closed = true;
        program.close();
    }
}
