package dev.ebb.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.examples.Example17EarlyExercise.Market;
import dev.ebb.examples.Example17EarlyExercise.Size;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.List;

/** The long simulations, small, against the same written plainly. */
final class SimulationsTest {

    /** A put on one share that may be exercised at so many dates, by a binomial tree. */
    private static double tree(
            double spot, double volatility, double rate, double strike, double years, int dates) {
        int each = 40;
        int steps = each * dates;
        double up = Math.exp(volatility * Math.sqrt(years / steps));
        double growth = Math.exp(rate * years / steps);
        double chance = (growth - 1 / up) / (up - 1 / up);
        var value = new double[steps + 1];
        for (int step = steps; step >= 0; step--) {
            for (int i = 0; i <= step; i++) {
                double pays = Math.max(0, strike - spot * Math.pow(up, 2 * i - step));
                double hold =
                        step == steps
                                ? 0
                                : (chance * value[i + 1] + (1 - chance) * value[i]) / growth;
                value[i] = step % each == 0 && step > 0 ? Math.max(pays, hold) : hold;
            }
        }
        return value[0];
    }

    @Test
    void anOptionOnOneShareHasThePriceAndTheSlopesOfATree() {
        var market =
                new Market(
                        Array.of(36.0),
                        Array.of(0.2),
                        Array.of(new double[][] {{1}}),
                        Array.scalar(0.06),
                        Array.scalar(40.0),
                        Array.scalar(1.0));
        var size = new Size(20_000, 10);
        var priced = Example17EarlyExercise.run(market, size, Budget.mebibytes(8));
        var g = priced.greeks().grad();
        assertThat(priced.greeks().value().item())
                .isCloseTo(tree(36, 0.2, 0.06, 40, 1, 10), within(0.06));
        double e = 0.01;
        assertThat(g.spot().get(0))
                .isCloseTo(
                        (tree(36 + 36 * e, 0.2, 0.06, 40, 1, 10)
                                        - tree(36 - 36 * e, 0.2, 0.06, 40, 1, 10))
                                / (72 * e),
                        within(0.02));
        assertThat(g.volatility().get(0))
                .isCloseTo(
                        (tree(36, 0.2 + e, 0.06, 40, 1, 10) - tree(36, 0.2 - e, 0.06, 40, 1, 10))
                                / (2 * e),
                        within(0.6));
        assertThat(g.rate().item())
                .isCloseTo(
                        (tree(36, 0.2, 0.06 + e, 40, 1, 10) - tree(36, 0.2, 0.06 - e, 40, 1, 10))
                                / (2 * e),
                        within(0.6));
        assertThat(priced.report().measuredBytes()).isEqualTo(priced.report().promisedBytes());
        assertThat(Example17EarlyExercise.picture(priced.policy(), 40, 1)).contains("polyline");
    }

    @Test
    void aBasketHasTheSameBitsInLessMemory() {
        var size = new Size(500, 12);
        var all =
                Example17EarlyExercise.run(Example17EarlyExercise.market(), size, Budget.share(1));
        long least = 3 * all.report().promisedBytes() / 4;
        var less =
                Example17EarlyExercise.run(
                        Example17EarlyExercise.market(), size, Budget.bytes(least));
        assertThat(less.greeks().value().sameBits(all.greeks().value())).isTrue();
        assertThat(less.greeks().grad().spot().sameBits(all.greeks().grad().spot())).isTrue();
        assertThat(less.greeks().grad().correlation().sameBits(all.greeks().grad().correlation()))
                .isTrue();
    }

    @Test
    void theAdjointOfThePlateIsTheOneByHand() {
        int n = 12;
        int steps = 15;
        var found = Example18HeatAdjoint.adjoint(n, steps, Budget.share(1));
        assertThat(found.slopes().toDoubles()).containsExactly(plate(n, steps), within(1e-13));
        var less =
                Example18HeatAdjoint.adjoint(
                        n, steps, Budget.bytes(2 * found.report().promisedBytes() / 3));
        assertThat(less.slopes().sameBits(found.slopes())).isTrue();
        assertThat(Example18HeatAdjoint.picture(found.slopes(), 6)).hasSizeGreaterThan(60);
    }

