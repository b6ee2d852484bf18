package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.List;

/** Values and slopes where formulas overflow, cancel or have a kink. */
class EdgeValuesTest {
    private static final double INF = Double.POSITIVE_INFINITY;
    private static final double NAN = Double.NaN;

    private static double[] values(Tensor t) {
        return t.toDoubles();
    }

    private static double[] slopes(Fn<Tensor, Tensor> f, double... x) {
        return values(Ebb.grad((Tensor t) -> f.apply(t).sum()).apply(Array.of(x)));
    }

    private static double[] slopes2(Fn2<Tensor, Tensor, Tensor> f, double x, double y) {
        var g =
                Ebb.grad((List<Tensor> in) -> f.apply(in.get(0), in.get(1)).sum())
                        .apply(List.of(Array.of(x), Array.of(y)));
        return new double[] {values(g.get(0))[0], values(g.get(1))[0]};
    }

    @Test
    void nothing_overflows_on_the_way() {
        var x = Array.of(-1000.0, 0.0, 1000.0);
        assertThat(values(x.sigmoid())).containsExactly(new double[] {0, 0.5, 1}, within(1e-15));
        assertThat(values(x.softplus()))
                .containsExactly(new double[] {0, Math.log(2), 1000}, within(1e-15));
        assertThat(values(x.logSigmoid()))
                .containsExactly(new double[] {-1000, -Math.log(2), 0}, within(1e-15));
        assertThat(values(x.silu())).containsExactly(new double[] {0, 0, 1000}, within(1e-15));
        assertThat(values(x.mish())).containsExactly(new double[] {0, 0, 1000}, within(1e-15));
        assertThat(values(x.logaddexp(x)))
                .containsExactly(
                        new double[] {-1000 + Math.log(2), Math.log(2), 1000 + Math.log(2)},
                        within(1e-15));
        assertThat(slopes(Tensor::softplus, -1000, 0, 1000))
                .containsExactly(new double[] {0, 0.5, 1}, within(1e-15));
        assertThat(slopes(Tensor::silu, -1000, 0, 1000))
                .containsExactly(new double[] {0, 0.5, 1}, within(1e-15));
        assertThat(slopes(Tensor::mish, -1000, 1000))
                .containsExactly(new double[] {0, 1}, within(1e-15));
        assertThat(slopes(t -> t.elu(1), -1000, 1000))
                .containsExactly(new double[] {0, 1}, within(1e-15));
        assertThat(values(Array.of(1e200).hypot(Array.of(1e200)))[0]).isFinite();
        assertThat(values(Array.of(1000.0, 1000.0).logsumexp(0))[0])
                .isCloseTo(1000 + Math.log(2), within(1e-12));
    }

    @Test
    void small_things_are_not_lost() {
        assertThat(values(Array.of(-40.0).sigmoid())[0]).isCloseTo(Math.exp(-40), within(1e-32));
        assertThat(values(Array.of(-40.0).softplus())[0]).isCloseTo(Math.exp(-40), within(1e-32));
        assertThat(values(Array.of(-9.0).gelu())[0]).isBetween(-1.1e-18, -0.9e-18);
        assertThat(values(Array.of(1e-20).expm1())[0]).isEqualTo(1e-20);
    }

    @Test
    void infinities_stay_what_they_are() {
        var low = Array.of(-INF, -INF);
        assertThat(values(low.logsumexp(0))).containsExactly(-INF);
        assertThat(values(Array.of(0.0, INF).logsumexp(0))).containsExactly(INF);
        assertThat(values(low.logaddexp(low))).containsExactly(-INF, -INF);
        assertThat(values(Array.of(INF).logaddexp(Array.of(INF)))).containsExactly(INF);
        assertThat(values(low.exp().add(low.sigmoid()))).containsExactly(0, 0);
    }

