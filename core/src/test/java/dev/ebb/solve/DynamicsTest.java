package dev.ebb.solve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.plan.Binomial;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.util.List;

/** Events, stiff equations and noise. */
class DynamicsTest {
    private static final DormandPrince FINE = new DormandPrince(1e-11, 1e-11, 10_000);

    /** Height and speed; {@code p}: the first of each, and gravity. */
    private static DormandPrince.Arrival<Tensor> fall(Tensor p, double to) {
        Fn2<Tensor, Tensor, Tensor> f =
                (_, y) -> Tensors.stack(List.of(y.at(0, 1), p.at(0, 2).neg()), 0);
        return FINE.until((_, y) -> y.at(0, 0), f, p.slice(0, 0, 2), 0, to);
    }

    @Test
    void a_ball_hits_the_ground() {
        var p = Array.of(2.0, 3.0, 9.81);
        var landed = Ebb.compile((Tensor x) -> fall(x, 5)).apply(p);
        double root = Math.sqrt(3 * 3 + 2 * 9.81 * 2);
        double time = (3 + root) / 9.81;
        assertThat(landed.time().item()).isCloseTo(time, within(1e-13));
        assertThat(landed.y().toDoubles()).containsExactly(new double[] {0, -root}, within(1e-12));
        assertThat(landed.happened().item()).isEqualTo(1);
        Fn<Tensor, Tensor> when = x -> fall(x, 5).time();
        Fn<Tensor, Tensor> fast = x -> fall(x, 5).y().at(0, 1);
        assertThat(Ebb.compile(Ebb.grad(when)).apply(p).toDoubles())
                .containsExactly(
                        new double[] {
                            1 / root, (1 + 3 / root) / 9.81, 2 / (root * 9.81) - time / 9.81
                        },
                        within(1e-12));
        assertThat(Ebb.grad(fast).apply(p).toDoubles())
                .containsExactly(new double[] {-9.81 / root, -3 / root, -2 / root}, within(1e-11));
        var d = Array.of(0.3, -0.2, 0.5);
        assertThat(Ebb.jvp(when).apply(p, d).tangent().item())
                .isCloseTo(Ebb.grad(when).apply(p).mul(d).sum().item(), within(1e-12));
    }

    @Test
    void an_event_that_does_not_happen() {
        var p = Array.of(2.0, 3.0, 9.81);
        var early = fall(p, 0.5);
        assertThat(early.happened().item()).isEqualTo(0);
        assertThat(early.time().item()).isEqualTo(0.5);
        assertThat(early.y().toDoubles()[0]).isCloseTo(2 + 1.5 - 9.81 / 8, within(1e-12));
        Fn<Tensor, Tensor> height = x -> fall(x, 0.5).y().at(0, 0);
        assertThat(Ebb.grad(height).apply(p).toDoubles())
                .containsExactly(new double[] {1, 0.5, -0.125}, within(1e-12));
    }

    /** When a pendulum passes a moving mark, by its first angle: no closed form. */
    @Test
    void a_pendulum_passes_a_moving_mark() {
        Fn2<Tensor, List<Tensor>, List<Tensor>> f =
                (_, y) -> List.of(y.getLast(), y.getFirst().sin().neg());
        Fn<Tensor, Tensor> when =
                a ->
                        FINE.until(
                                        (t, y) -> y.getFirst().sub(t.mul(0.1).add(0.2)),
                                        f,
                                        List.of(a, a.mul(0)),
                                        0,
                                        10)
                                .time();
        double slope =
                (when.apply(Array.scalar(1.2 + 1e-5)).item()
                                - when.apply(Array.scalar(1.2 - 1e-5)).item())
                        / 2e-5;
        assertThat(Ebb.grad(when).apply(Array.scalar(1.2)).item()).isCloseTo(slope, within(1e-7));
        // and back in time
        Fn<Tensor, Tensor> back = a -> FINE.until((_, y) -> y.sub(1), (_, y) -> y, a, 2, -5).time();
        assertThat(back.apply(Array.scalar(3.0)).item()).isCloseTo(2 - Math.log(3), within(1e-10));
        assertThat(Ebb.grad(back).apply(Array.scalar(3.0)).item())
                .isCloseTo(-1.0 / 3, within(1e-9));
    }

