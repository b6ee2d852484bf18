package dev.ebb.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Compiled;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.exec.Device;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Holds the shape and the first and second derivatives of every sampled op to what a small step
 * along a random direction does, and forward mode to reverse mode, on a device.
 */
public abstract class OpsDerivatives {
    private static final double STEP = 5e-4;

    protected OpsDerivatives() {}

    protected abstract Device device();

    /** Operands, cotangents of the results, and directions like the operands. */
    record Point(List<Tensor> x, List<Tensor> u, List<Tensor> w) {}

    @TestFactory
    Stream<DynamicTest> every_op_at_awkward_sizes() {
        return SampleTable.all().stream()
                .flatMap(
                        s ->
                                s.sizes().stream()
                                        .map(
                                                n ->
                                                        DynamicTest.dynamicTest(
                                                                s.name() + " at " + n,
                                                                () -> check(s, n))));
    }

    private void check(Sample sample, int size) {
        var all = sample.operands().apply(size);
        var whole = run(sample.fn(), List.<Tensor>copyOf(all));
        assertThat(whole.getFirst().shape()).as("shape").isEqualTo(sample.shape().apply(size));
        var x = all.stream().filter(a -> a.dtype().isFloat()).map(a -> (Tensor) a).toList();
        var results = whole.stream().filter(t -> t.dtype().isFloat()).toList();
        if (x.isEmpty() || results.isEmpty()) return;

        Fn<List<Tensor>, List<Tensor>> f =
                some ->
                        sample.fn().apply(merge(all, some)).stream()
                                .filter(t -> t.dtype().isFloat())
                                .toList();
        Fn<Point, List<Tensor>> vjp = p -> Ebb.vjp(f).apply(p.x(), p.u()).cotangent();
        Fn<Point, Tensor> projected = p -> inner(vjp.apply(p), p.w());
        Fn<Point, List<Tensor>> hvp = p -> Ebb.grad(projected).apply(p).x();
        Fn<Point, List<Tensor>> jvp = p -> Ebb.jvp(f).apply(p.x(), p.w()).tangent();

        var v = like(x, 3);
        var point = new Point(x, like(results, 5), like(x, 4));
        try (var value = Ebb.compile(f).on(device());
                var slopes = Ebb.compile(vjp).on(device())) {
            check(sample, point, v, results, value, slopes, run(jvp, new Point(x, point.u(), v)));
            if (!sample.smooth()) return;
            var pulled = slopes.apply(point);
            var second = run(hvp, point);
            equal(
                    slope(at -> dot(slopes.apply(new Point(at, point.u(), v)), point.w()), x, v),
                    dot(second, v),
                    1e-8 * (1 + size(second, v) + size(pulled, point.w())),
                    "a small step and the second derivative");
        }
    }

    /** The first derivative, by both modes and by a small step. */
    private static void check(
            Sample sample,
            Point point,
            List<Tensor> v,
            List<Tensor> results,
            Compiled<List<Tensor>, List<Tensor>> value,
            Compiled<Point, List<Tensor>> slopes,
            List<Tensor> pushed) {
        var pulled = slopes.apply(point);
        equal(
                dot(pushed, point.u()),
                dot(pulled, v),
                (sample.smooth() ? 1e-12 : 1e-6) * size(pulled, v),
                "forward and reverse mode");
        if (!sample.smooth()) return;
        equal(
                slope(at -> dot(value.apply(at), point.u()), point.x(), v),
                dot(pulled, v),
                1e-8 * (1 + size(pulled, v) + size(results, point.u())),
                "a small step and the first derivative");
    }

    private <P> List<Tensor> run(Fn<P, List<Tensor>> f, P at) {
        try (var compiled = Ebb.compile(f).on(device())) {
            return compiled.apply(at);
        }
    }

    private static Tensor inner(List<Tensor> a, List<Tensor> b) {
        var sum = a.getFirst().mul(b.getFirst()).sum();
        for (int i = 1; i < a.size(); i++) sum = sum.add(a.get(i).mul(b.get(i)).sum());
        return sum;
    }

    /** The derivative of {@code g} along {@code v}, by central differences of fourth order. */
    private static double slope(Function<List<Tensor>, Double> g, List<Tensor> x, List<Tensor> v) {
        double near = g.apply(moved(x, v, STEP)) - g.apply(moved(x, v, -STEP));
        double far = g.apply(moved(x, v, 2 * STEP)) - g.apply(moved(x, v, -2 * STEP));
        return (8 * near - far) / (12 * STEP);
    }

    private static List<Tensor> moved(List<Tensor> x, List<Tensor> v, double by) {
        var out = new ArrayList<Tensor>();
        for (int i = 0; i < x.size(); i++) {
            var moved = doubles(x.get(i));
            var direction = doubles(v.get(i));
            for (int j = 0; j < moved.length; j++) moved[j] += by * direction[j];
            out.add(Array.of(x.get(i).type(), moved));
        }
        return out;
    }

    /** Random tensors of the same types, each element in [-1, 1). */
    private static List<Tensor> like(List<Tensor> tensors, int seed) {
        var random = new Random(seed);
        return tensors.stream().map(t -> like(t.type(), random)).toList();
    }

    private static Tensor like(Type type, Random random) {
        return Array.of(type, random.doubles(type.size(), -1, 1).toArray());
    }

    /** The operands with their floats replaced. */
    private static List<Tensor> merge(List<Array> all, List<Tensor> floats) {
        var left = floats.iterator();
        return all.stream().map(a -> a.dtype().isFloat() ? left.next() : (Tensor) a).toList();
    }

    private static double dot(List<Tensor> a, List<Tensor> b) {
        double sum = 0;
        for (int i = 0; i < a.size(); i++) {
            var x = doubles(a.get(i));
            var y = doubles(b.get(i));
            for (int j = 0; j < x.length; j++) sum += x[j] * y[j];
        }
        return sum;
    }

    /** The sum of the magnitudes that a {@link #dot} adds up. */
    private static double size(List<Tensor> a, List<Tensor> b) {
        double sum = 0;
        for (int i = 0; i < a.size(); i++) {
            var x = doubles(a.get(i));
            var y = doubles(b.get(i));
            for (int j = 0; j < x.length; j++) sum += Math.abs(x[j] * y[j]);
        }
        return sum;
    }

    private static double[] doubles(Tensor t) {
        return t.toDoubles();
    }

    private static void equal(double found, double expected, double bound, String what) {
        assertThat(found).as(what).isCloseTo(expected, within(bound));
    }
}
