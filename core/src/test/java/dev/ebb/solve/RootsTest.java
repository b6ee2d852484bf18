package dev.ebb.solve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Differences;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.science.Normal;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.util.List;

class RootsTest {
    private static final Newton NEWTON = new Newton(1e-12, 50);
    private static final Bracket BRACKET = new Bracket(1e-14, 200);

    /** x^2 + y^2 = p0, x y = p1. */
    private static Tensor curves(Tensor x, Tensor p) {
        var a = x.square().sum().sub(p.at(0, 0));
        var b = x.at(0, 0).mul(x.at(0, 1)).sub(p.at(0, 1));
        return Tensors.stack(List.of(a, b), 0);
    }

    @Test
    void two_curves_meet() {
        Fn<Tensor, Tensor> root = p -> NEWTON.solve(RootsTest::curves, Array.of(2.0, 0.3), p);
        var at = Array.of(5.0, 2.0);
        assertThat(Ebb.compile(root).apply(at).toDoubles())
                .containsExactly(new double[] {2, 1}, within(1e-12));
        // x + y = sqrt(p0 + 2 p1), x - y = sqrt(p0 - 2 p1)
        var jacobian = Ebb.jacobian(root).apply(at).toDoubles();
        assertThat(jacobian)
                .containsExactly(
                        new double[] {
                            (1 / 3.0 + 1) / 4,
                            (1 / 3.0 - 1) / 2,
                            (1 / 3.0 - 1) / 4,
                            (1 / 3.0 + 1) / 2
                        },
                        within(1e-12));
        Differences.check(
                in -> NEWTON.solve(RootsTest::curves, Array.of(2.0, 0.3), in.getFirst()), at);
    }

    /** The price of a call of strike 1 and time 1 by its volatility. */
    private static Tensor call(Tensor volatility, Tensor spot) {
        var d = spot.log().div(volatility).add(volatility.mul(0.5));
        return spot.mul(Normal.distribution(d)).sub(Normal.distribution(d.sub(volatility)));
    }

    private record Quote(Tensor spot, Tensor price) {}

    @Test
    void implied_volatilities_and_their_slopes() {
        var spot = Array.of(0.8, 1.0, 1.1, 1.4);
        var volatility = Array.of(0.35, 0.2, 0.15, 0.5);
        var price = call(volatility, spot);
        Fn2<Tensor, Quote, Tensor> miss = (v, q) -> call(v, q.spot).sub(q.price);
        Fn<Quote, Tensor> implied =
                q -> BRACKET.solve(miss, q.price.mul(0).add(1e-3), q.price.mul(0).add(3), q);
        var quote = new Quote(spot, price);
        assertThat(Ebb.compile(implied).apply(quote).toDoubles())
                .containsExactly(volatility.toDoubles(), within(1e-12));
        var slopes = Ebb.grad((Quote q) -> implied.apply(q).sum()).apply(quote);
        Fn<Tensor, Tensor> vega = v -> call(v, spot).sum();
        Fn<Tensor, Tensor> delta = s -> call(volatility, s).sum();
        var expected = Ebb.grad(vega).apply(volatility).reciprocal();
        assertThat(slopes.price.toDoubles()).containsExactly(expected.toDoubles(), within(1e-9));
        var bySpot = Ebb.grad(delta).apply(spot).mul(expected).neg();
        assertThat(slopes.spot.toDoubles()).containsExactly(bySpot.toDoubles(), within(1e-9));
    }

    @Test
    void brackets_hold_hard_cases() {
        // a root at an end, a flat function, a jump, none at all
        var kind = Array.of(0.0, 1.0, 2.0, 3.0);
        Fn2<Tensor, Tensor, Tensor> f =
                (x, k) -> {
                    var end = x.sub(1);
                    var flat = x.sub(0.3).pow(9);
                    var jump = x.sub(Math.PI / 4).sign();
                    var none = x.square().add(1);
                    var low = Tensors.where(k.lt(0.5), end, flat);
                    var high = Tensors.where(k.lt(2.5), jump, none);
                    return Tensors.where(k.lt(1.5), low, high);
                };
        var x = BRACKET.solve(f, Array.of(0.0, 0.0, 0.0, 0.0), Array.of(1.0, 1.0, 1.0, 1.0), kind);
        var got = x.toDoubles();
        assertThat(got[0]).isEqualTo(1.0);
        assertThat(got[1]).isCloseTo(0.3, within(1e-14));
        assertThat(got[2]).isCloseTo(Math.PI / 4, within(1e-14));
        assertThat(got[3]).isNaN();
        Differences.check(
                in ->
                        BRACKET.solve(
                                (t, p) -> t.pow(3).add(t.mul(p)).sub(2),
                                Array.of(0.0, 0.0),
                                Array.of(5.0, 5.0),
                                in.getFirst()),
                Array.of(0.5, 2.0));
    }

