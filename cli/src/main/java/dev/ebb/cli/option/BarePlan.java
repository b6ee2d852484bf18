package dev.ebb.cli.option;

import dev.ebb.plan.Budget;
import dev.ebb.plan.Curve;
import dev.ebb.plan.Plan;
import dev.ebb.plan.schedule.Step;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.SequencedMap;

/**
 * A plan of a bare graph. The budget limits the bytes that are in memory at the same time;
 * percentages are of the store-all peak.
 */
public record BarePlan(Plan plan) {

    /**
     * The cheapest plan that fits; throws an {@link dev.ebb.plan.OverBudgetException} with the
     * smallest budget if none does.
     */
    public static BarePlan of(BareGraph graph, Budget budget) {
        return new BarePlan(curve(graph).at(budget));
    }

    /** The curve of all plans, which serves requests for several budgets with one search. */
    public static Curve curve(BareGraph graph) {
        return new Curve(graph.problem(), BareGraph.cost(), Curve.Measure.LIVE);
    }

    /** The lines that the command prints. */
    public String text() {
        var text = new StringBuilder();
        lines(OptionalLong.of(plan.leastBytes()))
                .forEach((name, figure) -> text.append(String.format("%-13s%s%n", name, figure)));
        return text.toString();
    }

    /**
     * The names and texts of these lines.
     *
     * @param least the smallest budget; its line is left out if it is not known yet
     */
    public SequencedMap<String, String> lines(OptionalLong least) {
        double once = plan.storeAllCost();
        double times = once == 0 ? 1 : plan.cost() / once;
        var lines = new LinkedHashMap<String, String>();
        lines.put("peak", Budget.show(plan.peakBytes()));
        lines.put("store all", Budget.show(plan.storeAllBytes()));
        least.ifPresent(bytes -> lines.put("least budget", Budget.show(bytes)));
        var share = String.format(Locale.ROOT, " (%.5f x computing everything once)", times);
        lines.put("cost", number(plan.cost()) + share);
        var gap = String.format(Locale.ROOT, ", gap %.3f %%", 100 * plan.gap());
        lines.put("lower bound", number(plan.lowerBound()) + gap);
        var schedule = plan.schedule();
        lines.put(
                "steps",
                schedule.steps().size()
                        + ", "
                        + schedule.footprint().recomputed()
                        + " recomputations");
        return lines;
    }

    /** The JSON fields {@code peak, cost, lower_bound, gap, least_budget, steps}. */
    public String json() {
        var out = new StringBuilder("{\n");
        out.append("  \"peak\": ").append(plan.peakBytes()).append(",\n");
        out.append("  \"cost\": ").append(number(plan.cost())).append(",\n");
        out.append("  \"lower_bound\": ").append(number(plan.lowerBound())).append(",\n");
        out.append("  \"gap\": ").append(number(plan.gap())).append(",\n");
        out.append("  \"least_budget\": ").append(plan.leastBytes()).append(",\n");
        out.append("  \"steps\": [");
        var steps = plan.schedule().steps();
        for (int i = 0; i < steps.size(); i++) {
            out.append(i == 0 ? "\n    " : ",\n    ");
            switch (steps.get(i)) {
                case Step.Compute(var node, _) ->
                        out.append("{\"compute\": ").append(BareGraph.item(node).id()).append('}');
                case Step.Invert _, Step.Offload _, Step.Fetch _ ->
                        throw new IllegalStateException(
                                "a bare graph knows no inverses and no disk");
                case Step.Free(var value) ->
                        out.append("{\"free\": ").append(item(value.id()).id()).append('}');
            }
        }
        return out.append("\n  ]\n}\n").toString();
    }

    /** The item of a value; a value of a bare graph has the number of the node that computes it. */
    private BareGraph.Item item(int value) {
        return BareGraph.item(plan.schedule().problem().graph().nodes().get(value));
    }

    private static String number(double x) {
        return x == Math.rint(x) && Math.abs(x) < 1e15
                ? Long.toString((long) x)
                : Double.toString(x);
    }
}
