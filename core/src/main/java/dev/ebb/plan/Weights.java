package dev.ebb.plan;

import dev.ebb.ir.Pace;

/** What stretches of rounds cost, by sums made once. */
final class Weights {
    private final double[] sums;
    private final double[] sumsOfSums;

    Weights(Pace pace) {
        int n = pace.weights().size();
        sums = new double[n + 1];
        sumsOfSums = new double[n + 2];
        for (int i = 0; i < n; i++) sums[i + 1] = sums[i] + pace.weights().get(i);
        for (int i = 0; i <= n; i++) sumsOfSums[i + 1] = sumsOfSums[i] + sums[i];
    }

    int size() {
        return sums.length - 1;
    }

    /** Rounds {@code [from, to)}, once each. */
    double between(int from, int to) {
        return sums[to] - sums[from];
    }

    /** Rounds {@code [from, to)}, begun again from the first for every one of them. */
    double again(int from, int to) {
        return sumsOfSums[to + 1] - sumsOfSums[from + 1] - (to - from) * sums[from];
    }
}