    /** The rates are 0.04, 3e7 and 1e4 at {@code p} = 1. */
    private static Fn2<Tensor, Tensor, Tensor> robertson(Tensor p) {
        return (_, y) -> {
            var a = y.at(0, 0).mul(p.at(0, 0).mul(0.04));
            var b = y.at(0, 1).mul(y.at(0, 2)).mul(p.at(0, 1).mul(1e4));
            var c = y.at(0, 1).square().mul(p.at(0, 2).mul(3e7));
            return Tensors.stack(List.of(b.sub(a), a.sub(b).sub(c), c), 0);
        };
    }

    private static DormandPrince.Solution<Tensor> reacted(Tensor p, double tolerance) {
        return new Rosenbrock(tolerance, tolerance * 1e-4, 20_000)
                .solve(robertson(p), Array.of(1.0, 0.0, 0.0), 0, 40);
    }

    @Test
    void robertson_is_stiff_and_has_an_adjoint() {
        var one = Array.of(1.0, 1.0, 1.0);
        var solved = Ebb.compile((Tensor p) -> reacted(p, 1e-7)).apply(one);
        // Radau of SciPy 1.17 at tolerances of 1e-12 and 1e-16
        assertThat(solved.y().toDoubles()[0]).isCloseTo(ROBERTSON[0], within(1e-6));
        assertThat(solved.y().toDoubles()[1]).isCloseTo(ROBERTSON[1], within(1e-10));
        assertThat(solved.y().toDoubles()[2]).isCloseTo(ROBERTSON[2], within(1e-6));
        assertThat(solved.accepted().item()).isLessThan(1500);
        Fn<Tensor, Tensor> last = p -> reacted(p, 1e-4).y().at(0, 2);
        var gradient = Ebb.compile(Ebb.grad(last)).apply(one);
        var few = Ebb.compile(Ebb.grad(last)).with(new Binomial(3)).apply(one);
        assertThat(((Array) gradient).sameBits((Array) few)).isTrue();
        var d = Array.of(0.4, -1.0, 0.7);
        assertThat(Ebb.jvp(last).apply(one, d).tangent().item())
                .isCloseTo(gradient.mul(d).sum().item(), within(1e-10));
        Fn<Tensor, Tensor> fine = p -> reacted(p, 1e-8).y().at(0, 2);
        var compiled = Ebb.compile(fine);
        double slope =
                (compiled.apply(one.add(d.mul(1e-3))).item()
                                - compiled.apply(one.sub(d.mul(1e-3))).item())
                        / 2e-3;
        assertThat(gradient.mul(d).sum().item()).isCloseTo(slope, within(1e-4));
    }

    @Test
    void a_stiff_step_is_of_order_three_and_damps_what_is_stiff() {
        Fn2<Tensor, Tensor, Tensor> f = (t, y) -> y.square().neg().add(t.cos());
        double before = miss(f, 16);
        double after = miss(f, 32);
        assertThat(before / after).isBetween(6.5, 9.5);
        var far =
                Rosenbrock.step(
                        (_, y) -> y.mul(-1e9), Array.scalar(0.0), Array.of(1.0), Array.scalar(1.0));
        assertThat(Math.abs(far.y().item())).isLessThan(1e-6);
    }

    private static double miss(Fn2<Tensor, Tensor, Tensor> f, int steps) {
        Tensor y = Array.of(0.2);
        for (int i = 0; i < steps; i++) {
            y =
                    Rosenbrock.step(
                                    f,
                                    Array.scalar((double) i / steps),
                                    y,
                                    Array.scalar(1.0 / steps))
                            .y();
        }
        return Math.abs(y.item() - FINE.solve(f, Array.of(0.2), 0, 1).y().item());
    }

