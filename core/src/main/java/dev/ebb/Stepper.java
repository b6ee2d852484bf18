package dev.ebb;

import dev.ebb.exec.Report;
import dev.ebb.exec.program.Program;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Type;
import dev.ebb.loop.ProgramPlanner;
import dev.ebb.plan.Plan;
import dev.ebb.tensor.Array;
import dev.ebb.trace.Tree;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A process that steps: training, a simulation. Its state (weights, optimizer, counters, running
 * statistics) lives in the program's arena from step to step and is updated in place; each step is
 * fed an input and gives an output. Inputs may be of several kinds, all of them told at the start.
 */
public final class Stepper<S, B, R> implements AutoCloseable {
    private final S form;
    private final int states;
    private final List<Kind<R>> kinds;
    private Kind<R> latest;
    private volatile Optional<Report> report = Optional.empty();
    private boolean closed;

    /** The tensors of the state that a failed step may have changed, until they are restored. */
    private final BitSet unsure = new BitSet();

    /** Steps that are fed inputs of one signature. All kinds run in one memory, in turns. */
    private record Kind<R>(
            Object signature, Graph graph, R output, int inputs, Plan plan, Program program) {}

    private Stepper(List<StepTrace<S, R>> traces, List<Kind<R>> kinds, S initial) {
        form = traces.getFirst().form();
        states = traces.getFirst().states();
        this.kinds = kinds;
        latest = kinds.getFirst();
        restore(initial);
        for (int i = 0; i < traces.size(); i++) {
            var captured = traces.get(i).data();
            for (int j = 0; j < captured.size(); j++)
                write(kinds.get(i), captured.get(j), states + kinds.get(i).inputs + j);
        }
    }

    /** A process whose inputs are like any of {@code examples}. */
    static <S, B, R> Stepper<S, B, R> of(
            Fn2<S, B, Next<S, R>> step, S initial, List<B> examples, ProgramPlanner planner) {
        var traces = new ArrayList<StepTrace<S, R>>();
        var plans = new ArrayList<Plan>();
        for (B example : examples) {
            var done = Flight.recorder().compiling();
            var trace = StepTrace.of(step, initial, example);
            traces.add(trace);
            plans.add(trace.plan(planner));
            done.accept(plans.getLast());
        }
        var programs = StepTrace.programs(traces, plans, planner);
        var kinds = new ArrayList<Kind<R>>();
        for (int i = 0; i < traces.size(); i++)
            kinds.add(kind(traces.get(i), examples.get(i), plans.get(i), programs.get(i)));
        return new Stepper<>(traces, kinds, initial);
    }

    /** A process of one kind of input that was planned and bound before. */
    static <S, B, R> Stepper<S, B, R> of(
            StepTrace<S, R> trace, S initial, B example, Plan plan, Program program) {
        return new Stepper<>(List.of(trace), List.of(kind(trace, example, plan, program)), initial);
    }

    private static <R> Kind<R> kind(
            StepTrace<?, R> trace, Object example, Plan plan, Program program) {
        return new Kind<>(
                Tree.signature(example),
                trace.graph(),
                trace.output(),
                trace.inputs(),
                plan,
                program);
    }

    private static void write(Kind<?> kind, Array array, int param) {
        Prepared.write(kind.program, param, array, kind.graph);
    }

    /**
     * One step: the state moves on, the output comes back. A step that fails on its way leaves a
     * state that is partly of before and partly of after it: it must be restored before the next.
     */
    public synchronized R step(B input) {
        requireState();
        latest = kind(Tree.signature(input));
        var leaves = Tree.flatten(input);
        for (int i = 0; i < latest.inputs; i++) write(latest, (Array) leaves.get(i), states + i);
        var done = Flight.recorder().running();
        var measured = run(latest.program);
        done.accept(measured);
        report = Optional.of(measured);
        return Tree.unflatten(latest.output, results(latest));
    }

    private Kind<R> kind(Object signature) {
        for (var kind : kinds) if (kind.signature.equals(signature)) return kind;
        throw new IllegalArgumentException(
                "this stepper was compiled for inputs like "
                        + kinds.stream()
                                .map(k -> k.signature.toString())
                                .collect(Collectors.joining(" or "))
                        + ", not "
                        + signature
                        + "; make another one for them, or make a number that changes from step to"
                        + " step a tensor");
    }

    private Report run(Program program) {
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
        return Array.make(type, to -> kinds.getFirst().program.readParam(place, to.segment()));
    }

    private Type stateType(int place) {
        if (place < 0 || place >= states) {
            throw new IllegalArgumentException(
                    "the state has " + states + " tensors, from 0 on, and none at " + place);
        }
        return kinds.getFirst().graph.params().get(place).type();
    }

    /** Goes on from another state. */
    public synchronized void restore(S state) {
        requireOpen();
        var leaves = Tree.flatten(state);
        for (int i = 0; i < states; i++) write(kinds.getFirst(), (Array) leaves.get(i), i);
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
        write(kinds.getFirst(), tensor, place);
        unsure.clear(place);
    }

    private List<Array> results(Kind<R> kind) {
        return IntStream.range(states, kind.graph.results().size())
                .mapToObj(i -> Prepared.result(kind.program, i, kind.graph))
                .toList();
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
        return latest.program.held();
    }

    /**
     * What is decided for the first kind of input: what is kept, what is computed again, where it
     * lies.
     */
    public Plan plan() {
        return kinds.getFirst().plan;
    }

    /** What the process takes: what the steps of that kind of input promise that take most. */
    public long promisedBytes() {
        return kinds.stream().mapToLong(k -> k.program.promisedBytes()).max().orElseThrow();
    }

    @Override
    public synchronized void close() {
        closed = true;
        kinds.forEach(k -> k.program.close());
    }
}
