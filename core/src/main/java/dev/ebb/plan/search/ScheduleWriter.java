package dev.ebb.plan.search;

import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.LateFrees;
import dev.ebb.plan.schedule.Schedule;
import dev.ebb.plan.schedule.Step;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writes a sequence of computations as a schedule: each value is freed after its last use, or
 * overwritten in place.
 */
public final class ScheduleWriter {
    private final SearchModel model;
    private final boolean[] live;

    private ScheduleWriter(SearchModel model) {
        this.model = model;
        live = model.pinned.clone();
    }

    public static Schedule of(SearchModel model, int[] sequence) {
        var schedule = new Schedule(model.problem, new ScheduleWriter(model).write(sequence));
        return model.mayMove() ? LateFrees.in(schedule, model.costs, inPlace(model)) : schedule;
    }

    /** The predicted time of the schedule of a sequence with this peak. */
    static double time(SearchModel model, int[] sequence, long peak) {
        var steps = new ScheduleWriter(model).write(sequence);
        return LateFrees.time(model.problem, steps, peak, model.costs, inPlace(model));
    }

    private static Set<Value> inPlace(SearchModel model) {
        var inPlace = new HashSet<Value>();
        for (int v = 0; v < model.values.length; v++)
            if (model.place[v] >= 0) inPlace.add(model.values[v]);
        return inPlace;
    }

    private List<Step> write(int[] sequence) {
        var backwards = new ArrayList<Step>(4 * sequence.length);
        for (int i = sequence.length - 1; i >= 0; i--) {
            int u = sequence[i];
            var reuses = new ArrayList<Step.Reuse>();
            var gone =
                    Arrays.stream(model.in[u])
                            .filter(x -> !live[x])
                            .boxed()
                            .collect(Collectors.toCollection(ArrayList::new));
            for (boolean forced : new boolean[] {true, false}) reuse(u, forced, gone, reuses);
            for (int o : model.out[u]) if (!live[o]) free(o, backwards);
            for (int x : gone.reversed()) free(x, backwards);
            backwards.add(step(u, reuses));
            for (int o : model.out[u]) live[o] = false;
            for (int x : model.in[u]) live[x] = true;
        }
        for (int p = model.params - 1; p >= 0; p--) {
            if (!live[p] && model.initial[p]) free(p, backwards);
        }
        return backwards.reversed();
    }

    private void free(int v, List<Step> backwards) {
        if (model.original[v] < 0) backwards.add(new Step.Free(model.values[v]));
    }

    private Step step(int u, List<Step.Reuse> reuses) {
        int n = model.nodes.size();
        if (u < n) return new Step.Compute(model.nodes.get(u), reuses);
        if (!model.isTransfer(u))
            return new Step.Invert(model.problem.inversions().get(u - n), reuses);
        return model.isStore(u)
                ? new Step.Offload(model.values[model.in[u][0]], model.placeOf(u))
                : new Step.Fetch(model.values[model.out[u][0]], model.placeOf(u));
    }

    /**
     * Removes from the dying values those that outputs can overwrite; a result goes into its own
     * memory only.
     */
    private void reuse(int u, boolean forced, List<Integer> gone, List<Step.Reuse> reuses) {
        int[] pairs = model.reuse[u];
        for (int k = 0; k < pairs.length; k += 2) {
            int from = pairs[k];
            int into = pairs[k + 1];
            if (forced ? model.place[into] != from : model.place[into] >= 0) continue;
            boolean done = reuses.stream().anyMatch(r -> r.into().equals(model.values[into]));
            if (!done && gone.removeIf(x -> x == from)) {
                reuses.add(new Step.Reuse(model.values[from], model.values[into]));
            }
        }
    }
}
