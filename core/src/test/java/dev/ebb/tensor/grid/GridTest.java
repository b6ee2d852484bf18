package dev.ebb.tensor.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Compiled;
import dev.ebb.Ebb;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Random;

class GridTest {

    record Pair(Tensor x, Tensor f) {}

    /** What entered, the sum, and what is left of it when the same is taken away. */
    record Passed(Tensor entered, Tensor sum, Tensor back) {}

    private static Compiled<Pair, Passed> passing(Grid grid) {
        return Ebb.compile(
                p -> {
                    var x = grid.enter(p.x());
                    var y = grid.add(x, p.f());
                    return new Passed(x, y, grid.sub(y, p.f()));
                });
    }

    /** Whole steps of {@code x}, half to even, if the grid has so many. */
    private static boolean fits(double x, int bits, DType type) {
        return Math.abs(Math.scalb(x, bits)) < Grid.half(type) - 0.5;
    }

    private static double expected(double x, double f, int bits, DType type) {
        long half = (long) Grid.half(type);
        long sum = (long) Math.rint(Math.scalb(x, bits)) + (long) Math.rint(Math.scalb(f, bits));
        return Math.scalb((double) (Math.floorMod(sum + half, 2 * half) - half), -bits);
    }

    /** Any bits at all: infinities, NaNs of every kind, denormals; and numbers about the grid's. */
    private static double any(Random random, int bits, DType type) {
        double reach = Math.scalb(Grid.half(type), -bits);
        return switch (random.nextInt(8)) {
            case 0 ->
                    type == DType.F32
                            ? Float.intBitsToFloat(random.nextInt())
                            : Double.longBitsToDouble(random.nextLong());
            case 1 -> 0.0 * (random.nextInt(3) - 1);
            case 2 -> Math.scalb(random.nextGaussian(), -130);
            case 3 -> Double.MIN_VALUE * random.nextInt(100);
            case 4 -> reach * (1 - random.nextInt(3) * Math.scalb(1.0, -22));
            case 5 -> -reach * (1 - random.nextInt(3) * Math.scalb(1.0, -22));
            case 6 -> new double[] {Double.NaN, 1 / 0.0, -1 / 0.0, 1e30}[random.nextInt(4)];
            default -> reach * random.nextGaussian() / 2;
        };
    }

    private static void everyBitComesBack(DType type, long seed) {
        var random = new Random(seed);
        int refused = 0;
        int wrapped = 0;
        for (int bits : new int[] {0, 9, 16, 23, -7}) {
            var passing = passing(new Grid(bits));
            for (int n = 0; n < 1000; n++) {
                var one = new Type(type, Shape.of(1));
                var x = Array.of(one, any(random, bits, type));
                var f = Array.of(one, any(random, bits, type));
                if (!fits(x.data().get(0), bits, type) || !fits(f.data().get(0), bits, type)) {
                    assertThatThrownBy(() -> passing.apply(new Pair(x, f)))
                            .isInstanceOf(GridException.class);
                    refused++;
                    continue;
                }
                var passed = passing.apply(new Pair(x, f));
                var entered = (Array) passed.entered();
                double rounded =
                        Math.scalb(Math.rint(Math.scalb(x.data().get(0), bits)), -bits) + 0.0;
                assertThat(entered.data().get(0)).isEqualTo(rounded);
                var sum = expected(x.data().get(0), f.data().get(0), bits, type);
                if (sum
                        != rounded
                                + Math.scalb(Math.rint(Math.scalb(f.data().get(0), bits)), -bits))
                    wrapped++;
                assertThat(passed.sum().sameBits(Array.of(one, sum)))
                        .as("%s + %s on %s bits: %s", x, f, bits, passed.sum())
                        .isTrue();
                assertThat(passed.back().sameBits(entered))
                        .as("%s + %s on %s bits", x, f, bits)
                        .isTrue();
            }
            passing.close();
        }
        assertThat(refused).isBetween(1000, 4000);
        assertThat(wrapped).isGreaterThan(50);
    }

    @Test
    void tenThousandInputsComeBackToTheLastBitOrAreRefused() {
        everyBitComesBack(DType.F32, 1);
        everyBitComesBack(DType.F64, 2);
    }

