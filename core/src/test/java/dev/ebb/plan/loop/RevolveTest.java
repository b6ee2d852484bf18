package dev.ebb.plan.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.math.BigInteger;
import java.util.HashSet;

class RevolveTest {

    @Test
    void takesAsManyForwardStepsAsTheFormulaSays() {
        for (int n = 2; n <= 150; n++) {
            for (int s = 1; s < n; s++) {
                long expected = expected(n, s);
                var schedule = Revolve.schedule(n, s);
                assertThat(forwards(schedule)).as("%s steps, %s slots", n, s).isEqualTo(expected);
                assertThat(slots(schedule)).isLessThanOrEqualTo(s);
                assertThat(Revolve.forwards(n, s)).isEqualTo(expected);
            }
        }
    }

    @Test
    void isOptimal() {
        int most = 40;
        var least = new long[most + 1][most + 1];
        for (int s = 1; s <= most; s++) {
            for (int n = 1; n <= most; n++) {
                least[n][s] = (long) n * (n + 1) / 2;
                for (int j = 1; s > 1 && j < n; j++) {
                    least[n][s] = Math.min(least[n][s], j + least[n - j][s - 1] + least[j][s]);
                }
                assertThat(Revolve.forwards(n, s)).isEqualTo(least[n][s]);
            }
        }
    }

    @Test
    void countsLongChainsWithoutOverflow() {
        assertThat(Revolve.forwards(1_000_000, 20)).isBetween(5_000_000L, 8_000_000L);
        assertThat(forwards(Revolve.schedule(100_000, 100_000))).isEqualTo(199_999);
    }

    @Test
    void needsASlot() {
        assertThatThrownBy(() -> Revolve.schedule(3, 0)).hasMessageContaining("slot");
    }

    /** The forward steps that a schedule takes, taped ones included. */
    private static long forwards(ChainSchedule schedule) {
        return schedule.steps().stream()
                .filter(s -> s instanceof ChainStep.Forward || s instanceof ChainStep.Tape)
                .count();
    }

    /** The most states that a schedule saves at once, the initial one included. */
    private static int slots(ChainSchedule schedule) {
        int now = 1;
        int most = 1;
        var saved = new HashSet<Integer>();
        for (var step : schedule.steps()) {
            if (step instanceof ChainStep.Save(int k) && saved.add(k)) now++;
            if (step instanceof ChainStep.Backward(int k) && saved.remove(k)) now--;
            most = Math.max(most, now);
        }
        return most;
    }

    private static long expected(int n, int s) {
        int r = 0;
        while (choose(s + r, s).compareTo(BigInteger.valueOf(n)) < 0) r++;
        return (long) n * (r + 1) - choose(s + r, s + 1).longValueExact();
    }

    private static BigInteger choose(int n, int k) {
        var product = BigInteger.ONE;
        if (k > n) return BigInteger.ZERO;
        for (int i = 1; i <= k; i++) {
            product = product.multiply(BigInteger.valueOf(n - k + i)).divide(BigInteger.valueOf(i));
        }
        return product;
    }
}
