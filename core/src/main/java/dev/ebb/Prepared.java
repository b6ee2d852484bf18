package dev.ebb;

import dev.ebb.exec.Program;
import dev.ebb.exec.Report;
import dev.ebb.ir.Graph;
import dev.ebb.ir.ShapeException;
import dev.ebb.plan.Binding;
import dev.ebb.plan.Plan;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Traced;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** A program with its captured arrays in place, ready to be fed arguments. */
final class Prepared implements AutoCloseable {
    private final Graph graph;
    private final Plan plan;
    private final Program program;
    private Optional<Report> report = Optional.empty();

    private Prepared(Graph graph, Plan plan, Program program) {
        this.graph = graph;
        this.plan = plan;
        this.program = program;
    }

    /**
     * The first {@code arguments} parameters come anew with every run, the others are {@code
     * captured} and stay.
     */
    static Prepared of(Graph graph, List<Array> captured, int arguments, Pipeline pipeline) {
        var bindings = new ArrayList<Binding>();
        for (int i = 0; i < graph.params().size(); i++) {
            bindings.add(i < arguments ? new Binding.Consumed() : new Binding.Kept());
        }
        var plan = pipeline.plan(graph, bindings);
        var prepared = new Prepared(graph, plan, new Program(plan.layout(), pipeline.device()));
        for (int i = 0; i < captured.size(); i++) {
            write(prepared.program, arguments + i, captured.get(i), graph);
        }
        return prepared;
    }

    /** What a function closes over, all of which must have data. */
    static List<Array> data(List<Tensor> captured) {
        return captured.stream()
                .map(
                        t ->
                                switch (t) {
                                    case Array a -> a;
                                    case Traced _ ->
                                            throw new IllegalStateException(
                                                    "a compiled function closes over "
                                                            + t
                                                            + ", which is on a tape; copy it out"
                                                            + " with array(), or make it an"
                                                            + " argument");
                                })
                .toList();
    }

    /** Sets a parameter of a program. */
    static void write(Program program, int i, Array array, Graph graph) {
        var param = graph.params().get(i);
        if (!array.type().equals(param.type())) {
            throw new ShapeException(
                    "an argument is "
                            + array.type()
                            + " where "
                            + param.type()
                            + " was compiled for");
        }
        program.write(i, array.data().segment());
    }

    /** A copy of a result of the last run of a program. */
    static Array result(Program program, int i, Graph graph) {
        return Array.make(graph.results().get(i).type(), to -> program.readResult(i, to.segment()));
    }

    synchronized List<Array> run(List<Array> arguments) {
        return run(arguments, Program::run);
    }

    /** As {@link #run}, each recomputed value checked against its first computation. */
    synchronized List<Array> verify(List<Array> arguments) {
        return run(arguments, Program::verify);
    }

    private List<Array> run(List<Array> arguments, Function<Program, Report> how) {
        for (int i = 0; i < arguments.size(); i++) write(program, i, arguments.get(i), graph);
        var done = Flight.recorder().running();
        var measured = how.apply(program);
        done.accept(measured);
        report = Optional.of(measured);
        var results = new ArrayList<Array>();
        for (int i = 0; i < graph.results().size(); i++) {
            results.add(result(program, i, graph));
        }
        return results;
    }

    Plan plan() {
        return plan;
    }

    Optional<Report> report() {
        return report;
    }

    @Override
    public void close() {
        program.close();
    }
}
