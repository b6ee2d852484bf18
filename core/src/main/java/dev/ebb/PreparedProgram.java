package dev.ebb;

import dev.ebb.exec.ArrayFunction;
import dev.ebb.exec.Device;
import dev.ebb.exec.Report;
import dev.ebb.exec.program.Program;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Value;
import dev.ebb.loop.ProgramPlanner;
import dev.ebb.plan.Plan;
import dev.ebb.plan.schedule.Binding;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Traced;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A planned program, ready to be called. Its memory is allocated at the first run, and then also
 * holds the captured arrays.
 */
final class PreparedProgram implements AutoCloseable {
    private final Graph graph;
    private final Plan plan;
    private final Device device;
    private final int arguments;
    private Optional<List<Array>> waiting;
    private List<WeakReference<Array>> written = List.of();
    private Optional<Program> program = Optional.empty();
    private Optional<ArrayFunction> arrayFunction = Optional.empty();
    private @Nullable ArrayFunctionRun small;
    private boolean askedForSmall;
    private volatile Optional<Report> report = Optional.empty();

    private PreparedProgram(
            Graph graph, Plan plan, Device device, int arguments, List<Array> captured) {
        this.graph = graph;
        this.plan = plan;
        this.device = device;
        this.arguments = arguments;
        waiting = Optional.of(captured);
    }

    /**
     * The first {@code arguments} parameters are passed to every run; the others are {@code
     * captured} and stay in memory.
     */
    static PreparedProgram of(
            Graph graph, List<Array> captured, int arguments, ProgramPlanner planner) {
        var plan = planner.plan(graph, bindings(graph, arguments));
        return new PreparedProgram(graph, plan, planner.device(), arguments, captured);
    }

    static List<Binding> bindings(Graph graph, int arguments) {
        var bindings = new ArrayList<Binding>();
        for (int i = 0; i < graph.params().size(); i++) {
            bindings.add(i < arguments ? new Binding.Consumed() : new Binding.Kept());
        }
        return bindings;
    }

    /**
     * Whether {@link #run} can be called: memory is allocated, or the captured arrays that fill it
     * are known.
     */
    boolean isReady() {
        return program.isPresent() || waiting.isPresent();
    }

    boolean hasMemory() {
        return program.isPresent();
    }

    /** Frees the memory; {@link #capture} must be called before the next run. */
    synchronized void unload() {
        program.ifPresent(Program::close);
        program = Optional.empty();
        arrayFunction = Optional.empty();
        small = null;
        askedForSmall = false;
        written = List.of();
    }

    /** Sets the arrays that the function closes over from now on. */
    void capture(List<Array> captured) {
        waiting = Optional.of(captured);
    }

    private Program program() {
        if (program.isPresent() && waiting.isEmpty()) return program.get();
        if (program.isEmpty())
            program = Optional.of(new Program(plan.layout(), device, plan.workers()));
        var made = program.get();
        waiting.ifPresent(
                captured -> {
                    for (int i = 0; i < captured.size(); i++) {
                        var array = captured.get(i);
                        boolean there = i < written.size() && written.get(i).refersTo(array);
                        if (!there) write(made, arguments + i, array, graph);
                    }
                    written = captured.stream().map(WeakReference::new).toList();
                });
        waiting = Optional.empty();
        return made;
    }

    /** The captured tensors as arrays; refuses one without data. */
    static List<Array> data(List<Tensor> captured) {
        return captured.stream()
                .map(
                        t ->
                                switch (t) {
                                    case Array a -> a;
                                    case Traced _ ->
                                            throw new IllegalStateException(
                                                    ("a compiled function captures %s, which is on"
                                                         + " a tape; copy it out with array(), or"
                                                         + " make it an argument")
                                                            .formatted(t));
                                })
                .toList();
    }

    /** Sets a parameter of a program. */
    static void write(Program program, int i, Array array, Graph graph) {
        var param = graph.params().get(i);
        if (!array.type().equals(param.type())) {
            throw new ShapeException(
                    "an argument is %s, but the function was compiled for %s"
                            .formatted(array.type(), param.type()));
        }
        program.write(i, array.data().segment());
    }

    /** A copy of a result of the last run of a program. */
    static Array result(Program program, int i, Graph graph) {
        return Array.make(graph.results().get(i).type(), to -> program.readResult(i, to.segment()));
    }

    synchronized List<Array> run(Array... arguments) {
        return run(arguments, List.of());
    }

    /**
     * Runs the program; {@code free} are donated arguments: results take their memory where types
     * match.
     */
    synchronized List<Array> run(Array[] arguments, List<Tensor> donated) {
        var method = small;
        if (method != null && donated.isEmpty() && waiting.isEmpty()) {
            var results = method.run(arguments);
            report = Optional.of(method.report());
            return results;
        }
        return donated.isEmpty() && program().isDelivering()
                ? delivered(arguments)
                : run(arguments, donated, Program::run);
    }

