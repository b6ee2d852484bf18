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

class MatrixFunctionsTest {

    /** The exponential of a matrix by its power series, after scaling by 2^-20, in plain Java. */
    private static double[][] series(double[][] a) {
        int n = a.length;
        var scaled = new double[n][n];
        for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) scaled[i][j] = a[i][j] * 0x1p-6;
        var sum = identity(n);
        var term = identity(n);
        for (int k = 1; k < 40; k++) {
            term = product(term, scaled);
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    term[i][j] /= k;
                    sum[i][j] += term[i][j];
                }
            }
        }
        for (int k = 0; k < 6; k++) sum = product(sum, sum);
        return sum;
    }

    private static double[][] identity(int n) {
        var one = new double[n][n];
        for (int i = 0; i < n; i++) one[i][i] = 1;
        return one;
    }

    private static double[][] product(double[][] a, double[][] b) {
        int n = a.length;
        var c = new double[n][n];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) c[i][j] += a[i][k] * b[k][j];
        }
        return c;
    }

    @Test
    void the_exponential_is_that_of_its_series() {
        for (double scale : new double[] {0.01, 1, 4, 12}) {
            var data = Differences.normal(3, 4, 4).mul(scale);
            var a = new double[4][4];
            for (int i = 0; i < 4; i++) a[i] = data.at(0, i).toDoubles();
            var expected = series(a);
            double size = Array.of(expected).abs().amax().item();
            var got = Ebb.compile(MatrixFunctions::exponential).apply(Array.of(a));
            double off = got.sub(Array.of(expected)).abs().amax().item();
            assertThat(off / size).isLessThan(1e-12);
        }
        // a rotation, in closed form
        var turn = Array.of(new double[][] {{0, -30}, {30, 0}});
        var got = MatrixFunctions.exponential(turn).toDoubles();
        assertThat(got[0]).isCloseTo(Math.cos(30), within(1e-13));
        assertThat(got[2]).isCloseTo(Math.sin(30), within(1e-13));
    }

    @Test
    void derivatives_of_the_exponential() {
        Differences.check(
                in -> MatrixFunctions.exponential(in.getFirst()), Differences.normal(1, 3, 3));
        Differences.check(
                in -> MatrixFunctions.exponential(in.getFirst().mul(6)).mul(1e-3),
                Array.of(new double[][] {{-0.3, 1}, {-1, -0.4}}));
        // one that is scaled as its neighbour asks for is off by a little rounding, not more
        var two =
                Tensors.stack(
                        List.of(Differences.normal(1, 2, 2), Differences.normal(2, 2, 2).mul(9)),
                        0);
        var both = MatrixFunctions.exponential(two).at(0, 0);
        var alone = MatrixFunctions.exponential(Differences.normal(1, 2, 2));
        assertThat(both.sub(alone).abs().amax().item()).isLessThan(1e-12);
    }

    @Test
    void least_squares_leaves_nothing_in_the_columns() {
        var a = Differences.normal(1, 7, 3);
        var b = Differences.normal(2, 7);
        var x = MatrixFunctions.leastSquares(a, b);
        var normal = a.transpose().matmul(a).solve(a.transpose().matmul(b));
        assertThat(x.toDoubles()).containsExactly(normal.toDoubles(), within(1e-12));
        var wide = a.transpose();
        var c = Differences.normal(3, 3);
        var shortest = MatrixFunctions.leastSquares(wide, c);
        assertThat(wide.matmul(shortest).toDoubles()).containsExactly(c.toDoubles(), within(1e-13));
        var expected = a.matmul(wide.matmul(a).solve(c));
        assertThat(shortest.toDoubles()).containsExactly(expected.toDoubles(), within(1e-12));
        Differences.check(in -> MatrixFunctions.leastSquares(in.get(0), in.get(1)), a, b);
        Differences.check(
                in -> MatrixFunctions.leastSquares(in.get(0).transpose(), in.get(1)), a, c);
        Fn<Tensor, Tensor> mapped = m -> MatrixFunctions.leastSquares(m, b);
        var batch = Differences.normal(5, 2, 7, 3);
        assertThat(Ebb.vmap(mapped).apply(batch).at(0, 1).toDoubles())
                .containsExactly(mapped.apply(batch.at(0, 1)).toDoubles(), within(0.0));
    }

    @Test
    void what_does_not_fit_is_named() {
        assertThatThrownBy(() -> MatrixFunctions.exponential(Differences.normal(1, 2, 3)))
                .hasMessageContaining("square matrices");
        assertThatThrownBy(
                        () ->
                                MatrixFunctions.leastSquares(
                                        Differences.normal(1, 4, 2), Differences.normal(1, 3)))
                .hasMessageContaining("[rows]");
        var flat = Array.of(new double[][] {{1, 0}, {1, 0}, {1, 0}});
        assertThatThrownBy(
                        () -> MatrixFunctions.leastSquares(flat, Array.of(1.0, 2, 3)).toDoubles())
                .isInstanceOf(ArithmeticException.class);
    }
}
