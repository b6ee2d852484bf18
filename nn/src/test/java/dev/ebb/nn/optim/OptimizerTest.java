package dev.ebb.nn.optim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.Next;
import dev.ebb.ir.Shape;
import dev.ebb.nn.parallel.ShardedGradient;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.function.Supplier;

/** Each rule against the same rule written out in plain Java. */
final class OptimizerTest {
    private static final double[] START = {0.5, -1, 2, 0.25};
    private static final int STEPS = 4;

    /** A matrix and a vector, so that weight decay can tell them apart. */
    public record Params(Tensor matrix, Tensor vector) {}

    public record State(Params params, Optimizer.State<Params> rule) {}

    private static double[] run(Optimizer rule) {
        var params =
                new Params(
                        Array.of(Shape.of(1, 2), (float) START[0], (float) START[1]),
                        Array.of((float) START[2], (float) START[3]));
        var start = new State(params, rule.start(params));
        var one = Array.scalar(1f);
        try (var stepper = Ebb.stepper((State s, Tensor x) -> step(rule, s, x)).start(start, one)) {
            for (int i = 0; i < STEPS; i++) stepper.step(one);
            var end = stepper.state();
            assertThat(end.rule().step().item()).isEqualTo(STEPS);
            var m = end.params().matrix().toDoubles();
            var v = end.params().vector().toDoubles();
            return new double[] {m[0], m[1], v[0], v[1]};
        }
    }

    private static Next<State, Tensor> step(Optimizer rule, State s, Tensor x) {
        var loss =
                Ebb.valueAndGrad(
                                (Params p) ->
                                        p.matrix()
                                                .square()
                                                .sum()
                                                .add(p.vector().square().sum())
                                                .mul(x))
                        .apply(s.params());
        var next = rule.update(s.params(), loss.grad(), s.rule());
        return new Next<>(new State(next.params(), next.state()), loss.value());
    }

    private interface Plain {
        double next(double w, double g, double[] slots, int step, boolean decays);
    }

    private static void same(Optimizer rule, Plain plain) {
        var expected = new double[START.length];
        for (int i = 0; i < START.length; i++) {
            double w = START[i];
            var slots = new double[2];
            for (int t = 1; t <= STEPS; t++) w = plain.next(w, 2 * w, slots, t, i < 2);
            expected[i] = w;
        }
        assertThat(run(rule)).containsExactly(expected, within(2e-6));
    }

    @Test
    void sgd() {
        same(Sgd.of(0.1), (w, g, _, _, _) -> w - 0.1 * g);
        same(
                new Sgd(LearningRateSchedule.constant(0.1), 0.9),
                (w, g, s, _, _) -> {
                    s[0] = 0.9 * s[0] + g;
                    return w - 0.1 * s[0];
                });
    }

    private static double adam(double w, double g, double[] s, int t, double rate) {
        s[0] = 0.9 * s[0] + 0.1 * g;
        s[1] = 0.999 * s[1] + 0.001 * g * g;
        double mean = s[0] / (1 - Math.pow(0.9, t));
        double square = s[1] / (1 - Math.pow(0.999, t));
        return w - rate * mean / (Math.sqrt(square) + 1e-8);
    }

    @Test
    void adamAndAdamW() {
        same(Adam.of(0.1), (w, g, s, t, _) -> adam(w, g, s, t, 0.1));
        same(
                new AdamW(Adam.of(0.1), 0.5),
                (w, g, s, t, decays) -> adam(decays ? w - 0.1 * 0.5 * w : w, g, s, t, 0.1));
    }

    @Test
    void lion() {
        same(
                Lion.of(0.1),
                (w, g, s, _, decays) -> {
                    double way = Math.signum(0.9 * s[0] + (1 - 0.9) * g);
                    s[0] = 0.99 * s[0] + (1 - 0.99) * g;
                    return w - 0.1 * (way + (decays ? 0.1 * w : 0));
                });
    }

    @Test
    void schedules() {
        var cosine = LearningRateSchedule.cosine(1, 0.1, 10).warmedUp(4);
        assertThat(at(cosine, 0)).isCloseTo(0.25, within(1e-6));
        assertThat(at(cosine, 3)).isCloseTo(1, within(1e-6));
        assertThat(at(cosine, 9)).isCloseTo(0.55, within(1e-6));
        assertThat(at(cosine, 100)).isCloseTo(0.1, within(1e-6));
        assertThat(at(LearningRateSchedule.linear(1, 0, 4), 1)).isCloseTo(0.75, within(1e-6));
        assertThat(at(LearningRateSchedule.exponential(1, 0.5, 2), 4))
                .isCloseTo(0.25, within(1e-6));
        assertThat(at(LearningRateSchedule.inverseRoot(1), 3)).isCloseTo(0.5, within(1e-6));
    }

    private static double at(LearningRateSchedule schedule, float step) {
        return schedule.at(Array.scalar(step)).item();
    }

    @Test
    void clippingScalesAllTogether() {
        var gradients = new Params(Array.of(Shape.of(1, 2), 3f, 0f), Array.of(0f, 4f));
        assertThat(Gradients.norm(gradients).item()).isCloseTo(5, within(1e-6));
        var clipped = Gradients.clipped(gradients, 1);
        assertThat(((Array) clipped.vector()).data().get(1)).isCloseTo(0.8, within(1e-5));
        var small = Gradients.clipped(gradients, 10);
        assertThat(((Array) small.vector()).data().get(1)).isEqualTo(4);
    }

    @Test
    void ratesAndNormsThatWouldClimbAreRefused() {
        for (double wrong : new double[] {-0.1, Double.NaN, Double.POSITIVE_INFINITY}) {
            for (var make :
                    List.<Supplier<Object>>of(
                            () -> Sgd.of(wrong),
                            () -> AdamW.of(wrong),
                            () -> Lion.of(wrong),
                            () -> LearningRateSchedule.linear(1, wrong, 5),
                            () -> LearningRateSchedule.cosine(wrong, 0, 5),
                            () -> LearningRateSchedule.exponential(wrong, 0.5, 5),
                            () -> LearningRateSchedule.inverseRoot(wrong)))
                assertThatThrownBy(make::get)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("a learning rate of " + wrong);
        }
        for (double wrong : new double[] {-1, 0, Double.NaN})
            assertThatThrownBy(() -> Gradients.clipped(Array.of(3f), wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a norm of " + wrong);
    }

    @Test
    void accumulationIsTheMeanOverParts() {
        var w = Array.of(1f, 2f);
        Tensor x = Array.of(Shape.of(4, 2), 1f, 2f, 3f, 4f, 5f, 6f, 7f, 8f);
        var whole = Ebb.valueAndGrad((Tensor p) -> x.mul(p).square().mean()).apply(w);
        var parts =
                new ShardedGradient(2, 2)
                        .valueAndGrad(
                                (Tensor p, List<Tensor> b) -> b.getFirst().mul(p).square().mean(),
                                (Tensor) w,
                                List.of(x));
        assertThat(parts.value().item()).isCloseTo(whole.value().item(), within(1e-4));
        assertThat(((Array) parts.grad()).data().get(0))
                .isCloseTo(((Array) whole.grad()).data().get(0), within(1e-4));
    }

    @Test
    void averagesMove() {
        var next = new MovingAverage(0.9).next((Tensor) Array.of(1f), Array.of(2f));
        assertThat(((Array) next).data().get(0)).isCloseTo(1.1, within(1e-6));
    }
}
