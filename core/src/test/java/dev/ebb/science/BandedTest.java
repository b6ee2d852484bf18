package dev.ebb.science;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Differences;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

/** Systems with a few diagonals against dense ones, with all their derivatives. */
class BandedTest {
    private static double[][] dense(Tensor bands, int below) {
        int n = bands.dim(0);
        int width = bands.dim(1);
        var from = bands.toDoubles();
        var whole = new double[n][n];
        for (int i = 0; i < n; i++) {
            for (int c = 0; c < width; c++) {
                int j = i - below + c;
                if (j >= 0 && j < n) whole[i][j] = from[i * width + c];
            }
        }
        return whole;
    }

    @Test
    void solutions_and_products_are_those_of_the_dense_matrix() {
        for (int n : new int[] {1, 2, 5, 17}) {
            for (int width = 1; width <= 5; width++) {
                for (int below = 0; below < width; below++) {
                    // no diagonal dominates: rows are swapped; columns outside are not read
                    var bands = Differences.normal(n + 10L * width + below, n, width);
                    var x = Differences.normal(3, n);
                    var whole = Array.of(dense(bands, below));
                    var right = Banded.multiply(bands, below, x);
                    assertThat(right.toDoubles())
                            .containsExactly(whole.matmul(x).toDoubles(), within(1e-13));
                    var found = Banded.solve(bands, below, right);
                    double off = whole.matmul(found).sub(right).abs().amax().item();
                    double size = whole.abs().amax().item() * found.abs().amax().item();
                    assertThat(off).as("%d, %d, %d", n, width, below).isLessThan(1e-14 * size);
                }
            }
        }
    }

    @Test
    void three_diagonals_are_the_tridiagonal_system() {
        int n = 9;
        var bands = Differences.normal(5, n, 3);
        var right = Differences.normal(6, 2, n);
        var expected =
                Tridiagonal.solve(
                        bands.at(1, 0).slice(0, 1, n),
                        bands.at(1, 1),
                        bands.at(1, 2).slice(0, 0, n - 1),
                        right);
        assertThat(Banded.solve(bands, 1, right).toDoubles())
                .containsExactly(expected.toDoubles(), within(1e-12));
    }

    @Test
    void derivatives_and_batches() {
        var bands = Differences.normal(1, 6, 4);
        var right = Differences.normal(2, 6);
        var main = Array.of(new double[][] {{0, 5, 0, 0}});
        Differences.check(in -> Banded.solve(in.get(0).add(main), 1, in.get(1)), bands, right);
        Differences.check(in -> Banded.multiply(in.get(0), 2, in.get(1)), bands, right);
        var many = Differences.normal(3, 3, 6);
        Fn<Tensor, Tensor> f = b -> Banded.solve(bands, 1, b);
        var all = f.apply(many);
        assertThat(((Array) Ebb.vmap(f).apply(many)).sameBits((Array) all)).isTrue();
        for (int i = 0; i < 3; i++)
            assertThat(((Array) all.at(0, i)).sameBits((Array) f.apply(many.at(0, i)))).isTrue();
    }

    @Test
    void what_does_not_fit_is_named() {
        var bands = Differences.normal(1, 4, 3);
        assertThatThrownBy(() -> Banded.solve(bands, 3, Differences.normal(2, 4)))
                .hasMessageContaining("from 0 to 2");
        assertThatThrownBy(() -> Banded.solve(bands, 1, Differences.normal(2, 5)))
                .hasMessageContaining("[..., n, width]");
        assertThatThrownBy(() -> Banded.multiply(bands, -1, Differences.normal(2, 4)))
                .hasMessageContaining("from 0 to 2");
        assertThatThrownBy(() -> Banded.solve(bands, 1, Array.of(1f, 2f, 3f, 4f)))
                .hasMessageContaining("element types differ");
        assertThatThrownBy(
                        () -> Banded.solve(bands.mul(0), 1, Differences.normal(2, 4)).toDoubles())
                .isInstanceOf(ArithmeticException.class)
                .hasMessageContaining("singular");
    }
}
