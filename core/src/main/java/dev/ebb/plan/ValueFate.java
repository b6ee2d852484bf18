package dev.ebb.plan;

import dev.ebb.ir.Node;
import dev.ebb.ir.Value;

import java.util.ArrayList;

/**
 * What a plan does with one computed value: how often it is computed, rebuilt from what came after
 * it and fetched from the disk, for how many steps it lies in memory, and why.
 *
 * @param crossing whether it is made in the forward half and read in the backward half
 */
public record ValueFate(
        Value value,
        Node node,
        long bytes,
        int computed,
        int rebuilt,
        int fetched,
        int present,
        boolean crossing,
        String reason) {

    /** Whether it is computed once and needs no way back. */
    public boolean stayed() {
        return computed == 1 && rebuilt == 0 && fetched == 0;
    }

    /** Whether it is one that the explanation of a plan lists. */
    public boolean matters() {
        return !stayed() || crossing;
    }

    /** How it is there when it is read. */
    public String way() {
        if (stayed()) return "once, kept";
        var ways = new ArrayList<String>();
        ways.add(computed == 1 ? "once" : computed + " times");
        if (rebuilt > 0) ways.add("rebuilt " + rebuilt + " x");
        if (fetched > 0) ways.add("fetched " + fetched + " x");
        return String.join(", ", ways);
    }

    ValueFate because(String why) {
        return new ValueFate(
                value, node, bytes, computed, rebuilt, fetched, present, crossing, why);
    }
}
