package dev.ebb.reference;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Holds a device to the values, first and second derivatives that PyTorch computed, case by case.
 * Bounds are relative to the largest magnitude of the tensor in question.
 */
public abstract class OpsReference {
    private static final Tensorfile FILE = Tensorfile.of("ops");
    private static final List<CaseTable> TABLES = List.of(new BasicCases(), new NetworkCases());

    private static final Set<String> FACTORISATIONS =
            Set.of(
                    "cholesky",
                    "solve",
                    "triangular_solve",
                    "inverse",
                    "det",
                    "logdet",
                    "slogdet",
                    "qr_r",
                    "eigvalsh",
                    "eigh_square",
                    "svdvals");

    /**
     * Where the reference itself is wrong by more than the bound: PyTorch's derivative of
     * hardsigmoid takes a sixth as a 32-bit float, and its trigamma series breaks off after three
     * terms.
     */
    private static final Map<String, Double> REFERENCE_ERRORS =
            Map.of("hardsigmoid vjp", 4e-8, "digamma vjp", 2e-9, "lgamma hvp", 2e-9);

    /**
     * The second derivative of a deviation over two elements is zero, and the reference holds
     * rounding in its place: there the bound is one of this magnitude, not of the tensor's own.
     */
    private static final Map<String, Double> ZERO_BUT_FOR_ROUNDING = Map.of("std", 1e-2);

    /** Operands or cotangents by position, and those that stay fixed. */
    record Point(List<Tensor> operands, Tensor cotangent) {}

    protected OpsReference() {}

    protected abstract Device device();

    @TestFactory
    Stream<DynamicTest> value_and_first_derivative_in_f64() {
        return tests(_ -> true, (c, fn) -> first(c, fn, DType.F64, 1e-10));
    }

    @TestFactory
    Stream<DynamicTest> value_and_first_derivative_in_f32() {
        return tests(_ -> true, (c, fn) -> first(c, fn, DType.F32, factors(c) ? 1e-4 : 1e-5));
    }

    @TestFactory
    Stream<DynamicTest> second_derivative_in_f64() {
        return tests(c -> !c.vjp().isEmpty(), this::second);
    }

    private static boolean factors(Case c) {
        return FACTORISATIONS.contains(c.op());
    }

    /** {@code bound}, or what the reference's own error in this figure asks for in f64. */
    private static double bound(Case c, String figure, DType floats, double bound) {
        return floats == DType.F64
                ? REFERENCE_ERRORS.getOrDefault(c.op() + " " + figure, bound)
                : bound;
    }

    private interface Check {
        void on(Case c, Fn<List<Tensor>, Tensor> fn);
    }

    private static Stream<DynamicTest> tests(Predicate<Case> which, Check check) {
        return Case.all(FILE).stream()
                .filter(which)
                .map(c -> DynamicTest.dynamicTest(c.id(), () -> check.on(c, written(c))));
    }

    private static Fn<List<Tensor>, Tensor> written(Case c) {
        return TABLES.stream()
                .map(t -> t.find(c))
                .flatMap(Optional::stream)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no table knows " + c.op()));
    }

    private void first(Case c, Fn<List<Tensor>, Tensor> fn, DType floats, double bound) {
        var all = tensors(c, c.inputs(), floats);
        var value = (Array) Ebb.compile(fn).on(device()).apply(all);
        close(value, tensor(c, "out", DType.F64), bound, 0, "value");
        if (c.vjp().isEmpty()) return;
        var point = new Point(tensors(c, c.vjp(), floats), tensor(c, "ct", floats));
        var vjp = Ebb.compile((Point p) -> pulled(c, fn, floats, p)).on(device()).apply(point);
        for (int i = 0; i < vjp.size(); i++) {
            var expected = tensor(c, "vjp." + c.vjp().get(i), DType.F64);
            close(
                    (Array) vjp.get(i),
                    expected,
                    bound(c, "vjp", floats, bound),
                    0,
                    "vjp of " + c.vjp().get(i));
        }
    }

