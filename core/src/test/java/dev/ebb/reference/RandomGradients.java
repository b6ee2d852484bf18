package dev.ebb.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.exec.Device;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Holds the gradients of random programs to what small steps do, on a device. A program that fails
 * is cut to the fewest steps that still do, and printed.
 */
public abstract class RandomGradients {
    private static final int PROGRAMS = 70;
    private static final int LENGTH = 12;

    protected RandomGradients() {}

    protected abstract Device device();

    @TestFactory
    Stream<DynamicTest> random_programs() {
        // other programs on every device: the derivatives are the same graph on each
        long first = (long) PROGRAMS * Math.floorMod(device().name().hashCode(), 1_000);
        return LongStream.range(first, first + PROGRAMS)
                .mapToObj(seed -> DynamicTest.dynamicTest("seed " + seed, () -> check(seed)));
    }

    private void check(long seed) {
        var program = RandomProgram.of(seed, LENGTH);
        if (!isWrong(program, seed)) return;
        var least =
                IntStream.rangeClosed(1, LENGTH)
                        .mapToObj(program::first)
                        .filter(p -> isWrong(p, seed))
                        .findFirst()
                        .orElse(program);
        assertThat(true).as("the gradient of%n%s", least).isFalse();
    }

    /**
     * Whether the gradient along a random direction differs from a small step along it. Two step
     * lengths that disagree have a kink between them and say nothing.
     */
    private boolean isWrong(RandomProgram program, long seed) {
        var random = new Random(seed);
        List<Tensor> x = new ArrayList<>(program.inputs());
        var v = program.inputs().stream().map(a -> direction(a, random)).toList();
        try (var both = Ebb.compile(Ebb.valueAndGrad(program)).on(device())) {
            double slope = 0;
            double size = 1;
            var at = both.apply(x);
            if (seed % 4 == 0 && !isValueAlone(program, x, at.value())) return true;
            var g = at.grad();
            for (int i = 0; i < v.size(); i++) {
                var d = g.get(i).toDoubles();
                for (int j = 0; j < d.length; j++) {
                    slope += d[j] * v.get(i).data().get(j);
                    size += Math.abs(d[j] * v.get(i).data().get(j));
                }
            }
            Fn<List<Tensor>, Tensor> value = moved -> both.apply(moved).value();
            double near = apart(value, program, v, 1e-4);
            double middle = apart(value, program, v, 2e-4);
            double far = apart(value, program, v, 4e-4);
            double wide = step(middle, far, 2e-4);
            double narrow = step(near, middle, 1e-4);
            boolean kink = Math.abs(wide - narrow) > 1e-7 * size;
            return !kink && !(Math.abs(slope - narrow) <= 1e-6 * size);
        }
    }

    /** Whether the program without its gradient gives the same bits. */
    private boolean isValueAlone(RandomProgram program, List<Tensor> x, Tensor value) {
        try (var alone = Ebb.compile(program).on(device())) {
            return alone.apply(x).sameBits(value);
        }
    }

    /** The derivative along {@code v}, by central differences of fourth order. */
    private static double step(double near, double far, double h) {
        return (8 * near - far) / (12 * h);
    }

    /** How far apart the values at a distance of {@code h} to both sides are. */
    private static double apart(
            Fn<List<Tensor>, Tensor> f, RandomProgram at, List<Array> v, double h) {
        return moved(f, at, v, h) - moved(f, at, v, -h);
    }

    private static double moved(
            Fn<List<Tensor>, Tensor> f, RandomProgram at, List<Array> v, double by) {
        var x = new ArrayList<Tensor>();
        for (int i = 0; i < v.size(); i++) {
            var data = at.inputs().get(i).toDoubles();
            for (int j = 0; j < data.length; j++) data[j] += by * v.get(i).data().get(j);
            x.add(Array.of(v.get(i).type(), data));
        }
        return f.apply(x).item();
    }

    private static Array direction(Array like, Random random) {
        return Array.of(like.type(), random.doubles(like.type().size(), -1, 1).toArray());
    }
}
