package dev.ebb.plan;

import dev.ebb.ir.Node;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.search.Member;
import dev.ebb.plan.search.SearchModel;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The error for a budget that is too small: why, and which budget would be enough. */
final class Refusal {
    private Refusal() {}

    /** The knee is mentioned only if its time is below this share of the smallest budget's. */
    private static final double WORTH = 0.9;

    /**
     * The budgets that would suffice.
     *
     * @param least the curve with the least budget
     * @param once the cost of computing everything once
     */
    record Enough(Curve least, Curve.Point knee, double once) {
        @Override
        public String toString() {
            long bytes = least.ownLeast();
            var text = Budget.show(bytes);
            var cost = least.leastPoint(once, 0).map(Curve.Point::cost);
            if (cost.isEmpty() || once <= 0) return text;
            text += ", at " + times(cost.get()) + " times the time of keeping everything";
            return knee.bytes() > bytes && knee.cost() < WORTH * cost.get()
                    ? text + "; with " + Budget.show(knee.bytes()) + " it is " + times(knee.cost())
                    : text;
        }

        private String times(double cost) {
            return String.format(Locale.ROOT, "%.3g", cost / once);
        }
    }

    /** Names the step at which the smallest plan is largest. */
    static OverBudgetException of(long bytes, Enough enough, Curve curve, SearchModel model) {
        var smallest = curve.members().stream().min(Comparator.comparingLong(Member::peak));
        var way =
                smallest.flatMap(Member::largest)
                        .map(n -> inTheWay(n, model.problem))
                        .orElse("its parameters");
        long worker = curve.workers().least();
        return new OverBudgetException(
                "a budget of "
                        + Budget.show(bytes)
                        + " is too small: the least that works is "
                        + enough
                        + ". The step that needs most is "
                        + way
                        + (worker > 0
                                ? "; buffers of the device take "
                                        + Budget.show(worker)
                                        + ", even with a single worker"
                                : "")
                        + (model.paramBytes > 0
                                ? "; parameters take " + Budget.show(model.paramBytes) + " in all"
                                : "")
                        + model.problem.places().stream()
                                .map(p -> "; " + p.name() + " holds " + Budget.show(p.bytes()))
                                .collect(Collectors.joining()),
                enough.least.ownLeast());
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