    /**
     * As {@link #run}, with results written directly to their arrays by the kernels that compute
     * them.
     */
    private List<Array> delivered(Array[] arguments) {
        var ready = program();
        return Array.make(
                graph.results().stream().map(Value::type).toList(),
                to -> {
                    synchronized (ready) {
                        for (int i = 0; i < arguments.length; i++)
                            write(ready, i, arguments[i], graph);
                        var done = EventRecorder.recorder().running();
                        var measured = ready.run(to.stream().map(Buffer::segment).toList());
                        done.accept(measured);
                        report = Optional.of(measured);
                    }
                });
    }

    /** As {@link #run}, each recomputed value checked against its first computation. */
    synchronized List<Array> verify(Array... arguments) {
        return run(arguments, List.of(), Program::verify);
    }

    private ArrayFunctionRun small(ArrayFunction method) {
        return new ArrayFunctionRun(
                method,
                graph.params().subList(0, arguments).stream().map(Value::type).toList(),
                graph.results().stream().map(Value::type).toList(),
                report.orElseThrow());
    }

    private List<Value> argumentsAndResults() {
        var all = new ArrayList<>(graph.params().subList(0, arguments));
        all.addAll(graph.results());
        return all;
    }

    private boolean isOfDoubles() {
        return argumentsAndResults().stream().allMatch(v -> v.type().dtype() == DType.F64);
    }

    /** Refuses a program whose arguments and results are not all F64. */
    void requireDoubles() {
        for (Value v : argumentsAndResults()) {
            if (v.type().dtype() != DType.F64)
                throw new ShapeException(
                        ("a function of doubles has %s%s; cast it to F64, or call apply with"
                                        + " arrays")
                                .formatted(
                                        v.type(),
                                        graph.params().contains(v)
                                                ? " in its argument"
                                                : " as a result"));
        }
    }

    /** How many elements the arguments have. */
    int inputs() {
        return elements(graph.params().subList(0, arguments));
    }

    /** How many elements the results have. */
    int outputs() {
        return elements(graph.results());
    }

    private static int elements(List<Value> values) {
        return Math.toIntExact(values.stream().mapToLong(v -> v.type().size()).sum());
    }

    /** This program as one method on arrays of doubles, if the device compiles one. */
    synchronized Optional<ArrayFunction> arrayFunction() {
        var ready = program();
        if (arrayFunction.isEmpty()) arrayFunction = ready.arrayFunction(arguments);
        return arrayFunction;
    }

    /** Computes the elements of all results from those of all arguments. */
    synchronized void apply(double[] in, double[] out) {
        var method = arrayFunction();
        if (method.isPresent()) {
            method.get().apply(in, out);
            return;
        }
        var ready = program();
        long at = 0;
        var from = MemorySegment.ofArray(in);
        for (int i = 0; i < arguments; i++) {
            long bytes = graph.params().get(i).type().bytes();
            ready.write(i, from.asSlice(at, bytes));
            at += bytes;
        }
        report = Optional.of(ready.run());
        at = 0;
        var to = MemorySegment.ofArray(out);
        for (int i = 0; i < graph.results().size(); i++) {
            long bytes = graph.results().get(i).type().bytes();
            ready.readResult(i, to.asSlice(at, bytes));
            at += bytes;
        }
    }

    private List<Array> run(
            Array[] arguments, List<Tensor> donated, Function<Program, Report> how) {
        var ready = program();
        // the lock is held throughout, so that the methods called need not take it for each tensor
        synchronized (ready) {
            for (int i = 0; i < arguments.length; i++) write(ready, i, arguments[i], graph);
            var done = EventRecorder.recorder().running();
            var measured = how.apply(ready);
            done.accept(measured);
            report = Optional.of(measured);
            var results = new Array[graph.results().size()];
            var free = new ArrayList<>(donated);
            for (int i = 0; i < results.length; i++) results[i] = result(ready, i, free);
            for (var rest : free) if (rest instanceof Array array) array.donate();
            if (!askedForSmall && ready.isCompiled()) {
                askedForSmall = true;
                if (isOfDoubles())
                    small =
                            arrayFunction()
                                    .filter(ArrayFunction::isPure)
                                    .map(this::small)
                                    .orElse(null);
            }
            return List.of(results);
        }
    }

    /** A copy of a result, in the memory of the first array of {@code free} that has its type. */
    private Array result(Program ready, int i, List<Tensor> free) {
        var type = graph.results().get(i).type();
        for (int j = 0; j < free.size(); j++) {
            if (!(free.get(j) instanceof Array array) || !array.type().equals(type)) continue;
            free.removeIf(t -> t == array);
            return Array.replacing(array, to -> ready.readResult(i, to.segment()));
        }
        return result(ready, i, graph);
    }

    Graph graph() {
        return graph;
    }

    Plan plan() {
        return plan;
    }

    Optional<Report> report() {
        return report;
    }

    @Override
    public synchronized void close() {
        unload();
    }
}
