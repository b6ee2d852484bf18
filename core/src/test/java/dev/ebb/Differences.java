package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Derivatives against central differences, and forward mode against reverse mode, in f64. */
public final class Differences {
    private static final double STEP = 1e-5;

    private Differences() {}

    /** Numbers of the standard normal distribution, always the same ones for a seed. */
    public static Array normal(long seed, int... dims) {
        var random = new Random(seed);
        var shape = Shape.of(dims);
        return Array.of(
                shape, random.doubles(shape.size()).map(_ -> random.nextGaussian()).toArray());
    }

    /** Holds the first and second derivatives of {@code f} by all its operands to differences. */
    public static void check(Fn<List<Tensor>, Tensor> f, Array... operands) {
        var at = List.<Tensor>of(operands);
        Fn<List<Tensor>, Tensor> value = in -> weighted(f.apply(in), 1);
        slope(value, at, "gradient");
        Fn<List<Tensor>, Tensor> second =
                in -> {
                    var g = Ebb.grad(value).apply(in);
                    Tensor sum = weighted(g.getFirst(), 2);
                    for (int i = 1; i < g.size(); i++) sum = sum.add(weighted(g.get(i), 2 + i));
                    return sum;
                };
        slope(second, at, "second derivative");
        forward(f, at);
    }

    /** The Jacobian means the same read forwards and backwards: (ct, J d) = (J' ct, d). */
    private static void forward(Fn<List<Tensor>, Tensor> f, List<Tensor> at) {
        var d = at.stream().map(t -> (Tensor) normal(9, t.shape().toArray())).toList();
        var y = f.apply(at);
        var ct = normal(1, y.shape().toArray());
        var tangent = Ebb.jvp(f).apply(at, d).tangent();
        var cotangents = Ebb.vjp(f).apply(at, ct).cotangent();
        double there = tangent.mul(ct).sum().item();
        double back = 0;
        double size = 1;
        for (int i = 0; i < d.size(); i++) {
            var part = cotangents.get(i).mul(d.get(i)).sum().item();
            back += part;
            size = Math.max(size, Math.abs(part));
        }
        assertThat(Math.abs(there - back)).as("forward mode").isLessThan(1e-10 * size);
    }

    /** An inner product with fixed numbers, so that no symmetry hides a fault. */
    private static Tensor weighted(Tensor x, long seed) {
        return x.mul(normal(seed, x.shape().toArray())).sum();
    }

    private static void slope(Fn<List<Tensor>, Tensor> f, List<Tensor> at, String what) {
        try (var value = Ebb.compile(f).on(Devices.best());
                var grad = Ebb.compile(Ebb.grad(f)).on(Devices.best())) {
            var g = grad.apply(at);
            double largest = 1;
            for (Tensor t : g) {
                for (double x : t.toDoubles()) largest = Math.max(largest, Math.abs(x));
            }
            for (int i = 0; i < at.size(); i++) {
                var x = (Array) at.get(i);
                for (int e = 0; e < x.type().size(); e++) {
                    double up = at(value, at, i, moved(x, e, STEP));
                    double down = at(value, at, i, moved(x, e, -STEP));
                    double found = ((Array) g.get(i)).data().get(e);
                    assertThat(Math.abs(found - (up - down) / (2 * STEP)))
                            .as("%s by operand %d at %d: %s", what, i, e, found)
                            .isLessThan(2e-7 * largest);
                }
            }
        }
    }

    private static double at(
            Fn<List<Tensor>, Tensor> f, List<Tensor> operands, int which, Array other) {
        var all = new ArrayList<>(operands);
        all.set(which, other);
        return f.apply(all).item();
    }

    private static Array moved(Array x, int element, double by) {
        var data = x.toDoubles();
        data[element] += by;
        return Array.of(new Type(x.dtype(), x.shape()), data);
    }
}
