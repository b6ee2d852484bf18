package dev.ebb;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Op;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Eager;

import java.util.List;

/** Runs single ops, and whole graphs, on arrays at once. */
public final class EagerEngine implements Eager {

    public EagerEngine() {}

    @Override
    public List<Array> apply(Op op, List<Array> operands) {
        var g = new Graph.Builder();
        var params = operands.stream().map(a -> g.param(a.type())).toList();
        return run(g.build(g.emit(op, params)), operands);
    }

    static List<Array> run(Graph graph, List<Array> operands) {
        var pipeline = Pipeline.within(Budget.unlimited());
        try (var prepared = Prepared.of(graph, List.of(), operands.size(), pipeline)) {
            return prepared.run(operands.toArray(Array[]::new));
        }
    }
}
