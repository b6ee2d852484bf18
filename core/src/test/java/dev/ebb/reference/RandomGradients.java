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
    private static final int LENGTH = 12;

    protected RandomGradients() {}

    protected abstract Device device();

    /** How many programs. */
    protected int programs() {
        return 200;
    }

    @TestFactory
    Stream<DynamicTest> random_programs() {
        return LongStream.range(0, programs())
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
        try (var value = Ebb.compile(program).on(device());
                var gradient = Ebb.compile(Ebb.grad(program)).on(device())) {
            double slope = 0;
            double size = 1;
            var g = gradient.apply(x);
            for (int i = 0; i < v.size(); i++) {
                var d = g.get(i).toDoubles();
                for (int j = 0; j < d.length; j++) {
                    slope += d[j] * v.get(i).data().get(j);
                    size += Math.abs(d[j] * v.get(i).data().get(j));
                }
            }
            double wide = step(value, program, v, 2e-4);
            double narrow = step(value, program, v, 1e-4);
            boolean kink = Math.abs(wide - narrow) > 1e-7 * size;
            return !kink && !(Math.abs(slope - narrow) <= 1e-6 * size);
        }
    }

    /** The derivative along {@code v}, by central differences of fourth order. */
    private static double step(
            Fn<List<Tensor>, Tensor> f, RandomProgram at, List<Array> v, double h) {
        double near = moved(f, at, v, h) - moved(f, at, v, -h);
        double far = moved(f, at, v, 2 * h) - moved(f, at, v, -2 * h);
        return (8 * near - far) / (12 * h);
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