    private static double around(double[] u, int n, int i, int j) {
        double sum = 0;
        if (i > 0) sum += u[(i - 1) * n + j];
        if (i < n - 1) sum += u[(i + 1) * n + j];
        if (j > 0) sum += u[i * n + j - 1];
        if (j < n - 1) sum += u[i * n + j + 1];
        return sum - 4 * u[i * n + j];
    }

    private static double[] plate(int n, int steps) {
        var states = new double[steps + 1][];
        states[0] = Example18HeatAdjoint.discs(n).toDoubles();
        for (int s = 0; s < steps; s++) {
            var u = states[s];
            states[s + 1] = new double[n * n];
            for (int k = 0; k < n * n; k++)
                states[s + 1][k] =
                        u[k] + 0.2 * around(u, n, k / n, k % n) - 2e-4 * Math.pow(u[k], 4);
        }
        var slope = new double[n * n];
        int from = n / 4;
        int to = n / 2;
        for (int i = from; i < to; i++)
            for (int j = from; j < to; j++) slope[i * n + j] = 1.0 / ((to - from) * (to - from));
        for (int s = steps - 1; s >= 0; s--) {
            var before = new double[n * n];
            for (int k = 0; k < n * n; k++)
                before[k] =
                        slope[k]
                                + 0.2 * around(slope, n, k / n, k % n)
                                - 8e-4 * Math.pow(states[s][k], 3) * slope[k];
            slope = before;
        }
        return slope;
    }

    @Test
    void theFirstEncounterIsWhereFineStepsFindIt() {
        double length = 0.01;
        var seen = Example19ThreeBodies.simulate(Example19ThreeBodies.start(), 220, length);
        var first = Example19ThreeBodies.encounters(seen, 0.2).getFirst();
        double[] expected = closest(Example19ThreeBodies.start().toDoubles());
        assertThat(first.pair()).isEqualTo(2);
        assertThat(first.when()).isCloseTo(expected[0], within(1e-6));
        assertThat(first.distance()).isCloseTo(expected[1], within(1e-6));
        Tensor slopes = Example19ThreeBodies.slopes(first, length, Budget.share(1)).byPlace();
        for (int k : List.of(0, 3)) {
            var more = Example19ThreeBodies.start().toDoubles();
            var less = more.clone();
            more[k] += 1e-4;
            less[k] -= 1e-4;
            assertThat(slopes.toDoubles()[k])
                    .isCloseTo((closest(more)[1] - closest(less)[1]) / 2e-4, within(1e-4));
        }
    }

    /** When masses 4 and 5 are closest first, and how close, by many steps. */
    private static double[] closest(double[] start) {
        double[] masses = {3, 4, 5};
        var y = new double[12];
        System.arraycopy(start, 0, y, 0, 6);
        double time = 0;
        double best = Double.MAX_VALUE;
        while (true) {
            double near = Math.hypot(y[4] - y[2], y[5] - y[3]);
            if (near > best) return new double[] {time, best};
            best = near;
            double h = 3e-4 * Math.pow(near, 1.5);
            var a = slope(y, masses);
            var b = slope(plus(y, a, h / 2), masses);
            var c = slope(plus(y, b, h / 2), masses);
            var d = slope(plus(y, c, h), masses);
            for (int i = 0; i < 12; i++) y[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
            time += h;
        }
    }

    private static double[] plus(double[] y, double[] slope, double h) {
        var sum = y.clone();
        for (int i = 0; i < sum.length; i++) sum[i] += h * slope[i];
        return sum;
    }

    private static double[] slope(double[] y, double[] masses) {
        var s = new double[12];
        System.arraycopy(y, 6, s, 0, 6);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                if (i == j) continue;
                double dx = y[2 * j] - y[2 * i];
                double dy = y[2 * j + 1] - y[2 * i + 1];
                double cube = Math.pow(Math.hypot(dx, dy), 3);
                s[6 + 2 * i] += masses[j] * dx / cube;
                s[7 + 2 * i] += masses[j] * dy / cube;
            }
        }
        return s;
    }
}
