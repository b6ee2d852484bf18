package dev.ebb.plan;

import dev.ebb.ir.Node;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.search.Model;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Says why a budget is too small, and what would be enough. */
final class Refusal {
    private Refusal() {}

    /**
     * Names the step at which the smallest plan is largest.
     *
     * @param worker what the device keeps for one worker
     */
    static OverBudgetException of(
            long bytes, long least, Optional<Node> largest, Model model, long worker) {
        var way = largest.map(n -> inTheWay(n, model.problem)).orElse("its parameters");
        return new OverBudgetException(
                "a budget of "
                        + Budget.show(bytes)
                        + " is too small: the least that works is "
                        + Budget.show(least)
                        + ". In the way is "
                        + way
                        + (worker > 0
                                ? "; the device keeps "
                                        + Budget.show(worker)
                                        + " to run it on one worker, the fewest there can be"
                                : "")
                        + (model.paramBytes > 0
                                ? "; parameters take " + Budget.show(model.paramBytes) + " in all"
                                : "")
                        + model.problem.places().stream()
                                .map(p -> "; " + p.name() + " holds " + Budget.show(p.bytes()))
                                .collect(Collectors.joining()),
                least);
    }

    private static String inTheWay(Node node, Problem problem) {
        return node.op().name()
                + (node.region().isTop() ? "" : " in " + node.region())
                + ", which reads "
                + operands(node.inputs(), problem)
                + " and writes "
                + operands(node.outputs(), problem);
    }

    private static String operands(List<Value> values, Problem problem) {
        if (values.isEmpty()) return "nothing";
        return values.stream()
                .distinct()
                .map(v -> v + " (" + Budget.show(problem.bytes(v)) + ")")
                .collect(Collectors.joining(", "));
    }
}