    /**
     * The gradient of the inner product of all first derivatives with their directions. A case
     * without one is linear, and its second derivative is zero along any direction.
     */
    private void second(Case c, Fn<List<Tensor>, Tensor> fn) {
        var point = new Point(tensors(c, c.vjp(), DType.F64), tensor(c, "ct", DType.F64));
        var directions = new ArrayList<Array>();
        for (int i = 0; i < c.vjp().size(); i++) {
            var name = "dir." + c.vjp().get(i);
            var type = point.operands().get(i).type();
            directions.add(FILE.has(c.id() + "/" + name) ? tensor(c, name, DType.F64) : any(type));
        }
        Fn<Point, Point> gradient =
                Ebb.grad(
                        (Point p) -> {
                            var d = pulled(c, fn, DType.F64, p);
                            Tensor sum = d.getFirst().mul(directions.getFirst()).sum();
                            for (int i = 1; i < d.size(); i++)
                                sum = sum.add(d.get(i).mul(directions.get(i)).sum());
                            return sum;
                        });
        var hvp = Ebb.compile(gradient).on(device()).apply(point).operands();
        for (int i = 0; i < hvp.size(); i++) {
            var name = c.vjp().get(i);
            var found = (Array) hvp.get(i);
            if (c.hvp().contains(name)) {
                var expected = tensor(c, "hvp." + name, DType.F64);
                double bound = bound(c, "hvp", DType.F64, factors(c) ? 1e-8 : 1e-10);
                double least = ZERO_BUT_FOR_ROUNDING.getOrDefault(c.op(), 0.0);
                close(found, expected, bound, least, "hvp of " + name);
            } else if (c.hvp().isEmpty()) {
                close(found, zeros(found.type()), 0, 0, "hvp of " + name);
            }
        }
    }

    /** The cotangents of the operands that have one, at a point. */
    private static List<Tensor> pulled(
            Case c, Fn<List<Tensor>, Tensor> fn, DType floats, Point point) {
        Fn<List<Tensor>, Tensor> partial = some -> fn.apply(filled(c, floats, some));
        return Ebb.vjp(partial).apply(point.operands(), point.cotangent()).cotangent();
    }

    /** All operands: those with a derivative from {@code some}, the others from the file. */
    private static List<Tensor> filled(Case c, DType floats, List<Tensor> some) {
        var all = new ArrayList<Tensor>();
        for (String name : c.inputs()) {
            int i = c.vjp().indexOf(name);
            all.add(i >= 0 ? some.get(i) : tensor(c, "in." + name, floats));
        }
        return all;
    }

    private static List<Tensor> tensors(Case c, List<String> names, DType floats) {
        return names.stream().map(n -> (Tensor) tensor(c, "in." + n, floats)).toList();
    }

    private static Array tensor(Case c, String name, DType floats) {
        return FILE.tensor(c.id() + "/" + name, floats);
    }

    private static Array any(Type type) {
        var random = new Random(7);
        return Array.of(type, random.doubles(type.size(), -1, 1).toArray());
    }

    private static Array zeros(Type type) {
        return Array.of(type, new double[Math.toIntExact(type.size())]);
    }

    private static void close(
            Array found, Array expected, double bound, double least, String what) {
        assertThat(found.shape()).as(what).isEqualTo(expected.shape());
        double largest = least;
        for (double x : expected.toDoubles()) largest = Math.max(largest, Math.abs(x));
        for (int i = 0; i < expected.type().size(); i++) {
            double error = Math.abs(found.data().get(i) - expected.data().get(i));
            assertThat(error)
                    .as(
                            "%s [%d]: %s where %s",
                            what, i, found.data().get(i), expected.data().get(i))
                    .isLessThanOrEqualTo(bound * largest);
        }
    }
}
