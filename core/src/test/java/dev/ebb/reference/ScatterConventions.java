package dev.ebb.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Fn;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.Map;

/** The lines of the page of conventions on elements that are sent to places by an index. */
final class ScatterConventions {
    private static final double NAN = Double.NaN;

    private final Run value;
    private final Run slope;

    /** Runs a function, or its gradient, on a device. */
    interface Run {
        double[] of(Fn<Tensor, Tensor> f, double... x);
    }

    ScatterConventions(Run value, Run slope) {
        this.value = value;
        this.slope = slope;
    }

    /** Two places, and four elements for the first, first, second and first of them. */
    private static Fn<Tensor, Tensor> sent(Way way) {
        var index = Array.of(0L, 0L, 1L, 0L);
        return t -> way.of(t.slice(0, 0, 2), 0, index, t.slice(0, 2, 6));
    }

    private interface Way {
        Tensor of(Tensor data, int axis, Tensor index, Tensor source);
    }

    private static void is(double[] found, double... expected) {
        assertThat(found).containsExactly(expected);
    }

    void add(Map<String, Runnable> lines) {
        lines.put(
                "scatter to one place twice",
                () -> {
                    is(value.of(sent(Tensor::scatter), 1, 2, 3, 4, 5, 6), 6, 5);
                    is(slope.of(sent(Tensor::scatter), 1, 2, 3, 4, 5, 6), 0, 0, 0, 0, 1, 1);
                });
        lines.put(
                "scatterMax of equals",
                () -> {
                    is(value.of(sent(Tensor::scatterMax), 4, 9, 3, 4, 5, 4), 4, 9);
                    double third = 1.0 / 3;
                    is(
                            slope.of(sent(Tensor::scatterMax), 4, 9, 3, 4, 5, 4),
                            third,
                            1,
                            0,
                            third,
                            0,
                            third);
                    is(slope.of(sent(Tensor::scatterMin), 4, 9, 4, 5, 5, 6), 0.5, 0, 0.5, 0, 1, 0);
                });
        lines.put(
                "scatterMax with NaN",
                () -> {
                    is(value.of(sent(Tensor::scatterMax), 1, NAN, NAN, 2, 3, NAN), NAN, NAN);
                    is(
                            slope.of(sent(Tensor::scatterMax), 1, NAN, NAN, 2, 3, NAN),
                            0,
                            1,
                            0.5,
                            0,
                            0,
                            0.5);
                });
    }
}
