package dev.ebb.science;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Differences;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.solve.ConjugateGradients;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.util.List;

class SparseTest {
    /** 4 x 5, with an empty row, and a place that has two entries. */
    private static final int[] STARTS = {0, 2, 2, 5, 7};

    private static final int[] COLUMNS = {1, 4, 0, 2, 2, 3, 1};
    private static final Csr MATRIX = Csr.of(5, STARTS, COLUMNS, 2, -1, 0.5, 3, 4, -2, 1.5);

    private static double[][] dense() {
        var all = new double[4][5];
        var values = MATRIX.values().toDoubles();
        for (int i = 0; i < 4; i++) {
            for (int k = STARTS[i]; k < STARTS[i + 1]; k++) all[i][COLUMNS[k]] += values[k];
        }
        return all;
    }

    @Test
    void products_are_those_of_the_whole_matrix() {
        var whole = Array.of(dense());
        same(MATRIX.toDense(), whole);
        same(MATRIX.transposed().toDense(), whole.transpose());
        var x = Differences.normal(1, 5);
        var many = Differences.normal(2, 5, 3);
        var back = Differences.normal(3, 4, 2);
        same(MATRIX.multiply(x), whole.matmul(x));
        same(MATRIX.multiply(many), whole.matmul(many));
        same(MATRIX.multiplyTransposed(back), whole.transpose().matmul(back));
        same(MATRIX.transposed().multiply(back), whole.transpose().matmul(back));
        assertThat(MATRIX.rows().toInts()).containsExactly(0, 0, 2, 2, 2, 3, 3);
    }

    private static void same(Tensor got, Tensor expected) {
        assertThat(got.shape()).isEqualTo(expected.shape());
        assertThat(got.toDoubles()).containsExactly(expected.toDoubles(), within(1e-14));
    }

    @Test
    void derivatives_by_values_and_operand() {
        var values = (Array) MATRIX.values();
        Fn<List<Tensor>, Tensor> there =
                in -> new Csr(MATRIX.starts(), MATRIX.columns(), in.get(0), 5).multiply(in.get(1));
        Differences.check(there, values, Differences.normal(1, 5, 2));
        Differences.check(
                in ->
                        new Csr(MATRIX.starts(), MATRIX.columns(), in.get(0), 5)
                                .transposed()
                                .multiply(in.get(1)),
                values,
                Differences.normal(2, 4));
        // the matrix itself is an argument; its integers have no derivative
        var x = Differences.normal(4, 5);
        Fn<Csr, Tensor> sum = m -> m.multiply(x).square().sum();
        var byValue = Ebb.compile(sum).apply(MATRIX);
        assertThat(byValue.item()).isEqualTo(MATRIX.multiply(x).square().sum().item());
    }

    /** A nonlinear chain: each element and its neighbours. */
    private static Tensor chain(Tensor x) {
        int n = x.dim(0);
        var inner = x.slice(0, 2, n).mul(x.slice(0, 1, n - 1)).sub(x.slice(0, 0, n - 2).sin());
        return Tensors.concat(List.of(x.slice(0, 0, 1).exp(), inner, x.slice(0, n - 1, n)), 0);
    }

    private static void check(Fn<Tensor, Tensor> f, Array x, int colours) {
        var sparse = SparseJacobian.of(f, x);
        assertThat(sparse.colours()).isEqualTo(colours);
        int n = Math.toIntExact(x.type().size());
        var whole = Ebb.jacobian(f).apply(x).reshape(-1, n);
        same(sparse.at(f, x).toDense(), whole);
        // traced, and differentiated once more
        Fn<Tensor, Tensor> traced = t -> sparse.at(f, t).values().square().sum();
        Fn<Tensor, Tensor> direct = t -> Ebb.jacobian(f).apply(t).square().sum();
        same(Ebb.compile(traced).apply(x), direct.apply(x));
        var slope = Ebb.grad(traced).apply(x);
        assertThat(slope.toDoubles())
                .containsExactly(Ebb.grad(direct).apply(x).toDoubles(), within(1e-11));
    }

