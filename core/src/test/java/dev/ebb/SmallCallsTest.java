package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;

/** Calls of small functions: by arrays of doubles, by records, and single ops on arrays. */
final class SmallCallsTest {

    record Point(Tensor x, Tensor y) {}

    record Model(Point at, List<Tensor> more, double scale, Optional<Tensor> bias) {}

    private static Tensor rosenbrock(Point p) {
        var valley = p.y.sub(p.x.square());
        return p.x.neg().add(1).square().add(valley.square().mul(100));
    }

    private static Point point(double x, double y) {
        return new Point(Array.scalar(x), Array.scalar(y));
    }

    @Test
    void doubles_in_and_out() {
        try (var f = Ebb.compile(Ebb.valueAndGrad(SmallCallsTest::rosenbrock))) {
            var small = f.primitive(point(0, 0));
            assertThat(small.inputs()).isEqualTo(2);
            assertThat(small.outputs()).isEqualTo(3);
            for (double x = -2; x < 2; x += 0.37) {
                var out = new double[3];
                small.apply(new double[] {x, 0.7}, out);
                var expected = f.apply(point(x, 0.7));
                assertThat(out)
                        .containsExactly(
                                ((Array) expected.value()).item(),
                                ((Array) expected.grad().x).item(),
                                ((Array) expected.grad().y).item());
            }
        }
    }

    @Test
    void captured_arrays_and_vectors() {
        var weights = Array.of(1.0, 2.0, 3.0);
        var f = Ebb.compile((Tensor x) -> x.mul(weights).cumsum(0));
        var small = f.primitive(Array.of(0.0, 0.0, 0.0));
        var both = new double[] {1, 1, 1};
        small.apply(both, both);
        assertThat(both).containsExactly(1, 3, 6);
        f.close();
        small.apply(new double[] {2, 1, 1}, both);
        assertThat(both).containsExactly(2, 4, 7);
        f.close();
    }

    @Test
    void what_is_no_double_is_refused() {
        try (var f = Ebb.compile((Tensor x) -> x.mul(2))) {
            assertThatThrownBy(() -> f.primitive(Array.of(1f, 2f)))
                    .hasMessage(
                            "a function of doubles has f32[2] in its argument; cast it to F64, or"
                                    + " call apply with arrays");
            var small = f.primitive(Array.of(1.0, 2.0));
            assertThatThrownBy(() -> small.apply(new double[1], new double[2]))
                    .hasMessage(
                            "arrays of 1 and 2 doubles for a function from 2 to 2; make them as"
                                    + " long as inputs() and outputs() say");
        }
        try (var f = Ebb.compile((Tensor x) -> x.gt(0))) {
            assertThatThrownBy(() -> f.primitive(Array.of(1.0)))
                    .hasMessageContaining("bool[1] as a result");
        }
    }

    @Test
    void memory_that_was_given_back_comes_again() {
        Fn<Tensor, Tensor> f = x -> x.mul(x).cumsum(0);
        var x = Array.of(1.0, 2.0, 3.0);
        long least = Ebb.compile(f).plan(x).leastBytes();
        try (var run = Ebb.compile(f).within(Budget.bytes(least + 64))) {
            var small = run.primitive(x);
            run.apply(Array.of(1.0, 2.0, 3.0, 4.0));
            var out = new double[3];
            small.apply(new double[] {1, 2, 3}, out);
            assertThat(out).containsExactly(1, 5, 14);
        }
    }

    @Test
    void trees_like_the_last_one_and_others() {
        Fn<Model, Model> f =
                m ->
                        new Model(
                                new Point(m.at.y.mul(m.scale), m.at.x),
                                m.more.stream().map(t -> t.add(1)).toList(),
                                m.scale,
                                m.bias.map(Tensor::neg));
        var a = Array.scalar(1.0);
        var b = Array.scalar(2.0);
        try (var run = Ebb.compile(f)) {
            for (double scale : new double[] {3, 3, 4, 4, 3}) {
                for (List<Tensor> more :
                        List.<List<Tensor>>of(List.of(), List.of(b), List.of(a, b))) {
                    for (var bias : List.of(Optional.<Tensor>empty(), Optional.<Tensor>of(a))) {
                        for (int again = 0; again < 2; again++) {
                            var found = run.apply(new Model(new Point(a, b), more, scale, bias));
                            assertThat(((Array) found.at.x).item()).isEqualTo(2 * scale);
                            assertThat(((Array) found.at.y).item()).isEqualTo(1);
                            assertThat(found.more).hasSameSizeAs(more);
                            assertThat(found.bias.isPresent()).isEqualTo(bias.isPresent());
                            assertThat(found.scale).isEqualTo(scale);
                        }
                    }
                }
            }
            var other =
                    run.apply(
                            new Model(
                                    new Point(a, Array.of(1.0, 2.0)),
                                    List.of(),
                                    3,
                                    Optional.empty()));
            assertThat(((Array) other.at.x).toDoubles()).containsExactly(3, 6);
        }
    }

    @Test
    void single_ops_stay_ready_up_to_a_number() {
        for (int i = 1; i < EagerEngine.MOST + 20; i++) {
            var x = Array.of(new double[i]);
            assertThat(((Array) x.add(x).add(1)).toDoubles()).hasSize(i).containsOnly(1);
            assertThat(EagerEngine.ready()).isLessThanOrEqualTo(EagerEngine.MOST);
        }
        var x = Array.of(1.0, 2.0);
        for (int i = 0; i < 20; i++)
            assertThat(((Array) x.mul(i)).toDoubles()).containsExactly(i, 2 * i);
        assertThat(((Array) x.sum()).item()).isEqualTo(3);
    }
}
