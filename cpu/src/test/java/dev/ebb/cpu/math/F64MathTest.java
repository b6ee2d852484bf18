package dev.ebb.cpu.math;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.Fn1;
import dev.ebb.ir.Scalar.Fn2;

import jdk.incubator.vector.DoubleVector;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * Compares vectors with the scalar functions of core to the bit, both with the JDK's functions over
 * the whole range of double, and checks the stated errors with 40-digit values.
 */
class F64MathTest {
    private static final int COUNT = 1 << 15;

    private static final double[] EDGES = {
        0.0,
        -0.0,
        1,
        -1,
        2,
        -3,
        0.5,
        -0.5,
        Double.MIN_VALUE,
        -Double.MIN_VALUE,
        1e-310,
        Double.MIN_NORMAL,
        Double.MAX_VALUE,
        -Double.MAX_VALUE,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY,
        Double.NaN,
        709.782712893384,
        709.79,
        -745.13,
        -745.14,
        1e22,
        0x1p30,
        1e15,
        27.3,
        6,
        -38,
        22,
        0x1p53
    };

    private static double[] vectors(Fn1 fn, double[] x) {
        int n = x.length;
        var r = Arrays.copyOf(x, 2 * n);
        switch (fn) {
            case SIN -> F64Waves.sin(r, 0, n, n);
            case COS -> F64Waves.cos(r, 0, n, n);
            case TAN -> F64Waves.tan(r, 0, n, n);
            case ERF -> F64Error.erf(r, 0, n, n);
            case ERFC -> F64Error.erfc(r, 0, n, n);
            default -> {
                for (int i = 0; i < n; i += 4) {
                    var v = DoubleVector.fromArray(F64Math.LANES, r, i);
                    vector(fn, v).intoArray(r, n + i);
                }
            }
        }
        return Arrays.copyOfRange(r, n, 2 * n);
    }

    private static DoubleVector vector(Fn1 fn, DoubleVector x) {
        return switch (fn) {
            case EXP -> F64Math.exp(x);
            case EXPM1 -> F64Math.expm1(x);
            case LOG -> F64Math.log(x);
            case LOG1P -> F64Math.log1p(x);
            case TANH -> F64Math.tanh(x);
            case ATAN -> F64Waves.atan(x);
            default -> throw new IllegalArgumentException(fn + " has no vector version");
        };
    }

    /** Numbers of every size, near one, near multiples of pi/4, and the edges. */
    private static double[] arguments(SplittableRandom random, int count) {
        var x = new double[count];
        for (int i = 0; i < count; i++) {
            x[i] =
                    switch (i % 5) {
                        case 0 -> Double.longBitsToDouble(random.nextLong());
                        case 1 -> random.nextDouble(-30, 30);
                        case 2 -> 1 + Math.scalb(random.nextDouble(-1, 1), random.nextInt(-50, 1));
                        case 3 -> Math.scalb(random.nextDouble(-1, 1), random.nextInt(-60, 12));
                        default ->
                                random.nextInt(-4000, 4000)
                                        * (Math.PI / 4)
                                        * (1 + random.nextInt(-3, 4) * 0x1p-52);
                    };
        }
        // blocks without arguments that are computed by the scalar function
        for (int i = 0; i < count; i++)
            if (i / F64Pass.BLOCK % 2 == 1 && !(Math.abs(x[i]) < 1e9))
                x[i] = random.nextDouble(-1e6, 1e6);
        System.arraycopy(EDGES, 0, x, 0, Math.min(count, EDGES.length));
        return x;
    }

    /** The last column is the sum of the errors that both implementations state. */
    @ParameterizedTest
    @CsvSource({
        "EXP,2",
        "EXPM1,2.3",
        "LOG,2",
        "LOG1P,2.3",
        "TANH,4",
        "SIN,2",
        "COS,2",
        "TAN,4",
        "ATAN,2.2",
        "ERF,4",
        "ERFC,8"
    })
    void vectors_are_the_mirror_to_the_bit_and_close_to_the_other_implementation(
            Fn1 fn, double bound) {
        var x = arguments(new SplittableRandom(1), COUNT);
        var y = vectors(fn, x);
        for (int i = 0; i < COUNT; i++) {
            double mirror = fn.apply(x[i]);
            if (Double.compare(y[i], mirror) != 0)
                throw new AssertionError(fn + "(" + x[i] + "): " + y[i] + " is not " + mirror);
            checkNear(fn + "(" + x[i] + ")", y[i], strict(fn, x[i]), bound);
        }
    }

    /**
     * The JDK's function; the JDK has no error function, which is checked with 40-digit values
     * below.
     */
    private static double strict(Fn1 fn, double x) {
        return switch (fn) {
            case EXP -> StrictMath.exp(x);
            case EXPM1 -> StrictMath.expm1(x);
            case LOG -> StrictMath.log(x);
            case LOG1P -> StrictMath.log1p(x);
            case TANH -> StrictMath.tanh(x);
            case SIN -> StrictMath.sin(x);
            case COS -> StrictMath.cos(x);
            case TAN -> StrictMath.tan(x);
            case ATAN -> StrictMath.atan(x);
            default -> fn.apply(x);
        };
    }

