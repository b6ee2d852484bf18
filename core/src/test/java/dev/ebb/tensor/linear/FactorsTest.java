package dev.ebb.tensor.linear;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Differences;
import dev.ebb.Ebb;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Trait;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

class FactorsTest {

    private static double[] data(Tensor t) {
        return t.toDoubles();
    }

    private static void same(Tensor found, Tensor expected) {
        assertThat(found.shape()).isEqualTo(expected.shape());
        assertThat(data(found)).containsExactly(data(expected), within(1e-12));
    }

    private static Tensor gram(Tensor a) {
        return a.matmul(a.transpose()).add(Tensors.eye(a.dtype(), a.dim(-2)));
    }

    @Test
    void factorsMultiplyBackOverABatch() {
        var a = Differences.normal(1, 2, 3, 4, 4);
        var spd = gram(a);
        var l = spd.cholesky();
        same(l.matmul(l.transpose()), spd);
        same(l, l.tril(0));
        same(a.matmul(a.inverse()), Tensors.eye(DType.F64, 4).broadcastTo(a.shape()));
        var e = spd.eigh();
        same(e.vectors().mul(e.values().unsqueeze(-2)).matmul(e.vectors().transpose()), spd);
        same(
                e.values().slice(-1, 1, 4).ge(e.values().slice(-1, 0, 3)).cast(DType.F64),
                Tensors.ones(DType.F64, Shape.of(2, 3, 3)));
    }

    @Test
    void tallAndWideFactorsMultiplyBack() {
        for (var a : List.of(Differences.normal(1, 2, 5, 3), Differences.normal(2, 2, 3, 5))) {
            var qr = a.qr();
            same(qr.q().matmul(qr.r()), a);
            same(
                    qr.q().transpose().matmul(qr.q()),
                    Tensors.eye(DType.F64, 3).broadcastTo(Shape.of(2, 3, 3)));
            assertThat(Arrays.stream(data(qr.r().diagonal())).min().orElseThrow()).isNotNegative();
            var svd = a.svd();
            same(svd.u().mul(svd.s().unsqueeze(-2)).matmul(svd.vt()), a);
            same(
                    svd.vt().matmul(svd.vt().transpose()),
                    Tensors.eye(DType.F64, 3).broadcastTo(Shape.of(2, 3, 3)));
        }
    }

    @Test
    void singularValuesOfMatricesWithoutFullRank() {
        var a = Array.of(Shape.of(3, 2), 1.0, 2.0, 2.0, 4.0, 3.0, 6.0);
        var svd = a.svd();
        assertThat(data(svd.s())).containsExactly(new double[] {Math.sqrt(70), 0}, within(1e-14));
        same(svd.u().transpose().matmul(svd.u()), Tensors.eye(DType.F64, 2));
        var none = Tensors.zeros(DType.F64, Shape.of(3, 2)).svd();
        assertThat(data(none.s())).containsExactly(0, 0);
        same(none.u().transpose().matmul(none.u()), Tensors.eye(DType.F64, 2));
        assertThat(data(a.transpose().matmul(a).det()))
                .containsExactly(new double[] {0}, within(1e-12));
    }

    @Test
    void derivativesThroughTheVectors() {
        var tall = Differences.normal(3, 4, 3);
        var wide = Differences.normal(4, 2, 4);
        Differences.check(in -> in.getFirst().qr().q(), tall);
        Differences.check(in -> in.getFirst().qr().r(), wide);
        Differences.check(in -> in.getFirst().svd().u().square(), tall);
        Differences.check(in -> in.getFirst().svd().vt().square(), wide);
        Differences.check(
                in -> in.getFirst().eigh().vectors().square(), Differences.normal(5, 3, 3));
        Differences.check(in -> gram(in.getFirst()).cholesky(), Differences.normal(6, 2, 3, 3));
    }

    @Test
    void derivativesOfSolutionsOverABatch() {
        var a = (Array) Differences.normal(1, 2, 3, 3).add(Tensors.eye(DType.F64, 3).mul(3));
        var b = Differences.normal(2, 3);
        Differences.check(in -> in.get(0).solve(in.get(1)), a, b);
        Differences.check(in -> in.get(0).triangularSolve(in.get(1), Triangle.UPPER), a, b);
        Differences.check(in -> in.getFirst().det(), a);
        Differences.check(in -> in.getFirst().slogdet().logDet(), a);
    }

    @Test
    void determinants() {
        var swap = Array.of(Shape.of(2, 2), 0.0, 2.0, 3.0, 0.0);
        assertThat(data(swap.det())).containsExactly(new double[] {-6}, within(1e-14));
        assertThat(data(swap.slogdet().sign())).containsExactly(-1);
        assertThat(data(swap.logdet())).containsExactly(Double.NaN);
        assertThat(data(Tensors.zeros(DType.F64, Shape.of(2, 2)).det())).containsExactly(0);
    }

    @Test
    void matricesWithoutAnAnswerAreNamed() {
        var good = Tensors.eye(DType.F64, 2);
        var bad = Array.of(Shape.of(2, 2), 1.0, 2.0, 2.0, 1.0);
        var batch = Tensors.stack(List.of(good, bad), 0);
        assertThatThrownBy(batch::cholesky)
                .isInstanceOf(ArithmeticException.class)
                .hasMessageContaining("matrix 1 of the batch is not positive definite")
                .hasMessageContaining("row 1 is -3.0")
                .hasMessageContaining("multiple of the identity");
        var flat = Tensors.ones(DType.F64, Shape.of(2, 2));
        assertThatThrownBy(flat::inverse)
                .hasMessageContaining("matrix 0 of the batch is singular")
                .hasMessageContaining("svd");
        assertThatThrownBy(() -> Ebb.grad(Tensor::det).apply(flat))
                .hasMessageContaining("singular");
        assertThatThrownBy(() -> flat.sub(1).triangularSolve(flat, Triangle.LOWER))
                .hasMessageContaining("0.0 on its diagonal, in row 0");
        var nan = Array.of(Shape.of(2, 2), 1.0, 2.0, Double.NaN, 1.0);
        assertThatThrownBy(nan::eigh).hasMessageContaining("has NaN at [1,0]");
        assertThatThrownBy(nan::svd).hasMessageContaining("matrix 0 of the batch has NaN");
        var tall = Differences.normal(1, 3, 2);
        assertThatThrownBy(tall::cholesky)
                .hasMessageContaining("square")
                .hasMessageContaining("qr");
        assertThatThrownBy(() -> good.solve(Array.of(1.0, 2.0, 3.0)))
                .hasMessageContaining("as many rows");
        assertThatThrownBy(() -> Array.of(1.0).qr()).hasMessageContaining("[..., rows, columns]");
    }

    @Test
    void factorisationsAreKeptAndPlanned() {
        var op = new EighFactor();
        assertThat(op.traits()).containsExactly(Trait.EXPENSIVE);
        var in = List.of(dev.ebb.ir.Type.of(DType.F32, 7, 4, 4));
        assertThat(((dev.ebb.ir.Kernel.Library) op.kernel(in)).workspaceBytes())
                .isEqualTo(2 * 4 * 4 * 8);
    }
}
