package dev.ebb.plan.search;

import java.util.Arrays;

/** What each work of a model overwrites: its inputs, and copies outside the arena. */
final class Overwrites {
    private final SearchModel model;
    private final boolean[] taken;

    /** The inputs that each work must overwrite. */
    final int[][] forced;

    /** The inputs that each work may overwrite, each followed by the output that would. */
    final int[][] free;

    /**
     * For each work the fetch that must not follow it, because the work overwrites the value that
     * the fetch reads; -1 for none.
     */
    final int[] ended;

    Overwrites(SearchModel model) {
        this.model = model;
        taken = new boolean[model.values.length];
        forced = new int[model.works][];
        free = new int[model.works][];
        ended = new int[model.works];
        for (int u = 0; u < model.works; u++) {
            sortPairs(u);
            ended[u] = model.isStore(u) && model.in[u].length > 0 ? model.ended(u) : -1;
        }
    }

    /** Sorts the pairs of {@code u} into mandatory and optional overwrites. */
    private void sortPairs(int u) {
        int[] pairs = model.reuse[u];
        if (pairs.length == 0) {
            forced[u] = pairs;
            free[u] = pairs;
            return;
        }
        var must = new int[pairs.length / 2];
        int count = 0;
        for (int k = 0; k < pairs.length; k += 2) {
            if (model.place[pairs[k + 1]] < 0 || model.place[pairs[k + 1]] != pairs[k]) continue;
            must[count++] = pairs[k];
            taken[pairs[k]] = true;
            taken[pairs[k + 1]] = true;
        }
        var may = new int[pairs.length];
        int left = 0;
        for (int k = 0; k < pairs.length; k += 2) {
            if (taken[pairs[k]] || taken[pairs[k + 1]]) continue;
            may[left++] = pairs[k];
            may[left++] = pairs[k + 1];
        }
        for (int v : pairs) taken[v] = false;
        forced[u] = Arrays.copyOf(must, count);
        free[u] = Arrays.copyOf(may, left);
    }
}
