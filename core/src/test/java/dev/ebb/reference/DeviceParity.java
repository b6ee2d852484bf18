package dev.ebb.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Devices;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.exec.Device;
import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Holds a device to the Reference device: every sampled op and its derivative, in both widths of
 * float, from empty to longer than a page.
 */
public abstract class DeviceParity {
    private static final int LONG = 4098;

    protected DeviceParity() {}

    protected abstract Device device();

    /** Operands, and cotangents of the results that are floats. */
    record Point(List<Tensor> x, List<Tensor> u) {}

    @TestFactory
    Stream<DynamicTest> every_op_in_f64() {
        return tests(DType.F64, 1e-12);
    }

    @TestFactory
    Stream<DynamicTest> every_op_in_f32() {
        return tests(DType.F32, 1e-5);
    }

    private Stream<DynamicTest> tests(DType floats, double bound) {
        return SampleTable.all().stream()
                .flatMap(
                        s ->
                                sizes(s).stream()
                                        .map(
                                                n ->
                                                        DynamicTest.dynamicTest(
                                                                s.name() + " at " + n,
                                                                () -> check(s, n, floats, bound))));
    }

    /** None, one, many in one tile, and more than a tile and a page; of others what they say. */
    private static List<Integer> sizes(Sample sample) {
        return sample.sizes().equals(Sample.SIZES) ? List.of(0, 1, 207, LONG) : sample.sizes();
    }

    /** What the Reference gives: results, and gradients of the operands that are floats. */
    record Both(List<Tensor> value, List<Tensor> derivative) {}

    private void check(Sample sample, int size, DType floats, double bound) {
        List<Tensor> x =
                sample.operands().apply(size).stream().map(a -> rounded(a, floats)).toList();
        var value = run(sample.fn(), x, device());
        var random = new Random(5);
        var u = value.stream().map(y -> cotangent(y.type(), random)).toList();
        Fn<Point, Both> both =
                p -> {
                    var vjp = Ebb.vjp(sample.fn()).apply(p.x(), p.u());
                    var floating =
                            vjp.cotangent().stream().filter(t -> t.dtype().isFloat()).toList();
                    return new Both(vjp.value(), floating);
                };
        Fn<Point, List<Tensor>> derivative = p -> both.apply(p).derivative();
        var point = new Point(x, u);
        var expected = run(both, point, Devices.reference());
        compare(value, expected.value(), bound, "value");
        compare(run(derivative, point, device()), expected.derivative(), bound, "derivative");
    }

    private static Tensor rounded(Array a, DType floats) {
        return a.dtype().isFloat() ? Array.of(a.type().with(floats), a.toDoubles()) : a;
    }

    private static Tensor cotangent(Type type, Random random) {
        return Array.of(type, random.doubles(type.size(), -1, 1).toArray());
    }

    private static <P, R> R run(Fn<P, R> f, P at, Device device) {
        try (var compiled = Ebb.compile(f).on(device)) {
            return compiled.apply(at);
        }
    }

    private static void compare(
            List<Tensor> found, List<Tensor> expected, double bound, String what) {
        assertThat(types(found)).as(what).isEqualTo(types(expected));
        for (int i = 0; i < found.size(); i++) {
            var f = found.get(i).toDoubles();
            var e = expected.get(i).toDoubles();
            double largest = 0;
            for (double y : e) largest = Math.max(largest, Math.abs(y));
            double allowed = found.get(i).dtype().isFloat() ? bound * largest : 0;
            var wrong = new ArrayList<String>();
            for (int j = 0; j < e.length; j++) {
                if (!(Math.abs(f[j] - e[j]) <= allowed))
                    wrong.add(j + ": " + f[j] + " for " + e[j]);
            }
            assertThat(wrong).as("%s %d", what, i).isEmpty();
        }
    }

    private static List<Type> types(List<Tensor> tensors) {
        return tensors.stream().map(Tensor::type).toList();
    }
}