    @Test
    void rosenbrock_and_its_minimum_by_parameters() {
        var solver = new Lbfgs(1e-9, 500, 6);
        Fn2<Tensor, Tensor, Tensor> f =
                (x, p) -> {
                    var a = x.at(0, 0);
                    var b = x.at(0, 1);
                    var valley = b.sub(a.square()).square().mul(p.at(0, 1));
                    return p.at(0, 0).sub(a).square().add(valley);
                };
        Fn<Tensor, Tensor> minimum = p -> solver.minimise(f, Array.of(-1.2, 1.0), p);
        var at = Array.of(1.3, 100.0);
        assertThat(Ebb.compile(minimum).apply(at).toDoubles())
                .containsExactly(new double[] {1.3, 1.69}, within(1e-8));
        // the minimum is (p0, p0^2), whatever p1
        assertThat(Ebb.jacobian(minimum).apply(at).toDoubles())
                .containsExactly(new double[] {1, 0, 2.6, 0}, within(1e-6));
    }

    @Test
    void a_minimum_in_many_dimensions() {
        int n = 30;
        var weights = Tensors.linspace(dev.ebb.ir.DType.F64, 1, 50, n);
        Fn2<Tensor, Tensor, Tensor> f =
                (x, p) ->
                        x.sub(p)
                                .square()
                                .mul(weights)
                                .sum()
                                .mul(0.5)
                                .add(x.sum().square().mul(0.5))
                                .add(x.pow(4).sum().mul(0.1));
        Fn<Tensor, Tensor> minimum =
                p -> new Lbfgs(1e-10, 500, 8).minimise(f, Tensors.zeros(p.dtype(), n), p).sum();
        var at = Differences.normal(4, n);
        var grad = Ebb.compile(Ebb.grad(minimum)).apply(at).toDoubles();
        var compiled = Ebb.compile(minimum);
        for (int i = 0; i < n; i += 7) {
            var up = at.toDoubles();
            var down = at.toDoubles();
            up[i] += 1e-4;
            down[i] -= 1e-4;
            double slope =
                    (compiled.apply(Array.of(up)).item() - compiled.apply(Array.of(down)).item())
                            / 2e-4;
            assertThat(grad[i]).isCloseTo(slope, within(1e-6));
        }
    }

    @Test
    void a_fit_of_an_exponential_curve() {
        var times = Tensors.linspace(dev.ebb.ir.DType.F64, 0, 3, 12);
        // amplitude, rate, level; the data are off the curve, so that residuals stay
        var data = times.mul(-1.3).exp().mul(2.5).add(0.4).add(Differences.normal(8, 12).mul(0.05));
        Fn2<Tensor, Tensor, Tensor> residuals =
                (x, y) -> times.mul(x.at(0, 1).neg()).exp().mul(x.at(0, 0)).add(x.at(0, 2)).sub(y);
        var solver = new LevenbergMarquardt(1e-11, 200);
        Fn<Tensor, Tensor> fit = y -> solver.fit(residuals, Array.of(1.0, 0.5, 0.0), y);
        var found = Ebb.compile(fit).apply(data);
        Fn<Tensor, Tensor> cost = x -> residuals.apply(x, data).square().sum();
        assertThat(Ebb.grad(cost).apply(found).abs().amax().item()).isLessThan(1e-9);
        assertThat(found.toDoubles()).containsExactly(new double[] {2.5, 1.3, 0.4}, within(0.2));
        Differences.check(
                in -> solver.fit(residuals, Array.of(2.4, 1.3, 0.4), in.getFirst()), (Array) data);
    }

    @Test
    void wrong_settings_are_named() {
        assertThatThrownBy(() -> new Newton(0, 3)).hasMessageContaining("positive tolerance");
        assertThatThrownBy(() -> new Lbfgs(1e-3, 3, 0)).hasMessageContaining("history");
        Fn<Tensor, Tensor> none =
                p -> new Newton(1e-9, 5).solve((x, _) -> x.square().add(1), Array.of(0.3), p);
        assertThatThrownBy(() -> Ebb.compile(none).apply(Array.of(0.0)))
                .hasMessageContaining("limit of 5");
    }
}