    private static void checkNear(String what, double got, double expected, double bound) {
        if (Double.compare(got, expected) == 0) return;
        boolean finite = Double.isFinite(got) && Double.isFinite(expected);
        boolean near = finite && Math.abs(got - expected) <= bound * Math.ulp(expected);
        boolean sameSign = Math.copySign(1, got) == Math.copySign(1, expected);
        if (!near || !sameSign) throw new AssertionError(what + " is " + got + ", not " + expected);
    }

    @Test
    void powers_are_the_mirror_to_the_bit_and_close_to_the_other_implementation() {
        var random = new SplittableRandom(2);
        int n = COUNT;
        var r = new double[3 * n + 16];
        System.arraycopy(arguments(random, n), 0, r, 0, n);
        for (int i = 0; i < n; i++) {
            r[n + i] = random.nextDouble(-20, 20);
            if (i % 3 == 0) r[n + i] = Math.rint(r[n + i]);
            // blocks without bases that are computed by the scalar function
            if (i / F64Pass.BLOCK % 2 == 1)
                r[i] = Math.scalb(random.nextDouble(1, 2), random.nextInt(-40, 40));
        }
        for (int i = 0; i < EDGES.length * EDGES.length; i++) {
            r[i] = EDGES[i % EDGES.length];
            r[n + i] = EDGES[i / EDGES.length];
        }
        F64Power.pow(r, 0, n, 2 * n, n);
        for (int i = 0; i < n; i++) {
            double x = r[i];
            double y = r[n + i];
            var what = "pow(" + x + ", " + y + ")";
            assertThat(Double.compare(r[2 * n + i], Fn2.POW.apply(x, y))).as(what).isZero();
            checkNear(what, r[2 * n + i], StrictMath.pow(x, y), 2);
        }
    }

    @Test
    void powers_of_floats_are_the_mirror_to_the_bit_and_rounded_almost_exactly() {
        var random = new SplittableRandom(3);
        int n = COUNT;
        var r = new float[3 * n + 16];
        for (int i = 0; i < n; i++) {
            boolean any = i / 64 % 2 == 0;
            r[i] =
                    any
                            ? Float.intBitsToFloat(random.nextInt())
                            : (float) random.nextDouble(0.01, 9);
            r[n + i] = (float) random.nextDouble(-20, 20);
            if (i % 3 == 0) r[n + i] = (float) Math.rint(r[n + i]);
        }
        for (int i = 0; i < EDGES.length * EDGES.length; i++) {
            r[i] = (float) EDGES[i % EDGES.length];
            r[n + i] = (float) EDGES[i / EDGES.length];
        }
        F32Power.pow(r, 0, n, 2 * n, n);
        for (int i = 0; i < n; i++) {
            var what = "pow(" + r[i] + ", " + r[n + i] + ")";
            float got = r[2 * n + i];
            assertThat(Float.compare(got, F32Scalar.pow(r[i], r[n + i]))).as(what).isZero();
            double exact = StrictMath.pow(r[i], r[n + i]);
            float rounded = (float) exact;
            if (Float.compare(got, rounded) == 0) continue;
            assertThat(Math.abs(got - exact)).as(what).isLessThan(0.51 * Math.ulp(rounded));
        }
    }

    /** The errors that the classes state. */
    @ParameterizedTest
    @CsvSource({
        "exp,0.95",
        "expm1,1.2",
        "log,0.9",
        "log1p,1.2",
        "tanh,2.5",
        "sin,0.9",
        "cos,0.9",
        "tan,2.2",
        "atan,1.1",
        "erf,2",
        "erfc,3.5",
        "pow,1"
    })
    void errors_are_as_stated_against_40_digits(String name, double bound) throws Exception {
        double worst = 0;
        var where = "";
        for (var words : lines(name)) {
            double x = Double.parseDouble(words.get(1));
            double y = Double.parseDouble(words.get(words.size() - 3));
            var value = new BigDecimal(words.get(words.size() - 2));
            double got =
                    name.equals("pow")
                            ? Fn2.POW.apply(x, y)
                            : Fn1.valueOf(name.toUpperCase(java.util.Locale.ROOT)).apply(x);
            double rounded = value.doubleValue();
            if (got == rounded) continue;
            double off =
                    new BigDecimal(got).subtract(value).abs().doubleValue() / Math.ulp(rounded);
            if (off > worst) {
                worst = off;
                where = name + "(" + x + ", " + y + ")";
            }
        }
        assertThat(worst).as(where).isLessThan(bound);
    }

    private static List<List<String>> lines(String name) throws Exception {
        var found = new ArrayList<List<String>>();
        var stream = dev.ebb.reference.SpecialValues.class.getResourceAsStream("special.txt");
        try (var in =
                new BufferedReader(
                        new InputStreamReader(
                                Objects.requireNonNull(stream), StandardCharsets.UTF_8))) {
            in.lines()
                    .map(line -> List.of(line.split(" ")))
                    .filter(words -> words.getFirst().equals(name))
                    .forEach(found::add);
        }
        assertThat(found).isNotEmpty();
        return found;
    }
}
