package dev.ebb.science;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Differences;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.util.List;

class EigenvaluesTest {

    /** Traces of powers are sums of powers of eigenvalues: enough of them tell all eigenvalues. */
    @Test
    void powers_of_eigenvalues_sum_to_traces_of_powers() {
        for (int n : new int[] {1, 2, 3, 4, 5, 8, 13, 20}) {
            for (int seed = 0; seed < 4; seed++) {
                var a = Differences.normal(100 * n + seed, n, n).mul(1 / Math.sqrt(n));
                var values = Eigenvalues.of(a);
                Tensor power = a;
                Complex each = values;
                for (int k = 1; k <= n; k++) {
                    var sum = each.sum();
                    assertThat(sum.re().item()).isCloseTo(power.trace().item(), within(3e-13 * n));
                    assertThat(sum.im().item()).isCloseTo(0, within(1e-14 * n));
                    power = power.matmul(a);
                    each = each.mul(values);
                }
                assertThat(values.re().toDoubles()).isSorted();
            }
        }
    }

    @Test
    void known_matrices_have_known_eigenvalues() {
        // x^4 = 1 as a companion matrix, whose QR steps stand still without other shifts
        var companion =
                Array.of(new double[][] {{0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}});
        pair(
                Eigenvalues.of(companion),
                new double[] {-1, 0, 0, 1},
                new double[] {0, -1, 1, 0},
                1e-14);
        var symmetric = Differences.normal(5, 6, 6).add(Differences.normal(5, 6, 6).transpose());
        pair(Eigenvalues.of(symmetric), symmetric.eigvalsh().toDoubles(), new double[6], 1e-13);
        var triangle = Differences.normal(6, 5, 5).triu(0);
        var sorted = triangle.diagonal().sort(0, false).values().toDoubles();
        pair(Eigenvalues.of(triangle), sorted, new double[5], 1e-13);
        pair(
                Eigenvalues.of(Tensors.zeros(symmetric.dtype(), 3, 3)),
                new double[3],
                new double[3],
                0);
        // a Jordan block is off by the cube root of rounding
        var block = Array.of(new double[][] {{2, 1, 0}, {0, 2, 1}, {0, 0, 2}});
        pair(Eigenvalues.of(block), new double[] {2, 2, 2}, new double[3], 1e-4);
    }

    private static void pair(Complex got, double[] re, double[] im, double tolerance) {
        assertThat(got.re().toDoubles()).containsExactly(re, within(tolerance));
        assertThat(got.im().toDoubles()).containsExactly(im, within(tolerance));
    }

    @Test
    void derivatives_where_eigenvalues_are_simple() {
        var a = Differences.normal(3, 4, 4);
        Fn<List<Tensor>, Tensor> f =
                in -> {
                    var values = Eigenvalues.of(in.getFirst());
                    return Tensors.stack(List.of(values.re(), values.im()), 0);
                };
        assertThat(Eigenvalues.of(a).im().abs().amax().item()).isGreaterThan(0.1);
        Differences.check(f, a);
        // the log of the determinant, two ways
        Fn<Tensor, Tensor> byValues = m -> Eigenvalues.of(m).abs().log().sum();
        var b = Differences.normal(8, 7, 7);
        var got = Ebb.compile(Ebb.grad(byValues)).apply(b);
        var expected = b.inverse().transpose();
        assertThat(got.sub(expected).abs().amax().item())
                .isLessThan(1e-11 * expected.abs().amax().item());
    }

    @Test
    void a_batch_is_one_after_the_other() {
        var batch = Differences.normal(4, 3, 5, 5);
        var all = Eigenvalues.of(batch);
        var mapped = Ebb.vmap(Eigenvalues::of).apply(batch);
        assertThat(((Array) all.re()).sameBits((Array) mapped.re())).isTrue();
        var one = Eigenvalues.of(batch.at(0, 2));
        assertThat(((Array) all.im().at(0, 2)).sameBits((Array) one.im())).isTrue();
        assertThatThrownBy(() -> Eigenvalues.of(Differences.normal(1, 2, 3)))
                .hasMessageContaining("square matrices");
        assertThatThrownBy(
                        () -> Eigenvalues.of(Array.of(new double[][] {{Double.NaN}})).re().item())
                .hasMessageContaining("has NaN");
    }
}
