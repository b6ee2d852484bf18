package dev.ebb.science;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Differences;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.ir.DType;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** Holds the functions of this room to 40-digit values, which {@code values.py} writes. */
class ValuesTest {
    private static final double INF = Double.POSITIVE_INFINITY;
    private static final Map<String, Fn<List<Tensor>, Tensor>> FUNCTIONS = functions();

    private record Point(List<Double> arguments, BigDecimal value, double tolerance) {}

    private static Map<String, Fn<List<Tensor>, Tensor>> functions() {
        var f = new LinkedHashMap<String, Fn<List<Tensor>, Tensor>>();
        f.put("normal_density", in -> Normal.density(in.get(0)));
        f.put("normal_log_density", in -> Normal.logDensity(in.get(0)));
        f.put("normal_distribution", in -> Normal.distribution(in.get(0)));
        f.put("normal_log_distribution", in -> Normal.logDistribution(in.get(0)));
        f.put("normal_quantile", in -> Normal.quantile(in.get(0)));
        f.put("gamma_lower", in -> SpecialFunctions.gammaLower(in.get(0), in.get(1)));
        f.put("gamma_upper", in -> SpecialFunctions.gammaUpper(in.get(0), in.get(1)));
        f.put("beta", in -> SpecialFunctions.beta(in.get(0), in.get(1), in.get(2)));
        f.put(
                "gamma_by_shape",
                in -> by(in.get(0), a -> SpecialFunctions.gammaLower(a, in.get(1))));
        f.put(
                "beta_by_first",
                in -> by(in.get(0), a -> SpecialFunctions.beta(a, in.get(1), in.get(2))));
        f.put(
                "beta_by_second",
                in -> by(in.get(1), b -> SpecialFunctions.beta(in.get(0), b, in.get(2))));
        f.put("bessel_j0", in -> SpecialFunctions.besselJ0(in.get(0)));
        f.put("bessel_j1", in -> SpecialFunctions.besselJ1(in.get(0)));
        f.put("bessel_i0", in -> SpecialFunctions.besselI0(in.get(0)));
        f.put("bessel_i1", in -> SpecialFunctions.besselI1(in.get(0)));
        f.put("bessel_i0_scaled", in -> SpecialFunctions.besselI0Scaled(in.get(0)));
        f.put("bessel_i1_scaled", in -> SpecialFunctions.besselI1Scaled(in.get(0)));
        return f;
    }

    private static Tensor by(Tensor shape, Fn<Tensor, Tensor> f) {
        return Ebb.grad((Tensor a) -> f.apply(a).sum()).apply(shape);
    }

    private static Map<String, List<Point>> read() throws IOException {
        try (InputStream in = ValuesTest.class.getResourceAsStream("values.txt")) {
            var text =
                    new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
            var found = new LinkedHashMap<String, List<Point>>();
            for (var line : text.lines().toList()) {
                var words = List.of(line.split(" "));
                int n = words.size();
                var arguments = words.subList(1, n - 2).stream().map(Double::valueOf).toList();
                var value = new BigDecimal(words.get(n - 2));
                var point = new Point(arguments, value, Double.parseDouble(words.get(n - 1)));
                found.computeIfAbsent(words.getFirst(), _ -> new ArrayList<>()).add(point);
            }
            return found;
        }
    }

    private static double[] values(Fn<List<Tensor>, Tensor> f, List<Point> points) {
        var columns = new ArrayList<Tensor>();
        for (int i = 0; i < points.getFirst().arguments.size(); i++) {
            int c = i;
            columns.add(Array.of(points.stream().mapToDouble(p -> p.arguments.get(c)).toArray()));
        }
        return Ebb.compile(f).apply(columns).toDoubles();
    }

    @TestFactory
    Stream<DynamicTest> values_are_within_their_tolerance() throws IOException {
        var all = read();
        assertThat(all.keySet()).containsExactlyInAnyOrderElementsOf(FUNCTIONS.keySet());
        return FUNCTIONS.keySet().stream()
                .map(
                        n ->
                                DynamicTest.dynamicTest(
                                        n, () -> check(n, Objects.requireNonNull(all.get(n)))));
    }

