package dev.ebb.science;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Differences;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.ir.DType;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Quadrature, compensated sums and quasi-random points. */
class NumbersTest {

    @Test
    void polynomials_are_integrated_exactly() {
        for (int n : new int[] {1, 2, 3, 8, 33}) {
            var rule = new Quadrature(n);
            assertThat(Arrays.stream(rule.weights()).sum()).isCloseTo(2, within(1e-14));
            assertThat(rule.nodes()).isSorted();
            int degree = 2 * n - 1;
            double got = rule.integrate(x -> x.pow(degree), 0, 1).item();
            assertThat(got).isCloseTo(1.0 / (degree + 1), within(1e-15));
        }
        assertThat(new Quadrature(40).integrate(Tensor::exp, -1, 2).item())
                .isCloseTo(Math.exp(2) - Math.exp(-1), within(2e-15 * Math.exp(2)));
        assertThat(new Quadrature(2).nodes()[1]).isCloseTo(1 / Math.sqrt(3), within(2e-16));
    }

    @Test
    void integrals_are_differentiated_by_bounds_and_parameters() {
        var rule = new Quadrature(20);
        var low = Array.of(-0.5, 0.1);
        var high = Array.of(1.0, 2.0);
        var p = Array.of(0.7, 1.3);
        Differences.check(
                in ->
                        rule.integrate(
                                x -> x.mul(in.get(2).unsqueeze(-1)).sin(), in.get(0), in.get(1)),
                low,
                high,
                p);
        assertThatThrownBy(() -> new Quadrature(0)).hasMessageContaining("1 to 1000");
    }

    @Test
    void what_cancels_is_summed_as_if_exactly() {
        var random = new Random(3);
        for (int n : new int[] {1, 2, 3, 7, 100, 1001}) {
            var x = new double[2 * n];
            for (int i = 0; i < n; i++) {
                x[i] = random.nextGaussian() * Math.pow(10, random.nextInt(12));
                x[2 * n - 1 - i] = -x[i] + random.nextGaussian() * 1e-3;
            }
            var exact = BigDecimal.ZERO;
            for (double v : x) exact = exact.add(new BigDecimal(v));
            double got = Ebb.compile(CompensatedSum::of).apply(Array.of(x)).item();
            assertThat(got)
                    .isCloseTo(
                            exact.doubleValue(),
                            within(1e-15 * Math.max(1, Math.abs(exact.doubleValue()))));
        }
        Differences.check(
                in -> CompensatedSum.of(in.getFirst().square()), Differences.normal(1, 2, 3));
        assertThat(CompensatedSum.of(Array.of(1f, 1e8f, -1e8f)).item()).isEqualTo(1);
    }

    private static double backwards(long i, int base) {
        double value = 0;
        double unit = 1;
        for (; i > 0; i /= base) {
            unit /= base;
            value += unit * (i % base);
        }
        return value;
    }

    @Test
    void halton_points_are_numbers_written_backwards() {
        var points = new Halton(4).points(DType.F64, 1000, 50);
        var primes = new int[] {2, 3, 5, 7};
        for (int i = 0; i < 50; i++) {
            for (int d = 0; d < 4; d++) {
                assertThat(points.at(0, i).at(0, d).item())
                        .isCloseTo(backwards(1000 + i, primes[d]), within(1e-15));
            }
        }
        assertThat(new Halton(1).points(DType.F64, 0, 4).toDoubles())
                .containsExactly(0, 0.5, 0.25, 0.75);
    }

    @Test
    void halton_points_are_even_and_replayed() {
        var halton = new Halton(5);
        var all = halton.points(DType.F64, 0, 4096, Key.of(7));
        assertThat(((Array) all).sameBits((Array) halton.points(DType.F64, 0, 4096, Key.of(7))))
                .isTrue();
        Fn<Tensor, Tensor> f = x -> x.mul(2).prod(1);
        // the mean is 1; that of as many random points is off by 0.03 or so
        assertThat(f.apply(all).mean().item()).isCloseTo(1, within(5e-3));
        assertThat(all.amin().item()).isNotNegative();
        assertThat(all.amax().item()).isLessThan(1);
        var later = halton.points(DType.F64, 4000, 96, Key.of(7));
        assertThat(((Array) all.slice(0, 4000, 4096)).sameBits((Array) later)).isTrue();
        assertThat(IntStream.range(0, 5).mapToObj(d -> all.slice(1, d, d + 1).mean().item()))
                .allSatisfy(m -> assertThat(m).isCloseTo(0.5, within(2e-3)));
        assertThatThrownBy(() -> new Halton(33)).hasMessageContaining("from 1 to 32");
    }

    @Test
    void sobol_points_are_one_in_each_interval_of_a_power_of_two() {
        var sobol = new Sobol(64);
        int n = 256;
        for (long first : new long[] {0, 512, 1 << 20}) {
            for (var points :
                    List.of(
                            sobol.points(DType.F64, first, n),
                            sobol.points(DType.F64, first, n, Key.of(3)),
                            sobol.points(DType.F32, first, n).cast(DType.F64))) {
                var x = points.toDoubles();
                for (int d = 0; d < 64; d++) {
                    var seen = new boolean[n];
                    for (int i = 0; i < n; i++) seen[(int) (x[i * 64 + d] * n)] = true;
                    assertThat(seen).as("coordinate " + d).doesNotContain(false);
                }
            }
        }
    }

    @Test
    void sobol_points_begin_as_published_and_fill_every_orthant() {
        // van der Corput's sequence and that of x + 1, in Gray code's order
        assertThat(new Sobol(2).points(DType.F64, 0, 8).toDoubles())
                .containsExactly(
                        0, 0, 0.5, 0.5, 0.75, 0.25, 0.25, 0.75, 0.375, 0.375, 0.875, 0.875, 0.625,
                        0.125, 0.125, 0.625);
        for (int d : new int[] {3, 7, 12}) {
            var x = new Sobol(d).points(DType.F64, 0, 1 << d).toDoubles();
            var seen = new BitSet();
            for (int i = 0; i < 1 << d; i++) {
                int orthant = 0;
                for (int k = 0; k < d; k++) orthant = 2 * orthant + (x[i * d + k] < 0.5 ? 0 : 1);
                seen.set(orthant);
            }
            assertThat(seen.cardinality()).isEqualTo(1 << d);
        }
    }

    @Test
    void sobol_points_are_replayed_and_converge() {
        var sobol = new Sobol(5);
        var all = sobol.points(DType.F64, 0, 4096, Key.of(7));
        var later = sobol.points(DType.F64, 4000, 96, Key.of(7));
        assertThat(((Array) all.slice(0, 4000, 4096)).sameBits((Array) later)).isTrue();
        // the mean is 1; that of as many random points is off by 0.03 or so
        assertThat(all.mul(2).prod(1).mean().item()).isCloseTo(1, within(5e-3));
        assertThat(all.amax().item()).isLessThan(1);
        assertThatThrownBy(() -> new Sobol(65)).hasMessageContaining("from 1 to 64");
        assertThatThrownBy(() -> sobol.points(DType.I64, 0, 1)).hasMessageContaining("F32 or F64");
    }
}