    private static final Key KEY = Key.of(42);
    private static final int PATHS = 400;

    /** Geometric Brownian motion; {@code p}: drift and volatility. */
    private static Fn2<Tensor, Tensor, Tensor> times(Tensor factor) {
        return (_, y) -> y.mul(factor);
    }

    private static Tensor euler(Tensor p, int steps) {
        return new EulerMaruyama(steps)
                .solve(times(p.at(0, 0)), times(p.at(0, 1)), first(), 0, 1, KEY);
    }

    private static Tensor milstein(Tensor p, int steps) {
        return new Milstein(steps).solve(times(p.at(0, 0)), times(p.at(0, 1)), first(), 0, 1, KEY);
    }

    private static Tensor first() {
        return Tensors.ones(dev.ebb.ir.DType.F64, PATHS);
    }

    /** What the equation has for an answer, from the same noise. */
    private static Tensor exact(Tensor p, int steps) {
        Fn2<Tensor, Tensor, Tensor> still = (_, y) -> y.mul(0);
        Fn2<Tensor, Tensor, Tensor> plain = (_, y) -> y.mul(0).add(1);
        var noise = new EulerMaruyama(steps).solve(still, plain, first().mul(0), 0, 1, KEY);
        var s = p.at(0, 1);
        return noise.mul(s).add(p.at(0, 0)).sub(s.square().mul(0.5)).exp();
    }

    private static double off(Tensor x, Tensor y) {
        return x.sub(y).abs().mean().item();
    }

    @Test
    void noise_has_its_orders() {
        var p = Array.of(0.3, 0.8);
        double euler = off(euler(p, 8), exact(p, 8)) / off(euler(p, 128), exact(p, 128));
        double milstein = off(milstein(p, 8), exact(p, 8)) / off(milstein(p, 128), exact(p, 128));
        // sixteen times the steps: orders one half and one
        assertThat(euler).isBetween(2.8, 6.0);
        assertThat(milstein).isBetween(10.0, 22.0);
        assertThat(exact(p, 128).log().mean().item()).isCloseTo(0.3 - 0.32, within(0.15));
    }

    @Test
    void gradients_go_along_the_paths_whatever_is_kept() {
        var p = Array.of(0.3, 0.8);
        Fn<Tensor, Tensor> mean = q -> milstein(q, 64).mean();
        var gradient = Ebb.compile(Ebb.grad(mean)).apply(p);
        var expected = Ebb.grad((Tensor q) -> exact(q, 64).mean()).apply(p);
        assertThat(gradient.toDoubles()).containsExactly(expected.toDoubles(), within(0.05));
        double slope =
                (mean.apply(Array.of(0.3, 0.8 + 1e-6)).item()
                                - mean.apply(Array.of(0.3, 0.8 - 1e-6)).item())
                        / 2e-6;
        assertThat(gradient.toDoubles()[1]).isCloseTo(slope, within(1e-7));
        var few = Ebb.compile(Ebb.grad(mean)).with(new Binomial(3)).apply(p);
        assertThat(((Array) gradient).sameBits((Array) few)).isTrue();
    }

    @Test
    void wrong_inputs_are_named() {
        assertThatThrownBy(() -> new Milstein(0)).hasMessageContaining("at least one step");
        assertThatThrownBy(() -> new Rosenbrock(0, 0, 1)).hasMessageContaining("tolerances");
        assertThatThrownBy(
                        () ->
                                new Rosenbrock(1e-3, 1e-3, 9)
                                        .solve(
                                                (_, y) -> y,
                                                Tensors.zeros(dev.ebb.ir.DType.F64, 2, 2),
                                                0,
                                                1))
                .hasMessageContaining("for a vector");
    }

    private static final double[] ROBERTSON = {
        0.7158270687194165, 9.185534764558227e-06, 0.2841637457458203
    };
}
