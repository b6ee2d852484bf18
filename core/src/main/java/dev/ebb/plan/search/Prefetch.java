package dev.ebb.plan.search;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Decides where in a sequence fetches start, by following the sequence in time. The fetches of a
 * lane run in the order in which their values are read. Each starts when its lane has nothing else
 * to do, so early that it and those behind it arrive in time, and never before there is memory for
 * it in all steps until it is read.
 */
final class Prefetch {
    /**
     * A fetch starts at most this many times its own duration before it must, if its lane is idle.
     */
    private static final double AHEAD = 6;

    private final SearchModel model;
    private final long bound;

    /** The works other than fetches, in their order, and the memory during each. */
    private final int[] steps;

    private final long[] memory;
    private int count;

    /** The fetches, the step before which each must start, and the first step at which it can. */
    private final int[] fetch;

    private final int[] need;
    private final int[] earliest;
    private int fetches;

    /** The values that die with each step and are being stored then. */
    private final int[][] dying;

    /** When each fetch must start, in the time of the computation alone. */
    private final double[] latest;

    private final double[] begins;
    private final double[] arrives;
    private final double[] written;
    private final double[] idle;
    private double now;

    private Prefetch(SearchModel model, int[] sequence, long bound) {
        this.model = model;
        this.bound = bound;
        int length = sequence.length;
        steps = new int[length];
        memory = new long[length];
        fetch = new int[length];
        need = new int[length];
        earliest = new int[length];
        dying = new int[length][];
        latest = new double[length];
        begins = new double[length + 1];
        arrives = new double[model.values.length];
        written = new double[model.values.length];
        idle = new double[2 * model.problem.places().size()];
        split(sequence);
    }

    /** The same works with every fetch at its best starting point. */
    static int[] in(SearchModel model, int[] sequence, long bound) {
        return new Prefetch(model, sequence, bound).placed();
    }

    private boolean isFetch(int u) {
        return model.isTransfer(u) && !model.isStore(u);
    }

    /** The lane of a transfer. */
    private int lane(int u) {
        boolean out = model.isStore(u) || !model.placeOf(u).isTwoWay();
        return 2 * model.placeNumber(u) + (out ? 1 : 0);
    }

    private void split(int[] sequence) {
        var reading = new int[model.values.length];
        Arrays.fill(reading, -1);
        var used = new int[model.values.length];
        for (int u : sequence) {
            if (isFetch(u)) {
                int v = model.out[u][0];
                fetch[fetches] = u;
                earliest[fetches] = Math.max(used[v], used[model.in[u][0]]);
                need[fetches] = -1;
                reading[v] = fetches++;
                continue;
            }
            for (int x : model.in[u]) {
                if (reading[x] >= 0) need[reading[x]] = count;
                reading[x] = -1;
                used[x] = count + 1;
            }
            for (int o : model.out[u]) used[o] = count + 1;
            steps[count++] = u;
        }
        for (int f = 0; f < fetches; f++) if (need[f] < 0) need[f] = count;
        sort();
        var lazy = new int[sequence.length];
        int length = 0;
        int f = 0;
        for (int s = 0; s <= count; s++) {
            while (f < fetches && need[f] == s) lazy[length++] = fetch[f++];
            if (s < count) lazy[length++] = steps[s];
        }
        var replay = new Liveness(model);
        if (!replay.replay(lazy, length) || replay.length != length)
            throw new IllegalStateException("an order that cannot be run");
        int s = 0;
        for (int i = 0; i < length; i++) if (!isFetch(lazy[i])) memory[s++] = replay.memory[i];
        findDying(lazy, length);
        times();
    }

    private void sort() {
        var order =
                IntStream.range(0, fetches)
                        .boxed()
                        .sorted(Comparator.comparingInt(f -> need[f]))
                        .mapToInt(f -> f)
                        .toArray();
        for (int[] a : new int[][] {fetch, need, earliest}) {
            var old = Arrays.copyOf(a, fetches);
            for (int f = 0; f < fetches; f++) a[f] = old[order[f]];
        }
    }

