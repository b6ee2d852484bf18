package dev.ebb.nn.optim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.Next;
import dev.ebb.ir.DType;
import dev.ebb.nn.parallel.ShardedGradient;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Every rule on weights of every float type, against the same rule in plain double arithmetic. */
final class OptimizerTypesTest {
    private static final double[] START = {0.5, -1, 2, 0.25};
    private static final int STEPS = 30;

    /** Weights of one type together with one of f32, so that a model has mixed types. */
    public record Params(Tensor weights, Tensor single) {}

    public record State(Params params, Optimizer.State<Params> rule) {}

    private interface Plain {
        double next(double w, double g, double[] slots, int step);
    }

    private static final List<Optimizer> RULES =
            List.of(
                    Sgd.of(0.01),
                    new Sgd(LearningRateSchedule.cosine(0.01, 0.001, STEPS), 0.9),
                    Adam.of(0.01),
                    new AdamW(Adam.of(0.01), 0.5),
                    Lion.of(0.01));

    private static List<Plain> plain() {
        var rules = new ArrayList<Plain>();
        rules.add((w, g, _, _) -> w - 0.01 * g);
        rules.add(
                (w, g, s, t) -> {
                    double share = (t - 1.0) / STEPS;
                    s[0] = 0.9 * s[0] + g;
                    return w - (0.001 + 0.0045 * (1 + Math.cos(Math.PI * share))) * s[0];
                });
        rules.add(OptimizerTypesTest::adam);
        rules.add(OptimizerTypesTest::adam);
        rules.add(
                (w, g, s, _) -> {
                    double way = Math.signum(0.9 * s[0] + (1 - 0.9) * g);
                    s[0] = 0.99 * s[0] + (1 - 0.99) * g;
                    return w - 0.01 * way;
                });
        return rules;
    }

    private static double adam(double w, double g, double[] s, int t) {
        s[0] = 0.9 * s[0] + 0.1 * g;
        s[1] = 0.999 * s[1] + 0.001 * g * g;
        double mean = s[0] / (1 - Math.pow(0.9, t));
        return w - 0.01 * mean / (Math.sqrt(s[1] / (1 - Math.pow(0.999, t))) + 1e-8);
    }

    /** {@code x} rounded to the type. */
    private static double rounded(double x, DType type) {
        return Array.of(x).cast(type).cast(DType.F64).item();
    }

    private static State run(Optimizer rule, DType type) {
        var params = new Params(Array.of(START).cast(type), Array.of(1f));
        var start = new State(params, rule.start(params));
        var one = Array.scalar(1f);
        try (var stepper = Ebb.stepper((State s, Tensor x) -> step(rule, s, x)).start(start, one)) {
            for (int i = 0; i < STEPS; i++) stepper.step(one);
            return stepper.state();
        }
    }

    private static Next<State, Tensor> step(Optimizer rule, State s, Tensor x) {
        var loss =
                Ebb.valueAndGrad(
                                (Params p) ->
                                        p.weights()
                                                .square()
                                                .sum()
                                                .cast(DType.F32)
                                                .add(p.single().square().sum())
                                                .mul(x))
                        .apply(s.params());
        var next = rule.update(s.params(), loss.grad(), s.rule());
        return new Next<>(new State(next.params(), next.state()), loss.value());
    }

    @Test
    void every_rule_moves_weights_of_every_type() {
        for (int r = 0; r < RULES.size(); r++) {
            for (var type : List.of(DType.F64, DType.F32, DType.BF16, DType.F16)) {
                var end = run(RULES.get(r), type);
                boolean narrow = type == DType.BF16 || type == DType.F16;
                var moved = narrow ? end.rule.masters().getFirst() : end.params.weights();
                double[] found = moved.toDoubles();
                for (int i = 0; i < START.length; i++) {
                    double w = START[i];
                    var slots = new double[2];
                    for (int t = 1; t <= STEPS; t++) {
                        w = plain().get(r).next(w, 2 * rounded(w, type), slots, t);
                    }
                    double bound = type == DType.F64 ? 1e-13 : 2e-6;
                    assertThat(found[i])
                            .as("%s of %s", RULES.get(r), type)
                            .isCloseTo(w, within(bound));
                    assertThat(end.params.weights().dtype()).isEqualTo(type);
                    assertThat(end.params.weights().toDoubles()[i])
                            .isEqualTo(rounded(found[i], type));
                }
            }
        }
    }

    /** Each update is a tenth of the resolution of bf16 at one. */
    @Test
    void steps_below_the_resolution_of_a_weight_add_up() {
        var rule = Sgd.of(0.0004);
        Tensor w = Array.of(1.0).cast(DType.BF16);
        var state = rule.start(w);
        for (int i = 0; i < 100; i++) {
            var next = rule.update(w, w.mul(0).add(1), state);
            w = next.params();
            state = next.state();
        }
        assertThat(w.item()).isCloseTo(0.96, within(0.002));
    }

    @Test
    void what_cannot_be_moved_is_refused_by_name() {
        var whole = new Params(Array.of(1L, 2L), Array.of(1f));
        assertThatThrownBy(() -> Adam.of(1).start(whole))
                .hasMessageContainingAll("weights", "i64[2]", "floats");
        Tensor half = Array.of(1f).cast(DType.F16);
        var state = Sgd.of(1).start((Tensor) Array.of(1f));
        assertThatThrownBy(() -> Sgd.of(1).update(half, half, state))
                .hasMessageContainingAll("sixteen bits", "start()");
    }

    @Test
    void what_surrounds_a_rule_takes_every_type() {
        for (var type : List.of(DType.F64, DType.BF16, DType.F16)) {
            Tensor g = Array.of(new double[] {300, 400}).cast(type);
            assertThat(Gradients.norm(g).item()).isEqualTo(500);
            var clipped = (Array) Gradients.clipped(g, 5);
            assertThat(clipped.dtype()).isEqualTo(type);
            assertThat(clipped.toDoubles()[1]).isCloseTo(4, within(0.02));
            // 33 times 99 cannot be represented in sixteen bits, but the mean can
            Tensor x = Array.of(new double[33]).add(99).cast(type).reshape(33, 1);
            var sum =
                    new ShardedGradient(33, 33)
                            .valueAndGrad(
                                    (Tensor p, List<Tensor> b) -> b.getFirst().mul(p).sum(),
                                    Array.of(1.0).cast(type),
                                    List.of(x));
            assertThat(sum.grad().item()).isEqualTo(99);
            var average = new MovingAverage(0.999);
            var mean = average.start(Array.of(1.0).cast(type));
            for (int i = 0; i < 100; i++) {
                mean = average.next(mean, Array.of(2.0).cast(type));
            }
            assertThat(mean.item()).isCloseTo(2 - Math.pow(0.999, 100), within(1e-4));
            // a scale that f16 cannot represent
            var scaled =
                    LossScale.of(0x1p17).valueAndGrad((Tensor p) -> p.mul(0.25).sum(), half(type));
            boolean finite = scaled.finite().item() == 1;
            assertThat(finite).isEqualTo(type != DType.F16);
            if (finite) assertThat(scaled.gradients().item()).isEqualTo(0.25);
        }
    }

    private static Tensor half(DType type) {
        return Array.of(1.0).cast(type);
    }
}