    @Test
    void patterns_are_found_and_coloured() {
        check(SparseTest::chain, Differences.normal(1, 12), 3);
        // rows of a matrix, each with its own softmax, mixed along columns by an index
        var index = Array.of(1L, 0, 2);
        check(
                x -> x.softmax(1).indexSelect(0, index).mul(x.square()),
                Differences.normal(2, 3, 4),
                8);
        check(x -> x.reshape(6, 2).sum(1).square(), Differences.normal(3, 12), 2);
        check(x -> x.cumsum(0).sin().slice(0, 0, 3), Differences.normal(4, 6), 3);
        check(
                x -> x.reshape(2, 3, 2).matmul(Differences.normal(9, 2, 2)),
                Differences.normal(5, 12),
                2);
        // an index that depends on the argument may point anywhere
        check(x -> x.indexSelect(0, x.argsort(0, false)), Differences.normal(6, 4), 4);
        check(x -> MATRIX.multiply(x.square()), Differences.normal(7, 5), 2);
        check(x -> Loop.repeat(2, x, t -> t.mul(t)), Differences.normal(8, 3), 3);
        check(
                x -> Tensors.where(x.gt(0), x.square(), x).detach().mul(x),
                Differences.normal(8, 3),
                1);
    }

    @Test
    void a_pattern_may_be_given() {
        Fn<Tensor, Tensor> loop = x -> Loop.repeat(3, x, Tensor::sin);
        var x = Differences.normal(1, 6);
        var given =
                SparseJacobian.of(6, new int[] {0, 1, 2, 3, 4, 5, 6}, new int[] {0, 1, 2, 3, 4, 5});
        assertThat(given.colours()).isEqualTo(1);
        same(given.at(loop, x).toDense(), Ebb.jacobian(loop).apply(x));
    }

    @Test
    void a_sparse_system_is_solved() {
        int n = 20;
        var starts = new int[n + 1];
        var columns = new java.util.ArrayList<Integer>();
        for (int i = 0; i < n; i++) {
            for (int j = Math.max(0, i - 1); j <= Math.min(n - 1, i + 1); j++) columns.add(j);
            starts[i + 1] = columns.size();
        }
        var pattern = columns.stream().mapToInt(Integer::intValue).toArray();
        var values = new double[pattern.length];
        for (int i = 0, k = 0; i < n; i++) {
            for (; k < starts[i + 1]; k++) values[k] = pattern[k] == i ? 2.5 : -1;
        }
        var matrix = Csr.of(n, starts, pattern, values);
        var b = Differences.normal(2, n);
        var solver = new ConjugateGradients(1e-14, 500);
        Fn<List<Tensor>, Tensor> solve =
                in ->
                        solver.solve(
                                (x, v) ->
                                        new Csr(matrix.starts(), matrix.columns(), v, n)
                                                .multiply(x),
                                in.get(0),
                                in.get(1));
        var direct = matrix.toDense().solve(b);
        assertThat(solve.apply(List.of(b, matrix.values())).toDoubles())
                .containsExactly(direct.toDoubles(), within(1e-12));
        var grad = Ebb.grad((List<Tensor> in) -> solve.apply(in).square().sum());
        Fn<Tensor, Tensor> dense =
                v ->
                        new Csr(matrix.starts(), matrix.columns(), v, n)
                                .toDense()
                                .solve(b)
                                .square()
                                .sum();
        assertThat(grad.apply(List.of(b, matrix.values())).get(1).toDoubles())
                .containsExactly(Ebb.grad(dense).apply(matrix.values()).toDoubles(), within(1e-11));
    }

    @Test
    void what_does_not_fit_is_named() {
        assertThatThrownBy(() -> Csr.of(3, new int[] {0, 1}, new int[] {0, 1}, 1, 2))
                .hasMessageContaining("end with the number of entries");
        assertThatThrownBy(() -> MATRIX.multiply(Differences.normal(1, 4)))
                .hasMessageContaining("needs 5 rows");
        assertThatThrownBy(() -> SparseJacobian.of(2, new int[] {0, 1}, new int[] {7}))
                .hasMessageContaining("below the width");
    }
}
