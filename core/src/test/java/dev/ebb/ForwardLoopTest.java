package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.ir.DType;
import dev.ebb.plan.Every;
import dev.ebb.plan.RecomputeAll;
import dev.ebb.plan.Segments;
import dev.ebb.plan.StoreAll;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Tangents go along with the iterations of a loop: what they give is held to the pullback, as a
 * direction forwards times one backwards is the same number by both.
 */
final class ForwardLoopTest {
    private final Random random = new Random(5);

    private Array numbers(int n) {
        return Array.of(random.doubles(n, 0.3, 0.9).toArray());
    }

    private static double dot(Tensor a, Tensor b) {
        return a.mul(b).sum().item();
    }

    /** f maps 6 numbers to some. */
    private void check(Fn<Tensor, Tensor> f) {
        var x = numbers(6);
        var direction = numbers(6);
        try (var forwards =
                        Ebb.compile(
                                (List<Tensor> in) -> {
                                    var both = Ebb.jvp(f).apply(in.get(0), in.get(1));
                                    return List.of(both.value(), both.tangent());
                                });
                var value = Ebb.compile(f)) {
            var found = forwards.apply(List.of(x, direction));
            var plain = (Array) value.apply(x);
            assertThat(((Array) found.get(0)).sameBits(plain)).isTrue();
            Tensor seed = numbers(Math.toIntExact(plain.type().size())).reshape(plain.shape());
            var back = Ebb.vjp(f).apply(x, seed).cotangent();
            double expected = dot(back, direction);
            double near = 1e-12 * Math.max(1, Math.abs(expected));
            assertThat(dot(found.get(1), seed)).isCloseTo(expected, within(near));
        }
    }

    private record State(Tensor x, Tensor round, Tensor sum) {}

    @Test
    void carries_of_floats_and_whole_numbers_constants_and_slices() {
        check(
                x -> {
                    var first =
                            new State(
                                    x.slice(0, 0, 2),
                                    Array.scalar(0L),
                                    x.slice(0, 0, 2).sum().mul(0));
                    var rows = x.mul(2).reshape(3, 2);
                    var weight = x.slice(0, 4, 6).sin();
                    var done =
                            Loop.scan(
                                    first,
                                    rows,
                                    (State s, Tensor row) -> {
                                        var next = s.x.mul(weight).add(row.exp());
                                        var sum =
                                                s.sum.add(next.mul(s.round.cast(DType.F64)).sum());
                                        var state = new State(next, s.round.add(1), sum);
                                        return new Next<>(state, next.tanh());
                                    });
                    return done.carry().sum.add(done.stacked().sum()).mul(x);
                });
    }

    @Test
    void stacked_results_between_two_loops() {
        check(
                x -> {
                    var stacked =
                            Loop.scan(
                                            x.sum(),
                                            x,
                                            (Tensor c, Tensor row) ->
                                                    new Next<>(c.mul(row).sin(), c.square()))
                                    .stacked();
                    return Loop.repeat(5, stacked.exp(), v -> v.mul(0.9).add(x.cos()));
                });
    }

    @Test
    void loops_in_loops_and_loops_that_end_when_they_like() {
        check(x -> Loop.repeat(3, x, v -> Loop.repeat(2, v, w -> w.sin().mul(x)).add(v.square())));
        check(x -> Loop.whileTrue(10, x, v -> v.sum().lt(40), v -> v.mul(1.5).add(x.square())));
    }

    @Test
    void a_loop_that_no_tangent_reaches() {
        check(
                x -> {
                    var still = Loop.repeat(4, (Tensor) Array.of(0.1, 0.2), v -> v.cos());
                    return x.mul(still.sum());
                });
    }

    @Test
    void derivatives_of_tangents() {
        Fn<Tensor, Tensor> f = x -> Loop.repeat(4, x, v -> v.sin().mul(x)).sum();
        var x = numbers(6);
        var direction = numbers(6);
        var reverse = Ebb.hvp(f).apply(x, direction);
        var forward = Ebb.jvp(Ebb.grad(f)).apply(x, direction).tangent();
        var over = Ebb.grad((Tensor at) -> Ebb.jvp(f).apply(at, direction).tangent()).apply(x);
        for (int i = 0; i < 6; i++) {
            double expected = reverse.at(0, i).item();
            assertThat(forward.at(0, i).item()).isCloseTo(expected, within(1e-12));
            assertThat(over.at(0, i).item()).isCloseTo(expected, within(1e-12));
        }
    }

    /** A carry is written over by what is computed from it, and read for its tangent. */
    @Test
    void every_strategy_has_the_same_bits() {
        Fn<List<Tensor>, List<Tensor>> f =
                in -> {
                    var both =
                            Ebb.jvp((Tensor x) -> Loop.repeat(5, x, c -> c.reciprocal().expm1()))
                                    .apply(in.get(0), in.get(1));
                    return List.of(both.value(), both.tangent());
                };
        var in = List.<Tensor>of(numbers(6), numbers(6));
        var strategies = List.of(new StoreAll(), new RecomputeAll(), new Every(2), Segments.sqrt());
        var expected = new ArrayList<Tensor>();
        for (var strategy : strategies) {
            try (var run = Ebb.compile(f).with(strategy)) {
                var found = run.apply(in);
                if (expected.isEmpty()) expected.addAll(found);
                for (int i = 0; i < 2; i++)
                    assertThat(found.get(i).sameBits(expected.get(i))).as("%s", strategy).isTrue();
            }
        }
    }
}
