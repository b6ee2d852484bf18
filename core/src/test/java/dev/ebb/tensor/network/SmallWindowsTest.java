package dev.ebb.tensor.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Random;

/** Max pooling by elementwise kernels gives the bits of the plain loops over windows. */
class SmallWindowsTest {
    private static final double[] ODD = {
        Double.NaN, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, 0.0, -0.0, 1, 1
    };

    private static Array random(Shape shape, int odd, Random random) {
        var data = new double[Math.toIntExact(shape.size())];
        for (int i = 0; i < data.length; i++) {
            data[i] =
                    random.nextInt(10) < odd
                            ? ODD[random.nextInt(ODD.length)]
                            : random.nextInt(-4, 5) / 2.0;
        }
        return Array.of(shape, data);
    }

    private record Windowing(Shape shape, Pool pool) {}

    private static final List<Windowing> ALL =
            List.of(
                    new Windowing(Shape.of(2, 3, 8, 6), Pool.of(2)),
                    new Windowing(Shape.of(1, 2, 7, 9), Pool.of(2)),
                    new Windowing(Shape.of(2, 1, 8, 8), Pool.of(3).stride(2).padding(1)),
                    new Windowing(Shape.of(1, 2, 5, 7), Pool.of(3).stride(1).padding(1)),
                    new Windowing(Shape.of(1, 1, 7, 5), Pool.of(3, 2).stride(2, 3).padding(1, 0)),
                    new Windowing(Shape.of(1, 1, 9, 9), Pool.of(2).stride(3)),
                    new Windowing(Shape.of(1, 2, 11), Pool.of(4).stride(3).padding(2)),
                    new Windowing(Shape.of(1, 1, 4, 3, 5), Pool.of(2, 1, 2).stride(1)),
                    new Windowing(Shape.of(0, 2, 4, 4), Pool.of(2)),
                    new Windowing(Shape.of(1, 2, 9, 11), Pool.of(5).stride(2).padding(2)),
                    new Windowing(Shape.of(1, 1, 40), Pool.of(33).stride(3).padding(16)),
                    new Windowing(Shape.of(1, 1, 6, 20), Pool.of(3, 17).stride(1, 2).padding(1, 8)),
                    new Windowing(
                            Shape.of(1, 1, 3, 4, 5), Pool.of(3, 4, 5).stride(1).padding(1, 2, 2)));

    private static Fn<Tensor, Tensor> loops(Windowing w) {
        return x -> {
            var p = w.pool().over(x.rank() - 2);
            return x.apply(new MaxPooling.Max(Windows.of(x, p)));
        };
    }

    private static Fn<Tensor, Tensor> small(Windowing w) {
        return x -> x.maxPool(w.pool());
    }

    @Test
    void values_have_the_bits_of_plain_loops() {
        var random = new Random(1);
        for (var w : ALL) {
            for (int odd : new int[] {0, 3, 10}) {
                var x = random(w.shape(), odd, random);
                var expected = (Array) loops(w).apply(x);
                assertThat(((Array) small(w).apply(x)).sameBits(expected)).as("%s", w).isTrue();
            }
        }
    }

    @Test
    void derivatives_of_two_orders_have_the_bits_of_plain_loops() {
        var random = new Random(2);
        for (var w : ALL) {
            var x = random(w.shape(), 3, random);
            var weights = random(((Array) loops(w).apply(x)).shape(), 0, random);
            Fn<Fn<Tensor, Tensor>, Fn<Tensor, Tensor>> first =
                    f -> Ebb.grad(t -> f.apply(t).mul(weights).mul(f.apply(t.detach())).sum());
            Fn<Fn<Tensor, Tensor>, Fn<Tensor, Tensor>> second =
                    f ->
                            Ebb.grad(
                                    t ->
                                            Ebb.grad(
                                                            (Tensor u) ->
                                                                    f.apply(u)
                                                                            .square()
                                                                            .mul(weights)
                                                                            .sum())
                                                    .apply(t)
                                                    .mul(x.detach())
                                                    .sum());
            for (var order : List.of(first, second)) {
                var clean = random(w.shape(), 0, random);
                var expected = (Array) order.apply(loops(w)).apply(clean);
                var actual = (Array) order.apply(small(w)).apply(clean);
                assertThat(actual.sameBits(expected)).as("%s", w).isTrue();
            }
        }
    }
}
