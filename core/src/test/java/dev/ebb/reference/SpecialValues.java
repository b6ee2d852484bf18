package dev.ebb.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.Fn2;
import dev.ebb.exec.Device;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Holds a device's scalar functions to 40-digit values over their whole domain: {@code
 * special.txt}, which {@code special_values.py} beside it writes. Functions of one argument get it
 * twice.
 */
public abstract class SpecialValues {
    private static final double INF = Double.POSITIVE_INFINITY;
    private static final Map<String, Fn2<Tensor, Tensor, Tensor>> FUNCTIONS = functions();

    /** Arguments, the value, and how many units in its last place f64 may be off. */
    private record Point(double x, double y, BigDecimal value, double bound) {
        boolean isSingle() {
            return x == (float) x && y == (float) y;
        }
    }

    protected SpecialValues() {}

    protected abstract Device device();

    private static Map<String, Fn2<Tensor, Tensor, Tensor>> functions() {
        var f = new LinkedHashMap<String, Fn2<Tensor, Tensor, Tensor>>();
        f.put("exp", (x, _) -> x.exp());
        f.put("expm1", (x, _) -> x.expm1());
        f.put("log", (x, _) -> x.log());
        f.put("log1p", (x, _) -> x.log1p());
        f.put("log2", (x, _) -> x.log2());
        f.put("sqrt", (x, _) -> x.sqrt());
        f.put("rsqrt", (x, _) -> x.rsqrt());
        f.put("reciprocal", (x, _) -> x.reciprocal());
        f.put("sin", (x, _) -> x.sin());
        f.put("cos", (x, _) -> x.cos());
        f.put("tan", (x, _) -> x.tan());
        f.put("asin", (x, _) -> x.asin());
        f.put("acos", (x, _) -> x.acos());
        f.put("atan", (x, _) -> x.atan());
        f.put("sinh", (x, _) -> x.sinh());
        f.put("cosh", (x, _) -> x.cosh());
        f.put("tanh", (x, _) -> x.tanh());
        f.put("asinh", (x, _) -> x.asinh());
        f.put("acosh", (x, _) -> x.acosh());
        f.put("atanh", (x, _) -> x.atanh());
        f.put("erf", (x, _) -> x.erf());
        f.put("erfc", (x, _) -> x.erfc());
        f.put("erfinv", (x, _) -> x.erfinv());
        f.put("lgamma", (x, _) -> x.lgamma());
        f.put("digamma", (x, _) -> x.digamma());
        f.put("polygamma1", (x, _) -> x.polygamma(1));
        f.put("polygamma2", (x, _) -> x.polygamma(2));
        f.put("polygamma5", (x, _) -> x.polygamma(5));
        f.put("sigmoid", (x, _) -> x.sigmoid());
        f.put("log_sigmoid", (x, _) -> x.logSigmoid());
        f.put("softplus", (x, _) -> x.softplus());
        f.put("silu", (x, _) -> x.silu());
        f.put("mish", (x, _) -> x.mish());
        f.put("gelu", (x, _) -> x.gelu());
        f.put("gelu_tanh", (x, _) -> x.geluTanh());
        f.put("elu", (x, _) -> x.elu(1));
        f.put("softsign", (x, _) -> x.softsign());
        f.put("pow", Tensor::pow);
        f.put("atan2", Tensor::atan2);
        f.put("hypot", Tensor::hypot);
        f.put("logaddexp", Tensor::logaddexp);
        f.put("xlogy", Tensor::xlogy);
        return f;
    }

    @TestFactory
    Stream<DynamicTest> f64_is_within_its_bound() {
        return tests(false);
    }

    @TestFactory
    Stream<DynamicTest> f32_is_within_its_bound() {
        return tests(true);
    }

    private Stream<DynamicTest> tests(boolean single) {
        var points = read();
        assertThat(points.keySet()).isEqualTo(FUNCTIONS.keySet());
        return points.entrySet().stream()
                .map(
                        e ->
                                DynamicTest.dynamicTest(
                                        e.getKey(), () -> check(e.getKey(), e.getValue(), single)));
    }

