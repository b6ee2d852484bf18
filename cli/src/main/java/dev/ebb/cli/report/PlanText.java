package dev.ebb.cli.report;

import dev.ebb.cli.option.BudgetText;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.SequencedMap;

/** A plan in a few lines for people, as {@code ebb plan} prints it. */
public final class PlanText {
    private PlanText() {}

    /**
     * The names and figures of a plan.
     *
     * @param least the least budget; the line is left out where it is not known yet
     */
    public static SequencedMap<String, String> lines(Planned p, OptionalLong least) {
        var plan = p.plan();
        var lines = new LinkedHashMap<String, String>();
        lines.put("budget", BudgetText.show(p.budgetBytes()));
        lines.put("promised", BudgetText.show(p.promisedBytes()));
        lines.put(
                "workers", p.workers() + ", which own " + BudgetText.show(p.ownBytes()) + " of it");
        lines.put("store all", BudgetText.show(p.storeAllBytes()));
        if (least.isPresent()) lines.put("least budget", BudgetText.show(least.getAsLong()));
        lines.put(
                "time",
                String.format(
                        Locale.ROOT,
                        "%.4f of computing everything once",
                        plan.cost() / plan.curve().storeAllCost()));
        lines.put("gap", String.format(Locale.ROOT, "at most %.2f %%", 100 * plan.gap()));
        lines.put(
                "steps",
                plan.schedule().steps().size()
                        + ", "
                        + plan.schedule().footprint().recomputed()
                        + " computations again");
        if (p.diskBytes() > 0) lines.put("on the disk", BudgetText.show(p.diskBytes()));
        return lines;
    }
}
