package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.ir.DType;
import dev.ebb.solve.FixedPoint;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.util.List;

/** Functions with derivatives of their own, and fixed points differentiated by them. */
class CustomTest {

    record Two(Tensor sum, Tensor product) {}

    /** A sum and a product whose derivatives are three times what they are. */
    private static final Fn<List<Tensor>, Two> TRIPLED =
            Ebb.custom(
                    (List<Tensor> in) ->
                            new Two(
                                    in.getFirst().add(in.getLast()),
                                    in.getFirst().mul(in.getLast()).sum()),
                    (in, _, d) -> {
                        var a = d.sum().add(in.getLast().mul(d.product()));
                        var b = d.sum().add(in.getFirst().mul(d.product()));
                        return List.of(a.mul(3), b.mul(3));
                    });

    @Test
    void theDerivativeIsTheOneGiven() {
        var a = Array.of(1.0, 2.0);
        var b = Array.of(5.0, 7.0);
        Fn<List<Tensor>, Tensor> f = in -> TRIPLED.apply(in).product();
        try (var gradient = Ebb.compile(Ebb.valueAndGrad(f))) {
            var found = gradient.apply(List.of(a, b));
            assertThat(found.value().item()).isEqualTo(19);
            assertThat(found.grad().getFirst().toDoubles()).containsExactly(15, 21);
            assertThat(found.grad().getLast().toDoubles()).containsExactly(3, 6);
        }
        // the derivative of the derivative given: of 3b by b along ones
        var ones = Tensors.ones(DType.F64, 2);
        var second = Ebb.hvp(f).apply(List.of(a, b), List.of(ones, ones));
        assertThat(second.getFirst().toDoubles()).containsExactly(3, 3);
        var forward = Ebb.jvp(f).apply(List.of(a, b), List.of(ones, ones)).tangent();
        assertThat(forward.item()).isEqualTo(3 * (12 + 3));
    }

    @Test
    void mappedAlongAnAxis() {
        var a = Array.of(new double[][] {{1, 2}, {3, 4}, {5, 6}});
        var b = Array.of(5.0, 7.0);
        Fn2<Tensor, Tensor, Tensor> f = (x, y) -> TRIPLED.apply(List.of(x, y)).product();
        var each = Ebb.vmap(Ebb.grad(f, By.second()), By.first()).apply(a, b);
        assertThat(each.toDoubles()).containsExactly(3, 6, 9, 12, 15, 18);
        Fn<Tensor, Tensor> sum = y -> Ebb.vmap(f, By.first()).apply(a, y).sum();
        assertThat(Ebb.grad(sum).apply(b).toDoubles()).containsExactly(27, 36);
    }

    @Test
    void whatItClosesOverHasNoDerivative() {
        var x = Array.of(2.0);
        Fn<Tensor, Tensor> f =
                w -> Ebb.custom((Tensor t) -> t.mul(w), (_, _, d) -> d).apply(x).sum();
        assertThatThrownBy(() -> Ebb.grad(f).apply(x)).hasMessageContaining("captures");
        assertThatThrownBy(
                        () ->
                                Ebb.grad(
                                                (Tensor t) ->
                                                        Ebb.custom(
                                                                        (Tensor u) -> u.sum(),
                                                                        (_, _, d) -> d)
                                                                .apply(t))
                                        .apply(Array.of(1.0, 2.0)))
                .hasMessageContaining("the types of the argument");
    }

    /** {@code x = cos(p x) / 2}, found to the last bits. */
    private static Tensor point(Tensor p) {
        return new FixedPoint(1e-15, 200)
                .solve((Tensor x, Tensor q) -> x.mul(q).cos().mul(0.5), p.mul(0), p);
    }

    private static double alone(double p) {
        double x = 0;
        for (int i = 0; i < 300; i++) x = Math.cos(p * x) / 2;
        return x;
    }

    @Test
    void aFixedPointIsDifferentiatedByTheImplicitFunctionTheorem() {
        var p = Array.of(0.3, 0.9, 1.3);
        Fn<Tensor, Tensor> f = t -> point(t).sum();
        try (var gradient = Ebb.compile(Ebb.valueAndGrad(f));
                var curvature = Ebb.compile(Ebb.hvp(f))) {
            var found = gradient.apply(p);
            var second = curvature.apply(p, Tensors.ones(DType.F64, 3));
            double sum = 0;
            for (int i = 0; i < 3; i++) {
                double q = p.get(i);
                double x = alone(q);
                sum += x;
                // dx = -sin(qx)/2 (x dq + q dx)
                double slope = -Math.sin(q * x) / 2 * x / (1 + Math.sin(q * x) / 2 * q);
                assertThat(found.grad().get(i)).isCloseTo(slope, within(1e-12));
                double h = 1e-4;
                double bend = (alone(q + h) - 2 * x + alone(q - h)) / (h * h);
                assertThat(second.get(i)).isCloseTo(bend, within(1e-6));
            }
            assertThat(found.value().item()).isCloseTo(sum, within(1e-13));
        }
    }

    @Test
    void aFixedPointsGradientKeepsNoRounds() {
        long[] bytes = new long[2];
        for (int i = 0; i < 2; i++) {
            int limit = i == 0 ? 100 : 10_000;
            Fn<Tensor, Tensor> f =
                    p ->
                            new FixedPoint(1e-12, limit)
                                    .solve(
                                            (Tensor x, Tensor q) -> x.mul(q).cos().mul(0.5),
                                            Tensors.zeros(DType.F64, 64),
                                            p)
                                    .sum();
            bytes[i] = Ebb.compile(Ebb.grad(f)).plan(Tensors.ones(DType.F64, 64)).peakBytes();
        }
        assertThat(bytes[1]).isEqualTo(bytes[0]);
    }
}
