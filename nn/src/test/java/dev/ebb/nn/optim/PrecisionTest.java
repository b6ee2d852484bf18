package dev.ebb.nn.optim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

final class PrecisionTest {
    @Test
    void sixteenBitsInsideThirtyTwoOutside() {
        var w = Array.of(Shape.of(2, 2), 1f, 2f, 3f, 4f);
        var x = Array.of(Shape.of(1, 2), 1f, 1f);
        var result =
                Ebb.valueAndGrad(
                                (Tensor p) -> {
                                    var small = Precision.rounded(p, DType.BF16);
                                    var y = x.cast(DType.BF16).matmul(small);
                                    assertThat(y.dtype()).isEqualTo(DType.BF16);
                                    return y.cast(DType.F32).square().sum();
                                })
                        .apply(w);
        assertThat(result.grad().dtype()).isEqualTo(DType.F32);
        assertThat(result.value().item()).isEqualTo(52);
        assertThat(result.grad().toDoubles()).containsExactly(8, 12, 8, 12);
    }

    @Test
    void anOverflowIsSkippedAndHalvesTheScale() {
        var w = (Tensor) Array.of(2f);
        var fine = LossScale.of(1024).valueAndGrad((Tensor p) -> p.square().sum(), w);
        assertThat(((Array) fine.gradients()).data().get(0)).isCloseTo(4, within(1e-6));
        assertThat(fine.finite().item()).isEqualTo(1);
        assertThat(fine.next().good().item()).isEqualTo(1);
        var over =
                LossScale.of(65536)
                        .valueAndGrad(
                                (Tensor p) ->
                                        p.cast(DType.F16).mul(4096).square().sum().cast(DType.F32),
                                w);
        assertThat(over.finite().item()).isZero();
        assertThat(over.next().scale().item()).isEqualTo(32768);
        var kept = over.chosen((Tensor) Array.of(9f), w);
        assertThat(((Array) kept).data().get(0)).isEqualTo(2);
    }
}