    private static Map<String, List<Point>> read() {
        var found = new LinkedHashMap<String, List<Point>>();
        var stream = SpecialValues.class.getResourceAsStream("special.txt");
        try (var in =
                new BufferedReader(
                        new InputStreamReader(
                                Objects.requireNonNull(stream), StandardCharsets.UTF_8))) {
            for (String line : in.lines().toList()) {
                var words = List.of(line.split(" "));
                int last = words.size() - 1;
                double x = Double.parseDouble(words.get(1));
                double y = Double.parseDouble(words.get(last - 2));
                found.computeIfAbsent(words.getFirst(), _ -> new ArrayList<>())
                        .add(
                                new Point(
                                        x,
                                        y,
                                        new BigDecimal(words.get(last - 1)),
                                        Double.parseDouble(words.get(last))));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    private void check(String name, List<Point> all, boolean single) {
        var points = all.stream().filter(p -> !single || p.isSingle()).toList();
        assertThat(points).hasSizeGreaterThan(10);
        var got = values(name, points, single);
        double worst = 0;
        var where = "";
        for (int i = 0; i < points.size(); i++) {
            var p = points.get(i);
            double off = units(got[i], p.value, single) / p.bound;
            if (!(off <= worst)) {
                worst = off;
                where = name + "(" + p.x + ", " + p.y + ") = " + p.value + ", not " + got[i];
            }
        }
        assertThat(worst).as("%s, in bounds", where).isLessThanOrEqualTo(1);
    }

    private double[] values(String name, List<Point> points, boolean single) {
        var f = Objects.requireNonNull(FUNCTIONS.get(name));
        double[] x = points.stream().mapToDouble(Point::x).toArray();
        double[] y = points.stream().mapToDouble(Point::y).toArray();
        return values(f, x, y, single);
    }

    private double[] values(Fn2<Tensor, Tensor, Tensor> f, double[] x, double[] y, boolean single) {
        var arguments = single ? List.of(floats(x), floats(y)) : List.of(Array.of(x), Array.of(y));
        Tensor out =
                Ebb.compile((List<Tensor> in) -> f.apply(in.get(0), in.get(1)))
                        .on(device())
                        .apply(List.copyOf(arguments));
        return out.toDoubles();
    }

    private static Array floats(double[] x) {
        var y = new float[x.length];
        for (int i = 0; i < x.length; i++) y[i] = (float) x[i];
        return Array.of(y);
    }

    /** How many units in the last place {@code got} is away from the value. */
    private static double units(double got, BigDecimal value, boolean single) {
        double rounded = single ? value.floatValue() : value.doubleValue();
        if (Double.isInfinite(rounded)) return got == rounded ? 0 : INF;
        if (!Double.isFinite(got)) return INF;
        double ulp = single ? Math.ulp((float) rounded) : Math.ulp(rounded);
        return new BigDecimal(got).subtract(value).abs().doubleValue() / ulp;
    }

    @Test
    void ends_and_poles_are_limits() {
        for (boolean single : new boolean[] {false, true}) {
            var at = new double[] {INF, -INF, Double.NaN, 0, -0.0, 1, -1, -2};
            row("erf", single, at, 1, -1, Double.NaN, 0, -0.0);
            row("erfc", single, at, 0, 2, Double.NaN, 1, 1);
            row("erfinv", single, at, Double.NaN, Double.NaN, Double.NaN, 0, -0.0, INF, -INF);
            row("lgamma", single, at, INF, INF, Double.NaN, INF, INF, 0, INF, INF);
            row("digamma", single, at, INF, Double.NaN, Double.NaN, -INF, INF);
            row("polygamma1", single, at, 0, Double.NaN, Double.NaN, INF, INF);
            row("log", single, at, INF, Double.NaN, Double.NaN, -INF, -INF, 0, Double.NaN);
            row("log2", single, at, INF, Double.NaN, Double.NaN, -INF, -INF, 0, Double.NaN);
            row("log1p", single, at, INF, Double.NaN, Double.NaN, 0, -0.0);
            row("acosh", single, at, INF, Double.NaN, Double.NaN, Double.NaN, Double.NaN, 0);
            row("atanh", single, at, Double.NaN, Double.NaN, Double.NaN, 0, -0.0, INF, -INF);
            row("tanh", single, at, 1, -1, Double.NaN, 0, -0.0);
            row("sigmoid", single, at, 1, 0, Double.NaN, 0.5, 0.5);
            row("softplus", single, at, INF, 0, Double.NaN);
        }
        assertThat(one("digamma", -1, false)).isNaN();
        assertThat(one("polygamma1", -1, false)).isEqualTo(INF);
        assertThat(one("polygamma2", -1, false)).isNaN();
        // far left of zero, where a recurrence would take for ever
        assertThat(one("polygamma1", -1e15 - 0.5, false))
                .isCloseTo(Math.PI * Math.PI, org.assertj.core.api.Assertions.within(1e-12));
    }

    private double one(String name, double x, boolean single) {
        var f = Objects.requireNonNull(FUNCTIONS.get(name));
        return values(f, new double[] {x}, new double[] {x}, single)[0];
    }

    /** Values at the first of {@code at}, as many as are expected; zeros with their signs. */
    private void row(String name, boolean single, double[] at, double... expected) {
        for (int i = 0; i < expected.length; i++) {
            assertThat(one(name, at[i], single))
                    .as("%s(%s)", name, at[i])
                    .isEqualTo(Double.valueOf(expected[i]));
        }
    }
}
