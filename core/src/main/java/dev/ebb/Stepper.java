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
 * A step that is run repeatedly, such as training or a simulation. Its state (weights, optimizer,
 * counters, running statistics) stays in the program's arena and is updated in place; each step
 * takes an input and returns an output. Inputs may have several shapes, all of them given at the
 * start.
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

    /** Steps for inputs of one signature. All signatures share one arena. */
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

    /** A stepper whose inputs are like any of {@code examples}. */
    static <S, B, R> Stepper<S, B, R> of(
            Fn2<S, B, Next<S, R>> step, S initial, List<B> examples, ProgramPlanner planner) {
        var traces = new ArrayList<StepTrace<S, R>>();
        var plans = new ArrayList<Plan>();
        for (B example : examples) {
            var done = EventRecorder.recorder().compiling();
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

    /** A stepper for one kind of input that was planned and bound before. */
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
        PreparedProgram.write(kind.program, param, array, kind.graph);
    }

    /**
     * Runs one step: updates the state and returns the output. A step that fails may leave a partly
     * updated state, which must be restored before the next step.
     */
    public synchronized R step(B input) {
        requireState();
        latest = kind(Tree.signature(input));
        var leaves = Tree.flatten(input);
        for (int i = 0; i < latest.inputs; i++) write(latest, (Array) leaves.get(i), states + i);
        var done = EventRecorder.recorder().running();
        var measured = run(latest.program);
        done.accept(measured);
        report = Optional.of(measured);
        return Tree.unflatten(latest.output, results(latest));
    }

    private Kind<R> kind(Object signature) {
        for (var kind : kinds) if (kind.signature.equals(signature)) return kind;
        throw new IllegalArgumentException(
                ("this stepper was compiled for inputs like %s, not %s; compile another one for"
                     + " them, and pass a number that changes from step to step as a tensor")
                        .formatted(
                                kinds.stream()
                                        .map(k -> k.signature.toString())
                                        .collect(Collectors.joining(" or ")),
                                signature));
    }

    private Report run(Program program) {
        try {
            return program.run();
        } finally {
            if (program.isPartial()) unsure.set(0, states);
        }
    }

    /** Checks that the state is complete and of one step. */
    void requireState() {
        requireOpen();
        if (!unsure.isEmpty()) throw unsure(unsure.nextSetBit(0));
    }

    private void requireOpen() {
        if (closed) throw new IllegalStateException("this stepper is closed; make another one");
    }

    private IllegalStateException unsure(int place) {
        return new IllegalStateException(
                ("the latest step failed before its end, so tensor %s of the state, %s, may be the"
                                + " old or the new one; restore a state first")
                        .formatted(place, Tensorwise.names(form).get(place)));
    }

    /** A state whose tensors have types and names but no data, as a template. */
    public S form() {
        return form;
    }

    /** A copy of the current state. */
    public synchronized S state() {
        return Tree.unflatten(form, IntStream.range(0, states).mapToObj(this::state).toList());
    }

    /**
     * A copy of one tensor of the current state, by its index in {@link Tensorwise#list}: for
     * saving a state without a second copy in memory.
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
                    "the state has %s tensors, numbered from 0, and no tensor %s"
                            .formatted(states, place));
        }
        return kinds.getFirst().graph.params().get(place).type();
    }

    /** Replaces the state. */
    public synchronized void restore(S state) {
        requireOpen();
        var leaves = Tree.flatten(state);
        for (int i = 0; i < states; i++) write(kinds.getFirst(), (Array) leaves.get(i), i);
        unsure.clear();
    }

    /**
     * Replaces one tensor of the state, by its index in {@link Tensorwise#list}: for loading a
     * state without a second copy in memory.
     */
    public synchronized void restore(int place, Array tensor) {
        requireOpen();
        var type = stateType(place);
        if (!tensor.type().equals(type)) {
            throw new IllegalArgumentException(
                    "tensor %s of the state, %s, is %s, not %s"
                            .formatted(
                                    place, Tensorwise.names(form).get(place), type, tensor.type()));
        }
        write(kinds.getFirst(), tensor, place);
        unsure.clear(place);
    }

    private List<Array> results(Kind<R> kind) {
        return IntStream.range(states, kind.graph.results().size())
                .mapToObj(i -> PreparedProgram.result(kind.program, i, kind.graph))
                .toList();
    }

    /** The promised and the measured figures of the latest step. */
    public Report report() {
        return report.orElseThrow(
                () -> new IllegalStateException("nothing has run yet; call step first"));
    }

    /**
     * The measured bytes in the arena during each computation or transfer of the latest step;
     * {@link dev.ebb.exec.program.MemoryProfile} has the promised ones.
     */
    public synchronized long[] held() {
        return latest.program.held();
    }

    /** The plan for the first kind of input. */
    public Plan plan() {
        return kinds.getFirst().plan;
    }

    /** The promised peak: the largest over all kinds of input. */
    public long promisedBytes() {
        return kinds.stream().mapToLong(k -> k.program.promisedBytes()).max().orElseThrow();
    }

    @Override
    public synchronized void close() {
        closed = true;
        kinds.forEach(k -> k.program.close());
    }
}