    private void findDying(int[] lazy, int length) {
        var stored = new boolean[model.values.length];
        for (int i = 0; i < length; i++)
            if (model.isStore(lazy[i])) stored[model.in[lazy[i]][0]] = true;
        var live = model.pinned.clone();
        int s = count;
        for (int i = length - 1; i >= 0; i--) {
            int u = lazy[i];
            for (int o : model.out[u]) live[o] = false;
            if (!isFetch(u)) {
                dying[--s] =
                        Arrays.stream(model.in[u]).filter(x -> stored[x] && !live[x]).toArray();
            }
            for (int x : model.in[u]) live[x] = true;
        }
    }

    /**
     * Computes the time at which each step begins if nothing waits, and the latest start of each
     * fetch.
     */
    private void times() {
        for (int s = 0; s < count; s++)
            begins[s + 1] = begins[s] + (model.isTransfer(steps[s]) ? 0 : model.cost[steps[s]]);
        var next = new double[idle.length];
        Arrays.fill(next, Double.POSITIVE_INFINITY);
        for (int f = fetches - 1; f >= 0; f--) {
            int lane = lane(fetch[f]);
            next[lane] = Math.min(next[lane], begins[need[f]]) - model.cost[fetch[f]];
            latest[f] = next[lane];
        }
    }

    private int[] placed() {
        var placed = new int[count + fetches];
        int length = 0;
        var started = new boolean[fetches];
        var blocked = new int[fetches];
        var pending = new int[count + 1];
        int oldest = 0;
        int youngest = 0;
        long held = 0;
        int first = 0;
        for (int s = 0; s <= count; s++) {
            while (first < fetches && started[first]) first++;
            var closed = new boolean[idle.length];
            for (int f = first; f < fetches; f++) {
                if (started[f]) continue;
                int u = fetch[f];
                int lane = lane(u);
                int v = model.out[u][0];
                if (need[f] > s) {
                    if (closed[lane]) continue;
                    double step =
                            s < count && !model.isTransfer(steps[s]) ? model.cost[steps[s]] : 0;
                    boolean soon =
                            idle[lane] <= now + step + model.cost[u]
                                    && written[model.in[u][0]] <= Math.max(now, idle[lane])
                                    && begins[s] + step >= latest[f] - AHEAD * model.cost[u];
                    if (!soon || earliest[f] > s || blocked[f] > s || !fits(f, s, held, blocked)) {
                        closed[lane] = true;
                        if (allClosed(closed)) break;
                        continue;
                    }
                }
                started[f] = true;
                placed[length++] = u;
                for (int t = s; t < need[f]; t++) memory[t] += model.bytes[v];
                double ready = Math.max(now, written[model.in[u][0]]);
                arrives[v] = idle[lane] = Math.max(ready, idle[lane]) + model.cost[u];
            }
            if (s == count) break;
            while (oldest < youngest
                    && (written[pending[oldest]] <= now || memory[s] + held > bound)) {
                now = Math.max(now, written[pending[oldest]]);
                held -= model.bytes[pending[oldest++]];
            }
            placed[length++] = steps[s];
            run(steps[s]);
            for (int x : dying[s]) {
                if (written[x] > now && model.place[x] < 0 && youngest < count) {
                    pending[youngest++] = x;
                    held += model.bytes[x];
                }
            }
        }
        return Arrays.copyOf(placed, length);
    }

    private static boolean allClosed(boolean[] closed) {
        for (boolean c : closed) if (!c) return false;
        return true;
    }

    private boolean fits(int f, int s, long held, int[] blocked) {
        long bytes = model.bytes[model.out[fetch[f]][0]];
        if (s < count && memory[s] + held + bytes > bound) return false;
        for (int t = s; t < need[f]; t++) {
            if (memory[t] + bytes > bound) {
                blocked[f] = t + 1;
                return false;
            }
        }
        return true;
    }

    private void run(int u) {
        for (int x : model.in[u]) now = Math.max(now, arrives[x]);
        if (!model.isTransfer(u)) {
            now += model.cost[u];
            return;
        }
        int lane = lane(u);
        double end = Math.max(now, idle[lane]) + model.cost[u];
        idle[lane] = end;
        written[model.in[u][0]] = Math.max(end, written[model.in[u][0]]);
        written[model.out[u][0]] = end;
    }
}
