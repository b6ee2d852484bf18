package dev.ebb.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.exec.Device;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Holds {@code Ebb.vmap} of every sampled op, of its gradient, its Jacobian-vector and its
 * Hessian-vector product to a loop that applies the same function to one slice after the other: bit
 * for bit, once, nested twice, and with operands that all slices share.
 */
public abstract class MappedOps {
    private static final int OUTER = 2;
    private static final int INNER = 3;

    protected MappedOps() {}

    protected abstract Device device();

    /** Operands, and a direction for each that is of floats. */
    record Point(List<Tensor> operands, List<Tensor> directions) {
        List<Tensor> floats() {
            return operands.stream().filter(t -> t.dtype().isFloat()).toList();
        }

        Point with(List<Tensor> floats) {
            var left = floats.iterator();
            return new Point(
                    operands.stream().map(t -> t.dtype().isFloat() ? left.next() : t).toList(),
                    directions);
        }
    }

    @TestFactory
    Stream<DynamicTest> every_op_once_and_twice() {
        return SampleTable.all().stream()
                .map(s -> DynamicTest.dynamicTest(s.name(), () -> check(s, size(s))));
    }

    private static int size(Sample sample) {
        return sample.sizes().contains(13) ? 13 : sample.sizes().getLast();
    }

    private void check(Sample sample, int size) {
        var f = all(sample);
        var points =
                IntStream.range(0, OUTER * INNER)
                        .mapToObj(i -> point(sample.operands().apply(size), i))
                        .toList();
        var loop = new ArrayList<List<Tensor>>();
        try (var one = Ebb.compile(f).on(device())) {
            for (var p : points) loop.add(one.apply(p));
        }
        var stacked = joined(points);
        try (var once = Ebb.compile(Ebb.vmap(f)).on(device())) {
            same(once.apply(stacked), loop, "vmap");
        }
        var twice = new Point(folded(stacked.operands), folded(stacked.directions));
        try (var nested = Ebb.compile(Ebb.vmap(Ebb.vmap(f))).on(device())) {
            same(nested.apply(twice).stream().map(MappedOps::flat).toList(), loop, "vmap of vmap");
        }
        shared(f, points);
    }

    /** The first operand alone differs from slice to slice. */
    private void shared(Fn<Point, List<Tensor>> f, List<Point> points) {
        if (points.getFirst().operands.size() < 2) return;
        var rest = points.getFirst();
        Fn<Tensor, List<Tensor>> first =
                x -> {
                    var operands = new ArrayList<>(rest.operands);
                    operands.set(0, x);
                    return f.apply(new Point(operands, rest.directions));
                };
        var slices = points.stream().map(p -> p.operands.getFirst()).limit(INNER).toList();
        var loop = new ArrayList<List<Tensor>>();
        try (var one = Ebb.compile(first).on(device());
                var many = Ebb.compile(Ebb.vmap(first)).on(device())) {
            for (var x : slices) loop.add(one.apply(x));
            same(many.apply(Tensors.stack(slices, 0)), loop, "vmap of the first operand");
        }
    }

    private static void same(List<Tensor> mapped, List<List<Tensor>> loop, String what) {
        for (int r = 0; r < mapped.size(); r++) {
            var found = (Array) mapped.get(r);
            assertThat(found.shape().dim(0)).isEqualTo(loop.size());
            for (int i = 0; i < loop.size(); i++) {
                var expected = (Array) loop.get(i).get(r);
                var type = expected.type();
                assertThat(found.type().with(type.shape())).isEqualTo(type);
                var slice = found.data().segment().asSlice(i * type.bytes(), type.bytes());
                var bits = Array.make(type, to -> to.segment().copyFrom(slice));
                assertThat(bits.sameBits(expected))
                        .as("%s, result %d, slice %d: %s where %s", what, r, i, bits, expected)
                        .isTrue();
            }
        }
    }

    /** Value, gradient, Jacobian-vector product and Hessian-vector product together. */
    private static Fn<Point, List<Tensor>> all(Sample sample) {
        return p -> {
            var out = new ArrayList<>(sample.fn().apply(p.operands));
            var results = out.stream().filter(t -> t.dtype().isFloat()).toList();
            if (p.floats().isEmpty() || results.isEmpty()) return out;
            Fn<List<Tensor>, List<Tensor>> f =
                    x ->
                            sample.fn().apply(p.with(x).operands).stream()
                                    .filter(t -> t.dtype().isFloat())
                                    .toList();
            var u = results.stream().map(t -> t.detach().mul(0.5).add(0.25)).toList();
            Fn<List<Tensor>, List<Tensor>> vjp = x -> Ebb.vjp(f).apply(x, u).cotangent();
            out.addAll(vjp.apply(p.floats()));
            out.addAll(Ebb.jvp(f).apply(p.floats(), p.directions).tangent());
            out.addAll(
                    Ebb.grad((List<Tensor> x) -> inner(vjp.apply(x), p.directions))
                            .apply(p.floats()));
            return out;
        };
    }

    private static Tensor inner(List<Tensor> a, List<Tensor> b) {
        var sum = a.getFirst().mul(b.getFirst()).sum();
        for (int i = 1; i < a.size(); i++) sum = sum.add(a.get(i).mul(b.get(i)).sum());
        return sum;
    }

    /** Floats a little smaller each time, whole numbers in another order. */
    private static Point point(List<Array> operands, int number) {
        var random = new Random(number);
        var varied = new ArrayList<Tensor>();
        var directions = new ArrayList<Tensor>();
        for (Array a : operands) {
            var data = a.toDoubles();
            var next = new double[data.length];
            for (int i = 0; i < data.length; i++) {
                next[i] =
                        a.dtype().isFloat()
                                ? data[i] * (1 - number / 256.0)
                                : data[(i + number) % data.length];
            }
            varied.add(Array.of(a.type(), next));
            if (a.dtype().isFloat())
                directions.add(Array.of(a.type(), random.doubles(data.length, -1, 1).toArray()));
        }
        return new Point(varied, directions);
    }

    private static Point joined(List<Point> points) {
        return new Point(
                stacked(points.stream().map(Point::operands).toList()),
                stacked(points.stream().map(Point::directions).toList()));
    }

    private static List<Tensor> stacked(List<List<Tensor>> slices) {
        return IntStream.range(0, slices.getFirst().size())
                .mapToObj(i -> Tensors.stack(slices.stream().map(s -> s.get(i)).toList(), 0))
                .toList();
    }

    private static List<Tensor> folded(List<Tensor> stacked) {
        return stacked.stream()
                .map(
                        t -> {
                            var dims = new ArrayList<>(t.shape().dims());
                            dims.set(0, INNER);
                            dims.addFirst(OUTER);
                            return t.reshape(new Shape(dims));
                        })
                .toList();
    }

    private static Tensor flat(Tensor nested) {
        var dims = new ArrayList<>(nested.shape().dims());
        dims.removeFirst();
        dims.set(0, OUTER * INNER);
        return nested.reshape(new Shape(dims));
    }
}
