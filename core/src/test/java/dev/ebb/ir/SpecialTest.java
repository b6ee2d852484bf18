package dev.ebb.ir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SpecialTest {
    @ParameterizedTest
    @ValueSource(
            doubles = {1e-9, 0.1, 0.5, 0.8999, 0.9001, 0.95, 0.99, 0.999, 0.9999999, 1 - 1e-15})
    void the_inverse_of_the_error_function_leads_back(double y) {
        for (double sign : new double[] {1, -1}) {
            double x = Special.erfinv(sign * y);
            assertThat(Math.signum(x)).isEqualTo(sign);
            assertThat(Special.erf(Math.abs(x))).isCloseTo(y, within(1e-15 + 1e-12 * y));
            assertThat(Special.erfc(Math.abs(x))).isCloseTo(1 - y, within(1e-15 + 1e-12 * (1 - y)));
        }
    }

    @Test
    void functions_at_the_ends_of_their_domains() {
        assertThat(Special.apply(Scalar.Fn1.ACOSH, -1e30)).isNaN();
        assertThat(Special.apply(Scalar.Fn1.ACOSH, 0.5)).isNaN();
        assertThat(Special.apply(Scalar.Fn1.ACOSH, 1)).isZero();
        assertThat(Special.apply(Scalar.Fn1.ACOSH, 1e200))
                .isCloseTo(461.2101657793691, within(1e-12));
        assertThat(Special.apply(Scalar.Fn1.ACOSH, Double.POSITIVE_INFINITY)).isInfinite();
        assertThat(Special.lgamma(Double.POSITIVE_INFINITY)).isInfinite();
    }
}