    private static void check(String name, List<Point> points) {
        var got = values(Objects.requireNonNull(FUNCTIONS.get(name)), points);
        double worst = 0;
        Object where = "";
        for (int i = 0; i < got.length; i++) {
            var p = points.get(i);
            double off =
                    Double.isNaN(got[i])
                            ? INF
                            : new BigDecimal(got[i]).subtract(p.value).abs().doubleValue();
            if (off / p.tolerance > worst) {
                worst = off / p.tolerance;
                where = p + ", not " + got[i];
            }
        }
        assertThat(worst).as("%s at %s, in tolerances", name, where).isLessThanOrEqualTo(1);
    }

    private static double[] at(Fn<Tensor, Tensor> f, double... x) {
        return Ebb.compile(f).apply(Array.of(x)).toDoubles();
    }

    @Test
    void ends_are_limits() {
        assertThat(at(Normal::distribution, -INF, INF, 0)).containsExactly(0, 1, 0.5);
        assertThat(at(Normal::density, -INF, INF)).containsExactly(0, 0);
        assertThat(at(Normal::logDistribution, -INF, INF)).containsExactly(-INF, -0.0);
        assertThat(at(Normal::quantile, 0, 1, 0.5, -1, 2, Double.NaN))
                .containsExactly(-INF, INF, 0, Double.NaN, Double.NaN, Double.NaN);
        var a = Array.of(2.0, 2.0, -1.0, 2.0);
        var x = Array.of(0.0, INF, 1.0, -1.0);
        assertThat(SpecialFunctions.gammaLower(a, x).toDoubles())
                .containsExactly(0, 1, Double.NaN, Double.NaN);
        assertThat(SpecialFunctions.gammaUpper(a, x).toDoubles())
                .containsExactly(1, 0, Double.NaN, Double.NaN);
        assertThat(at(SpecialFunctions::besselJ0, 0, INF, Double.NaN))
                .containsExactly(1, 0, Double.NaN);
        assertThat(at(SpecialFunctions::besselI1Scaled, 0, INF)).containsExactly(0, 0);
    }

    @Test
    void slopes_are_right_far_out() {
        var far = Array.of(-50.0, -300.0, 30.0);
        Fn<Tensor, Tensor> f = x -> Normal.logDistribution(x).sum();
        // the slope of the logarithm tends to -x + 1 / -x
        var slope = Ebb.grad(f).apply(far).toDoubles();
        assertThat(slope[0])
                .isCloseTo(50.019984031902, org.assertj.core.api.Assertions.within(1e-9));
        assertThat(slope[1]).isCloseTo(300.003333259, org.assertj.core.api.Assertions.within(1e-8));
        assertThat(slope[2]).isBetween(0.0, 1e-190);
    }

    @Test
    void derivatives_agree_with_differences() {
        Array x = Array.of(-2.3, -0.4, 0.0, 0.7, 1.9);
        for (var name : List.of("normal_density", "normal_log_density", "normal_distribution")) {
            Differences.check(Objects.requireNonNull(FUNCTIONS.get(name)), x);
        }
        Differences.check(in -> Normal.logDistribution(in.getFirst()), x);
        Differences.check(
                in -> Normal.quantile(in.getFirst()), Array.of(0.03, 0.3, 0.5, 0.8, 0.97));
        var bessel = Array.of(-3.1, -0.5, 0.0, 0.3, 2.7, 6.0);
        for (var name : List.of("bessel_j0", "bessel_j1")) {
            Differences.check(Objects.requireNonNull(FUNCTIONS.get(name)), bessel);
        }
        var near = Array.of(-2.1, -0.5, 0.3, 1.7);
        for (var name : List.of("bessel_i0", "bessel_i1", "bessel_i0_scaled", "bessel_i1_scaled")) {
            Differences.check(Objects.requireNonNull(FUNCTIONS.get(name)), near);
        }
        var a = Array.of(0.7, 1.0, 2.5, 6.0);
        var b = Array.of(1.7, 0.6, 2.0, 3.0);
        Differences.check(
                in -> SpecialFunctions.gammaLower(a, in.getFirst()), Array.of(0.5, 1.1, 2.0, 7.0));
        Differences.check(
                in -> SpecialFunctions.gammaUpper(a, in.getFirst()), Array.of(0.5, 1.1, 2.0, 7.0));
        Differences.check(
                in -> SpecialFunctions.beta(a, b, in.getFirst()), Array.of(0.3, 0.5, 0.6, 0.4));
    }