    @Test
    void kinks_have_the_slopes_of_pytorch() {
        assertThat(slopes(Tensor::abs, -1, 0, 1)).containsExactly(-1, 0, 1);
        assertThat(slopes(Tensor::relu, -1, 0, 1)).containsExactly(0, 0, 1);
        assertThat(slopes(Tensor::relu6, 0, 3, 6)).containsExactly(0, 1, 0);
        assertThat(slopes(t -> t.leakyRelu(0.1), 0, 1)).containsExactly(0.1, 1);
        assertThat(slopes(t -> t.elu(2), 0)).containsExactly(2);
        assertThat(slopes(t -> t.clamp(-1, 1), -2, -1, 0, 1, 2)).containsExactly(0, 1, 1, 1, 0);
        assertThat(slopes(Tensor::hardswish, -4, -3, 0, 3, 4)).containsExactly(0, 0, 0.5, 1, 1);
        assertThat(slopes2(Tensor::maximum, 1, 1)).containsExactly(0.5, 0.5);
        assertThat(slopes2(Tensor::minimum, 1, 2)).containsExactly(1, 0);
        assertThat(slopes(t -> t.amax(), 3, 1, 3)).containsExactly(0.5, 0, 0.5);
        assertThat(slopes(t -> t.norm(2, List.of(0), false), 0, 0)).containsExactly(0, 0);
        assertThat(slopes(t -> t.norm(3, List.of(0), false), 0, 0)).containsExactly(0, 0);
    }

    @Test
    void powers_of_zero() {
        assertThat(values(Array.of(0.0, 0.0).pow(Array.of(0.0, 2.0)))).containsExactly(1, 0);
        assertThat(slopes(t -> t.pow(2), 0)).containsExactly(0);
        assertThat(slopes(t -> t.pow(1), 0)).containsExactly(1);
        assertThat(slopes(t -> t.pow(0), 0)).containsExactly(0);
        assertThat(slopes2(Tensor::pow, 0, 2)).containsExactly(0, 0);
        assertThat(slopes2(Tensor::pow, 0, 1)).containsExactly(1, 0);
        assertThat(slopes2(Tensor::pow, 0, 0)).containsExactly(0, 0);
        assertThat(values(Ebb.hessian((Tensor t) -> t.pow(2).sum()).apply(Array.of(0.0))))
                .containsExactly(2);
        assertThat(values(Array.of(0.0).xlogy(Array.of(0.0)))).containsExactly(0);
        assertThat(slopes(t -> t.xlogy(t.literal(0)), 0)).containsExactly(0);
    }

    @Test
    void products_with_zeros() {
        assertThat(slopes(t -> t.prod(), 2, 0, 3)).containsExactly(0, 6, 0);
        assertThat(slopes(t -> t.prod(), 2, 0, 0)).containsExactly(0, 0, 0);
        assertThat(slopes(t -> t.cumprod(0), 2, 0, 3)).containsExactly(1, 2 + 6, 0);
    }

    @Test
    void remainders_have_the_sign_of_the_divisor() {
        var x = Array.of(5.0, -5.0, 5.0, -5.0, 6.0);
        var y = Array.of(3.0, 3.0, -3.0, -3.0, 3.0);
        assertThat(values(x.remainder(y))).containsExactly(2, 1, -1, -2, 0);
        assertThat(Array.of(5, -5, 5).remainder(Array.of(3, 3, -3)).toLongs())
                .containsExactly(2, 1, -1);
        assertThat(slopes2(Tensor::remainder, -5, 3)).containsExactly(1, 2);
    }

    @Test
    void nan_is_passed_on() {
        var x = Array.of(1.0, NAN, 0.0);
        assertThat(values(x.amax())).containsExactly(NAN);
        assertThat(values(x.amin())).containsExactly(NAN);
        assertThat(values(x.maximum(2))).containsExactly(2, NAN, 2);
        assertThat(values(x.relu())).containsExactly(1, NAN, 0);
        assertThat(values(x.isNan())).containsExactly(0, 1, 0);
        assertThat(x.argmax(0).item()).isEqualTo(1);
        assertThat(x.argmin(0).item()).isEqualTo(1);
        assertThat(values(x.sort(0, false).values())).containsExactly(0, 1, NAN);
        assertThat(values(x.sort(0, true).indices())).containsExactly(1, 0, 2);
    }

    @Test
    void equal_elements_keep_their_order() {
        var x = Array.of(2.0, 1.0, 2.0, 1.0, -0.0, 0.0);
        assertThat(values(x.argsort(0, false))).containsExactly(4, 5, 1, 3, 0, 2);
        assertThat(values(x.argsort(0, true))).containsExactly(0, 2, 1, 3, 4, 5);
        assertThat(x.argmax(0).item()).isEqualTo(0);
        assertThat(x.argmin(0).item()).isEqualTo(4);
        assertThat(values(x.topk(3, 0).indices())).containsExactly(0, 2, 1);
        var wide = Array.of(Shape.of(2), Long.MAX_VALUE, Long.MAX_VALUE - 1);
        assertThat(values(wide.argsort(0, false))).containsExactly(1, 0);
    }
}
