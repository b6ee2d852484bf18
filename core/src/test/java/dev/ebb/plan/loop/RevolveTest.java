package dev.ebb.plan.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.math.BigInteger;

class RevolveTest {

    @Test
    void takesAsManyForwardStepsAsTheFormulaSays() {
        for (int n = 2; n <= 150; n++) {
            for (int s = 1; s < n; s++) {
                long expected = expected(n, s);
                var footprint = Revolve.schedule(n, s).footprint();
                assertThat(footprint.forwards()).as("%s steps, %s slots", n, s).isEqualTo(expected);
                assertThat(footprint.slots()).isLessThanOrEqualTo(s);
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
        assertThat(Revolve.schedule(100_000, 100_000).footprint().forwards()).isEqualTo(199_999);
    }

    @Test
    void needsASlot() {
        assertThatThrownBy(() -> Revolve.schedule(3, 0)).hasMessageContaining("slot");
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
