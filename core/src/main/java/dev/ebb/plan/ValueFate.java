package dev.ebb.plan;

import dev.ebb.ir.Node;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.ValueHistory;

import java.util.ArrayList;

/**
 * What a plan does with one computed value, and why.
 *
 * @param crossing whether it is computed in the forward half and read in the backward half
 */
public record ValueFate(
        Value value, Node node, long bytes, ValueHistory history, boolean crossing, String reason) {

    public int computed() {
        return history.computed();
    }

    /** Whether the value is computed once and stays in memory until its last use. */
    public boolean stayed() {
        return computed() == 1 && history.rebuilt() == 0 && history.fetched().isEmpty();
    }

    /** Whether the explanation of a plan lists the value. */
    public boolean matters() {
        return !stayed() || crossing;
    }

    /** How the value is available when it is read. */
    public String way() {
        if (stayed()) return "once, kept";
        var ways = new ArrayList<String>();
        ways.add(computed() == 1 ? "once" : computed() + " times");
        if (history.rebuilt() > 0) ways.add("rebuilt " + history.rebuilt() + " x");
        if (!history.fetched().isEmpty()) ways.add("fetched " + history.fetched().size() + " x");
        return String.join(", ", ways);
    }

    ValueFate because(String why) {
        return new ValueFate(value, node, bytes, history, crossing, why);
    }
}
