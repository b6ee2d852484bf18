package dev.ebb.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The small Ebb of the guide keeps the promises of the large one. */
class TinyEbbTest {
    private static final double[] INPUT = {0.1, 0.5, 0.9, 1.3};

    private static double value(double x) {
        double y = x;
        for (int i = 0; i < 10; i++) y = Math.sin(y) * x;
        return y;
    }

    private static double[] slope(Example11TinyEbb.Plan plan) {
        return Example11TinyEbb.run(plan, INPUT);
    }

    @Test
    void theSlopeIsTheSlope() {
        var found = slope(Example11TinyEbb.compile(Example11TinyEbb::rounds, 4, 1 << 20));
        for (int i = 0; i < INPUT.length; i++) {
            double h = 1e-6;
            double expected = (value(INPUT[i] + h) - value(INPUT[i] - h)) / (2 * h);
            assertThat(found[i]).isCloseTo(expected, within(1e-8));
        }
    }

    @Test
    void everyBudgetGivesTheSameBitsOrIsRefused() {
        var all = Example11TinyEbb.compile(Example11TinyEbb::rounds, 4, 1 << 20);
        var expected = slope(all);
        int refused = 0;
        int less = 0;
        for (long budget = all.bytes(); budget > 0; budget -= 32) {
            try {
                var plan = Example11TinyEbb.compile(Example11TinyEbb::rounds, 4, budget);
                assertThat(plan.bytes()).isLessThanOrEqualTo(budget);
                assertThat(slope(plan)).isEqualTo(expected);
                if (plan.bytes() < all.bytes()) less++;
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageContaining("the least found is");
                refused++;
            }
        }
        assertThat(less).isPositive();
        assertThat(refused).isPositive();
    }

    @Test
    void aRefusalNamesTheLeast() {
        assertThatThrownBy(() -> Example11TinyEbb.compile(Example11TinyEbb::rounds, 4, 8))
                .hasMessageContaining("a budget of 8 bytes");
    }

    @Test
    void itHasAtMostThreeHundredLines() throws IOException {
        var file = Path.of("src/main/java/dev/ebb/examples/Example11TinyEbb.java");
        assertThat(Files.readAllLines(file)).hasSizeLessThanOrEqualTo(300);
    }
}
