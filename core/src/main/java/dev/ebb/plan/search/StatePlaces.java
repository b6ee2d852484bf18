package dev.ebb.plan.search;

import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Binding;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;

/**
 * Chooses the places of parameters that start, and results that end, outside the arena: all of them
 * in the last place that can hold them all, which leaves nearer places to values moved in between;
 * otherwise each in the first place in which it fits. A state and its next version share the same
 * bytes.
 */
final class StatePlaces {
    private final SearchModel model;

    /** The values that share their bytes. */
    private final List<int[]> groups = new ArrayList<>();

    StatePlaces(SearchModel model, int[] moved) {
        this.model = model;
        var leaving = Arrays.stream(moved).filter(this::mayLeave).toArray();
        var paired = new HashSet<Integer>();
        for (int v : leaving) {
            if (v < model.params
                    && model.problem.bindings().get(v) instanceof Binding.Replaced(int r)) {
                int next = number(leaving, model.problem.graph().results().get(r));
                groups.add(new int[] {v, next});
                paired.add(v);
                paired.add(next);
            }
        }
        for (int v : leaving) if (!paired.contains(v)) groups.add(new int[] {v});
    }

    /** Whether {@code v} may start or end outside the arena. */
    private boolean mayLeave(int v) {
        boolean result = model.problem.graph().results().contains(model.values[v]);
        if (v >= model.params) return result && model.place[v] < 0;
        // a parameter that a result must overwrite stays
        boolean taken = Arrays.stream(model.place).anyMatch(p -> p == v);
        return !result && !(taken && model.problem.bindings().get(v) instanceof Binding.Replaced);
    }

    private int number(int[] leaving, Value result) {
        for (int v : leaving) if (model.values[v].equals(result)) return v;
        throw new IllegalStateException(result + " cannot end outside the arena");
    }

    /** Assigns a place to all of them; false if they do not fit. */
    boolean choose() {
        long all = 0;
        for (int[] group : groups) all += model.bytes[group[0]];
        var places = model.problem.places();
        for (int k = places.size() - 1; k >= 0; k--) {
            if (!model.uses(k) || all > places.get(k).bytes()) continue;
            for (int[] group : groups) for (int v : group) model.leave(v, k);
            return true;
        }
        var left = new long[places.size()];
        for (int k = 0; k < left.length; k++) left[k] = model.uses(k) ? places.get(k).bytes() : -1;
        for (int[] group : groups) {
            int k = 0;
            while (k < left.length && left[k] < model.bytes[group[0]]) k++;
            if (k == left.length) return false;
            left[k] -= model.bytes[group[0]];
            for (int v : group) model.leave(v, k);
        }
        return true;
    }
}
