package dev.ebb.solve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.plan.Binomial;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.util.List;

class SolveTest {

    /** {@code x'' = mu (1 - x^2) x' - x}; {@code p} holds x, x' and mu. */
    private static Tensor vanDerPol(Tensor p, int steps, double to) {
        var mu = p.at(0, 2);
        Fn2<Tensor, List<Tensor>, List<Tensor>> f =
                (_, y) -> {
                    var x = y.getFirst();
                    var v = y.getLast();
                    return List.of(v, x.square().neg().add(1).mul(v).mul(mu).sub(x));
                };
        var last = new Rk4(steps).solve(f, List.of(p.at(0, 0), p.at(0, 1)), 0, to);
        return last.getFirst().add(last.getLast().mul(0.5));
    }

    private static Tensor lorenz(Tensor p, int steps) {
        Fn2<Tensor, Tensor, Tensor> f =
                (_, s) -> {
                    var x = s.slice(0, 0, 1);
                    var y = s.slice(0, 1, 2);
                    var z = s.slice(0, 2, 3);
                    return Tensors.concat(
                            List.of(
                                    y.sub(x).mul(10),
                                    x.mul(z.neg().add(28)).sub(y),
                                    x.mul(y).sub(z.mul(8.0 / 3))),
                            0);
                };
        return new Rk4(steps).solve(f, p, 0, steps * 0.01).sum();
    }

    /** The adjoint along a direction, and the tangent along it: the same number, two ways. */
    private static void agree(Fn<Tensor, Tensor> f, Array at, double tolerance) {
        var direction = Array.of(0.3, -0.2, 0.5);
        double tangent = Ebb.jvp(f).apply(at, direction).tangent().item();
        double adjoint = ((Array) Ebb.compile(Ebb.grad(f)).apply(at)).mul(direction).sum().item();
        assertThat(adjoint).isCloseTo(tangent, within(tolerance * Math.max(1, Math.abs(tangent))));
    }

    @Test
    void vanDerPolForwardsAndBackwards() {
        agree(p -> vanDerPol(p, 5_000, 20), Array.of(2.0, 0.0, 1.5), 1e-8);
    }

    @Test
    void lorenzIsChaoticAndStillAgrees() {
        agree(p -> lorenz(p, 2_000), Array.of(1.0, 2.0, 20.0), 1e-6);
    }

    /** {@code x'' + 2 d x' + w^2 x = 0} from x = 1, x' = 0: x(t) in closed form. */
    private static double closed(double w, double d, double t) {
        double o = Math.sqrt(w * w - d * d);
        return Math.exp(-d * t) * (Math.cos(o * t) + d / o * Math.sin(o * t));
    }

    private static Fn2<Tensor, Tensor, Tensor> oscillator(Tensor p) {
        return (_, s) -> {
            var x = s.slice(0, 0, 1);
            var v = s.slice(0, 1, 2);
            var w = p.slice(0, 0, 1);
            var d = p.slice(0, 1, 2);
            var force = w.square().mul(x).add(d.mul(v).mul(2)).neg();
            return Tensors.concat(List.of(v, force), 0);
        };
    }

    @Test
    void aDampedOscillatorAgainstItsClosedForm() {
        var at = Array.of(2.0, 0.3);
        var start = Array.of(1.0, 0.0);
        Fn<Tensor, Tensor> fixed =
                p -> new Rk4(2000).solve(oscillator(p), (Tensor) start, 0, 5).at(0, 0);
        Fn<Tensor, Tensor> adaptive =
                p ->
                        new DormandPrince(1e-11, 1e-11, 5000)
                                .solve(oscillator(p), (Tensor) start, 0, 5)
                                .y()
                                .at(0, 0);
        double dw = (closed(2 + 1e-6, 0.3, 5) - closed(2 - 1e-6, 0.3, 5)) / 2e-6;
        double dd = (closed(2, 0.3 + 1e-6, 5) - closed(2, 0.3 - 1e-6, 5)) / 2e-6;
        for (var f : List.of(fixed, adaptive)) {
            var both = Ebb.compile(Ebb.valueAndGrad(f)).apply(at);
            assertThat(both.value().item()).isCloseTo(closed(2, 0.3, 5), within(1e-9));
            assertThat(both.grad().toDoubles())
                    .containsExactly(new double[] {dw, dd}, within(1e-8));
        }
    }

    /** A fast part that dies out: few large steps once it has, small ones while it lives. */
    @Test
    void aStiffishProblemTakesStepsAsItNeedsThem() {
        Fn2<Tensor, Tensor, Tensor> f = (t, y) -> y.sub(t.cos()).mul(-50);
        var solver = new DormandPrince(1e-7, 1e-9, 10_000);
        Fn<Tensor, List<Tensor>> run =
                y -> {
                    var s = solver.solve(f, y, 0, 3);
                    return List.of(s.y(), s.accepted(), s.refused());
                };
        var out = Ebb.compile(run).apply(Array.of(0.0));
        double exact = 50 * (50 * Math.cos(3) + Math.sin(3)) / 2501;
        assertThat(out.getFirst().item()).isCloseTo(exact, within(1e-6));
        assertThat(out.get(1).item()).isBetween(50.0, 400.0);
        assertThat(out.get(2).item()).isBetween(0.0, 60.0);
        Fn<Tensor, Tensor> last = y -> solver.solve(f, y, 0, 0.1).y().sum();
        assertThat(Ebb.grad(last).apply(Array.of(0.0)).item())
                .isCloseTo(Math.exp(-5), within(1e-6));
        for (int slots : new int[] {2, 5}) {
            var few =
                    (Array)
                            Ebb.compile(Ebb.grad(last))
                                    .with(new Binomial(slots))
                                    .apply(Array.of(0.0));
            assertThat(few.sameBits((Array) Ebb.grad(last).apply(Array.of(0.0)))).isTrue();
        }
    }

    @Test
    void runsBackwardsInTime() {
        Fn2<Tensor, Tensor, Tensor> f = (_, y) -> y;
        Fn<Tensor, Tensor> g = y -> DormandPrince.standard().solve(f, y, 1, 0).y();
        assertThat(Ebb.compile(g).apply(Array.of(Math.E)).item()).isCloseTo(1, within(1e-5));
    }

    @Test
    void wrongInputsAreNamed() {
        assertThatThrownBy(() -> new Rk4(0)).hasMessageContaining("at least one step");
        assertThatThrownBy(() -> new DormandPrince(0, 0, 10)).hasMessageContaining("tolerances");
        Fn<Tensor, Tensor> f = y -> new Rk4(3).solve((_, s) -> s, y, 0, 1);
        assertThatThrownBy(() -> Ebb.compile(f).apply(Array.of(1, 2)))
                .hasMessageContaining("one float type");
        Fn<Tensor, Tensor> g =
                y -> new DormandPrince(1e-9, 1e-9, 5).solve((_, s) -> s, y, 0, 100).y();
        assertThatThrownBy(() -> Ebb.compile(g).apply(Array.of(1.0)))
                .hasMessageContaining("limit of 5");
    }
}