    @Test
    void single_precision_and_many_at_once() {
        var x = Array.of(-20f, -3f, 0.5f, 2f);
        var got = Normal.logDistribution(x).toDoubles();
        var exact = Normal.logDistribution(x.cast(DType.F64)).toDoubles();
        for (int i = 0; i < got.length; i++) {
            assertThat(got[i])
                    .isCloseTo(exact[i], org.assertj.core.api.Assertions.withinPercentage(1e-4));
        }
        var a = Array.of(0.5, 2.0);
        var many = Array.of(new double[][] {{0.1, 0.9}, {1.5, 0.2}, {0.3, 3}});
        Fn<Tensor, Tensor> f = v -> SpecialFunctions.gammaLower(a, v);
        var stacked = Ebb.vmap(f).apply(many);
        for (int i = 0; i < 3; i++) {
            assertThat(((Array) stacked.at(0, i)).sameBits((Array) f.apply(many.at(0, i))))
                    .isTrue();
        }
    }

    @Test
    void what_is_not_taken_is_named() {
        assertThatThrownBy(() -> Normal.density(Array.of(1, 2)))
                .hasMessageContaining("Normal.density takes f32 or f64");
        assertThatThrownBy(() -> SpecialFunctions.gammaLower(Array.of(1.0), Array.of(1f)))
                .hasMessageContaining("element types differ");
        Fn<Tensor, Tensor> byShape = a -> SpecialFunctions.gammaLower(a, Array.of(1.0)).sum();
        Fn<Tensor, Tensor> twice = a -> Ebb.grad(byShape).apply(a).sum();
        assertThatThrownBy(() -> Ebb.grad(twice).apply(Array.of(1.0)))
                .hasMessageContaining("detach the shape parameter");
    }

    /** Of the derivative by a shape the one by x is the density's, in both orders. */
    @Test
    void mixed_derivatives_by_shape_and_x() {
        var a = Array.of(0.7, 1.0, 2.5, 6.0);
        var b = Array.of(1.7, 0.6, 2.0, 3.0);
        var x = Array.of(0.3, 0.5, 0.6, 0.4);
        mixed((s, at) -> SpecialFunctions.gammaUpper(s, at), a, x.mul(3));
        mixed((s, at) -> SpecialFunctions.beta(s, b, at), a, x);
        mixed((s, at) -> SpecialFunctions.beta(a, s, at), b, x);
        var zero = Array.of(0.0, 0.0);
        assertThat(by(Array.of(0.5, 2.0), s -> SpecialFunctions.gammaLower(s, zero)).toDoubles())
                .containsExactly(0, 0);
    }

    private static void mixed(Fn2<Tensor, Tensor, Tensor> f, Tensor shape, Tensor x) {
        Fn<Tensor, Tensor> shapeFirst = at -> by(shape, s -> f.apply(s, at)).sum();
        Fn<Tensor, Tensor> xFirst = s -> by(x, at -> f.apply(s, at)).sum();
        var one = Ebb.grad(shapeFirst).apply(x).toDoubles();
        var other = Ebb.grad(xFirst).apply(shape).toDoubles();
        assertThat(one).containsExactly(other, org.assertj.core.api.Assertions.within(1e-13));
    }
}
