package dev.ebb.science;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Differences;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.science.Interpolation.Ends;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Random;

/** Values of curves are those of SciPy 1.17 ({@code CubicSpline}, {@code PchipInterpolator}). */
class InterpolationTest {
    private static final Array XS = Array.of(0.0, 0.7, 1.1, 2.0, 3.5, 4.0);
    private static final Array YS = Array.of(1.0, 2.5, 2.4, 0.3, 0.5, 3.0);
    private static final Array AT = Array.of(-0.2, 0.0, 0.35, 0.7, 1.5, 2.9, 3.99, 4.3);

    private static final double[] LINEAR = {
        0.5714285714285714,
        1.0,
        1.75,
        2.5,
        1.4666666666666668,
        0.42,
        2.950000000000001,
        4.499999999999999
    };
    private static final double[] NATURAL = {
        0.4494435510963115,
        1.0,
        1.9243369248915216,
        2.5,
        1.6137073564008386,
        -0.7667049639388781,
        2.9445069939320905,
        4.60550791967176
    };
    private static final double[] NOT_A_KNOT = {
        0.22267068230048595,
        1.0,
        1.9996725686480465,
        2.5,
        1.612507047118905,
        -0.6717243641998183,
        2.9344278287463186,
        5.290559176703197
    };
    private static final double[] PCHIP = {
        0.22543069175722227,
        1.0,
        2.0707386363636364,
        2.5,
        1.4737495449805962,
        0.3629676092544987,
        2.9373955960582707,
        4.083243187660668
    };

    @Test
    void searching_counts_what_is_less() {
        var random = new Random(5);
        for (int n : new int[] {1, 2, 3, 7, 8, 9, 64, 100}) {
            var sorted = random.ints(n, 0, 2 * n).sorted().asDoubleStream().toArray();
            var asked = random.ints(50, -1, 2 * n + 1).asDoubleStream().toArray();
            var left = Search.sorted(Array.of(sorted), Array.of(asked), Search.Side.LEFT).toInts();
            var right =
                    Search.sorted(Array.of(sorted), Array.of(asked), Search.Side.RIGHT).toInts();
            for (int i = 0; i < asked.length; i++) {
                double x = asked[i];
                assertThat(left[i])
                        .isEqualTo((int) Arrays.stream(sorted).filter(s -> s < x).count());
                assertThat(right[i])
                        .isEqualTo((int) Arrays.stream(sorted).filter(s -> s <= x).count());
            }
        }
        assertThat(Search.sorted(XS, Array.of(Double.NaN), Search.Side.LEFT).toInts())
                .containsExactly(6);
        assertThat(Search.sorted(Array.of(new double[0]), Array.of(1.0), Search.Side.LEFT).toInts())
                .containsExactly(0);
    }

    @Test
    void curves_have_the_values_of_scipy() {
        close(Interpolation.linear(XS, YS, AT), LINEAR);
        close(Interpolation.spline(XS, YS, Ends.NATURAL).at(AT), NATURAL);
        close(Interpolation.spline(XS, YS, Ends.NOT_A_KNOT).at(AT), NOT_A_KNOT);
        close(Interpolation.pchip(XS, YS).at(AT), PCHIP);
        // two points: a straight line, whatever the kind
        var xs = Array.of(1.0, 3.0);
        var ys = Array.of(2.0, 8.0);
        for (var y :
                new Tensor[] {
                    Interpolation.linear(xs, ys, Array.of(2.5)),
                    Interpolation.spline(xs, ys, Ends.NATURAL).at(Array.of(2.5)),
                    Interpolation.pchip(xs, ys).at(Array.of(2.5))
                }) {
            assertThat(y.toDoubles()).containsExactly(new double[] {6.5}, within(1e-14));
        }
    }

    private static void close(Tensor got, double... expected) {
        assertThat(got.toDoubles()).containsExactly(expected, within(2e-14));
    }

    @Test
    void derivatives_by_points_places_and_argument() {
        var at = Array.of(-0.2, 0.33, 1.5, 2.9, 4.3);
        Differences.check(in -> Interpolation.linear(in.get(0), in.get(1), in.get(2)), XS, YS, at);
        Differences.check(
                in -> Interpolation.pchip(in.get(0), in.get(1)).at(in.get(2)), XS, YS, at);
        for (var ends : Ends.values()) {
            Differences.check(
                    in -> Interpolation.spline(in.get(0), in.get(1), ends).at(in.get(2)),
                    XS,
                    YS,
                    at);
        }
    }

    @Test
    void tridiagonal_systems_are_those_of_whole_matrices() {
        int n = 7;
        var lower = Differences.normal(1, n - 1);
        var diagonal = Differences.normal(2, n);
        var upper = Differences.normal(3, n - 1);
        var right = Differences.normal(4, 2, n);
        var whole = new double[n][n];
        for (int i = 0; i < n; i++) {
            whole[i][i] = diagonal.toDoubles()[i];
            if (i > 0) whole[i][i - 1] = lower.toDoubles()[i - 1];
            if (i < n - 1) whole[i][i + 1] = upper.toDoubles()[i];
        }
        var x = Tridiagonal.solve(lower, diagonal, upper, right);
        for (int r = 0; r < 2; r++) {
            assertThat(x.at(0, r).toDoubles())
                    .containsExactly(
                            Array.of(whole).solve(right.at(0, r)).toDoubles(), within(1e-11));
        }
        Differences.check(
                in -> Tridiagonal.solve(in.get(0), in.get(1).add(4), in.get(2), in.get(3)),
                lower,
                diagonal,
                upper,
                right);
        Fn<Tensor, Tensor> mapped = b -> Tridiagonal.solve(lower, diagonal, upper, b);
        assertThat(((Array) Ebb.vmap(mapped).apply(right)).sameBits((Array) x)).isTrue();
    }

    @Test
    void what_does_not_fit_is_named() {
        assertThatThrownBy(() -> Interpolation.linear(XS, AT, AT))
                .hasMessageContaining("one length");
        assertThatThrownBy(
                        () ->
                                Interpolation.spline(
                                        Array.of(1.0, 2, 3), Array.of(1.0, 2, 3), Ends.NOT_A_KNOT))
                .hasMessageContaining("at least 4");
        assertThatThrownBy(() -> Tridiagonal.solve(XS, XS, XS, XS))
                .hasMessageContaining("n - 1, n");
        assertThatThrownBy(() -> Search.sorted(XS, Array.of(1f), Search.Side.LEFT))
                .hasMessageContaining("same element type");
        var zero = Array.of(0.0, 0.0);
        assertThatThrownBy(
                        () ->
                                Tridiagonal.solve(Array.of(0.0), zero, Array.of(0.0), zero)
                                        .toDoubles())
                .hasMessageContaining("singular");
    }
}
