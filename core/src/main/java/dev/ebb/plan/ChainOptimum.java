package dev.ebb.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The cheapest schedule of a chain of unequal stages in a bound of memory, when a stage may save
 * either the state it starts from or all its backward step needs (Beaumont, Eyraud-Dubois,
 * Herrmann, Joly and Shilova, "rotor", 2019). The dynamic programme asks, for every stretch of
 * stages and every amount of memory: tape the first stage and go on with what is left, or run ahead
 * to some later state, save that, do the rest first and come back? Optimal among schedules that
 * keep what they save until it has been used.
 *
 * <p>Memory is counted in units; sizes are rounded up to them, so a schedule always fits, and is
 * optimal if all sizes are multiples of the unit. Time grows with the cube of the stages times the
 * units in the bound.
 */
public final class ChainOptimum {
    private static final int TAPE = -1;
    private static final int NONE = -2;

    private final Chain chain;
    private final int n;
    private final int units;
    private final int[] state;
    private final int[] tape;
    private final int[] forwardWork;
    private final int[] backwardWork;
    private final double[][][] best;
    private final int[][][] choice;

    /**
     * Solves {@code chain} for {@code bytes}, of which its input and the last gradient take their
     * part.
     */
    public ChainOptimum(Chain chain, long bytes, long unit) {
        if (unit <= 0 || bytes < 0 || bytes / unit > 100_000) {
            throw new IllegalArgumentException(
                    bytes + " bytes cannot be counted in units of " + unit);
        }
        this.chain = chain;
        n = chain.length();
        units = (int) ((bytes - Math.min(bytes, round(chain.inputBytes(), unit) * unit)) / unit);
        state = new int[n + 1];
        tape = new int[n];
        forwardWork = new int[n];
        backwardWork = new int[n];
        for (int k = 0; k <= n; k++) state[k] = round(chain.stateBytes(k), unit);
        for (int k = 0; k < n; k++) {
            var stage = chain.stages().get(k);
            tape[k] = round(stage.tapeBytes(), unit);
            forwardWork[k] = round(stage.forwardWorkspace(), unit);
            backwardWork[k] = round(stage.backwardWorkspace(), unit);
        }
        best = new double[n][n][];
        choice = new int[n][n][];
        boolean possible = bytes >= round(chain.inputBytes(), unit) * unit;
        for (int length = 1; possible && length <= n; length++) {
            for (int from = 0; from + length <= n; from++) solve(from, from + length - 1);
        }
    }

    private static int round(long bytes, long unit) {
        return (int) Math.min(Integer.MAX_VALUE / 8, Math.ceilDiv(bytes, unit));
    }

    /** What the cheapest schedule costs; infinite if there is none. */
    public double cost() {
        if (n == 0) return 0;
        return best[0][n - 1] == null ? Double.POSITIVE_INFINITY : best[0][n - 1][units];
    }

    /** The cheapest schedule. */
    public ChainSchedule schedule() {
        if (cost() == Double.POSITIVE_INFINITY) {
            throw new OverBudgetException("no schedule of the chain fits", Long.MAX_VALUE);
        }
        var steps = new ArrayList<ChainStep>();
        if (n > 0) write(0, n - 1, units, steps);
        return new ChainSchedule(chain, steps);
    }

    /**
     * Stages {@code from..to}: state {@code from} is held by others, the gradient of the last state
     * is not.
     */
    private void solve(int from, int to) {
        var costs = new double[units + 1];
        var choices = new int[units + 1];
        Arrays.fill(costs, Double.POSITIVE_INFINITY);
        Arrays.fill(choices, NONE);
        int gradient = state[to + 1];
        var first = chain.stages().get(from);
        int taping =
                Math.max(
                        gradient + tape[from] + forwardWork[from],
                        state[from + 1] + tape[from] + state[from] + backwardWork[from]);
        for (int m = taping; m <= units; m++) {
            double rest = from == to ? 0 : best[from + 1][to][m - tape[from]];
            double cost = first.forward() + rest + first.backward();
            if (cost < costs[m]) {
                costs[m] = cost;
                choices[m] = TAPE;
            }
        }
        double ahead = 0;
        int running = 0;
        for (int middle = from + 1; middle <= to; middle++) {
            int k = middle - 1;
            ahead += chain.stages().get(k).forward();
            running =
                    Math.max(
                            running,
                            gradient + (k == from ? 0 : state[k]) + state[middle] + forwardWork[k]);
            for (int m = Math.max(running, state[middle]); m <= units; m++) {
                double cost = ahead + best[middle][to][m - state[middle]] + best[from][k][m];
                if (cost < costs[m]) {
                    costs[m] = cost;
                    choices[m] = middle;
                }
            }
        }
        best[from][to] = costs;
        choice[from][to] = choices;
    }

    private void write(int from, int to, int memory, List<ChainStep> steps) {
        int chosen = choice[from][to][memory];
        if (chosen == TAPE) {
            steps.add(new ChainStep.Tape(from));
            if (from < to) write(from + 1, to, memory - tape[from], steps);
            steps.add(new ChainStep.Backward(from));
            return;
        }
        for (int k = from; k < chosen; k++) steps.add(new ChainStep.Forward(k));
        steps.add(new ChainStep.Save(chosen));
        write(chosen, to, memory - state[chosen], steps);
        write(from, chosen - 1, memory, steps);
    }
}