    @Test
    void theEndsOfTheGridMeet() {
        for (var type : List.of(DType.F32, DType.F64)) {
            double h = Grid.half(type);
            double[] ends = {1 - h, 2 - h, -h / 2, -1, 0, 1, h / 2, h / 2 + 1, h - 2, h - 1};
            int n = ends.length * ends.length;
            var x = new double[n];
            var f = new double[n];
            var sums = new double[n];
            for (int i = 0; i < n; i++) {
                x[i] = ends[i / ends.length];
                f[i] = ends[i % ends.length];
                sums[i] = expected(x[i], f[i], 0, type);
            }
            var all = new Type(type, Shape.of(n));
            try (var passing = passing(new Grid(0))) {
                var passed = passing.apply(new Pair(Array.of(all, x), Array.of(all, f)));
                assertThat(passed.sum().sameBits(Array.of(all, sums))).isTrue();
                assertThat(passed.back().sameBits(Array.of(all, x))).isTrue();
            }
            // a stream may come to lie at the lower end, where nothing enters
            var low = Array.of(new Type(type, Shape.of(2)), -h, -h);
            var f2 = Array.of(new Type(type, Shape.of(2)), h - 1, -1);
            var grid = new Grid(0);
            var there = (Array) grid.sub(low, f2);
            assertThat(there.toDoubles()).containsExactly(1, 1 - h);
            assertThat(grid.add(there, f2).sameBits(low)).isTrue();
        }
    }

    @Test
    void scalingKeepsEveryStep() {
        var grid = new Grid(12);
        var x = Array.of(-2047.5f, 2047.99975586f, 0f, 0.000244140625f);
        var y = (Array) grid.scale(grid.enter(x), 5);
        assertThat(y.toDoubles()).isEqualTo(new double[] {-65520, 65535.9921875, 0, 0.0078125});
        assertThat(grid.scaled(5).scale(y, -5).sameBits((Array) grid.enter(x))).isTrue();
        assertThat(grid.scaled(5)).isEqualTo(new Grid(7));
        assertThatThrownBy(() -> grid.scale(x, -60)).hasMessageContaining("72 fractional bits");
    }

    @Test
    void theGradientGoesStraightThrough() {
        var grid = new Grid(3);
        var x = Array.of(0.3, -1.7, 2.2);
        var f = Array.of(0.1, 5.3, -3.3);
        var hessian =
                Ebb.hessian(
                        (Tensor v) -> {
                            var y = grid.add(grid.enter(v), f.mul(v));
                            return grid.scale(y, 1).square().sum();
                        });
        var rounded = hessian.apply(x).toDoubles();
        for (int i = 0; i < 3; i++) {
            double slope = 2 * (1 + f.data().get(i));
            assertThat(rounded[4 * i]).isEqualTo(2 * slope * slope);
        }
        var gradient = Ebb.grad((Tensor v) -> grid.sub(grid.enter(v), v.square()).sum());
        assertThat(gradient.apply(x).toDoubles())
                .isEqualTo(new double[] {1 - 0.6, 1 + 3.4, 1 - 4.4});
    }

    @Test
    void whatDoesNotFitIsNamed() {
        var grid = new Grid(16);
        var x = Array.of(Shape.of(2, 2), 1f, 2f, 129f, 1e9f);
        assertThatThrownBy(
                        () ->
                                Ebb.compile(
                                                (Tensor t) ->
                                                        Ebb.region("encoder", () -> grid.enter(t)))
                                        .apply(x))
                .isInstanceOf(GridException.class)
                .hasMessage(
                        "what enters the grid in encoder: 129.0 at [1, 0] lies beyond a grid of 16"
                                + " fractional bits in f32, which ends at 127.99998474121094; scale"
                                + " it down, or take a grid of 1 fractional bits less");
        var nan = Array.of(Shape.of(2, 2), 1f, Float.NaN, 3f, Float.POSITIVE_INFINITY);
        var start = Array.of(Shape.of(2, 2), 1f, 1f, 1f, 1f);
        assertThatThrownBy(() -> grid.add(start, nan))
                .isInstanceOf(GridException.class)
                .hasMessageContaining("what is added on the grid: NaN at [0, 1] has no place")
                .hasMessageContaining("divides by zero");
    }

    @Test
    void whatHasTooFewDigitsIsRefused() {
        for (var type : List.of(DType.BF16, DType.F16, DType.I32, DType.I64)) {
            var x = Array.of(new Type(type, Shape.of(2)), 1, 2);
            assertThatThrownBy(() -> new Grid(4).enter(x))
                    .isInstanceOf(ShapeException.class)
                    .hasMessageContaining("needs f32 or f64, not " + type);
        }
        assertThatThrownBy(() -> new Grid(4).add(Array.of(1f, 2f), Array.scalar(1f)))
                .isInstanceOf(ShapeException.class)
                .hasMessageContaining("broadcastTo");
        assertThatThrownBy(() -> new Grid(65)).hasMessageContaining("65 fractional bits");
    }
}
