package dev.ebb.cpu.math;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.Fn1;

import jdk.incubator.vector.FloatVector;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.function.UnaryOperator;

class F32MathTest {
    /**
     * A stride through all floats that reaches every exponent and both signs, with NaN and
     * infinity.
     */
    private static final int STRIDE = 4099;

    /**
     * Each function is compiled separately: all in one method would be too large for C2 to inline
     * vectors.
     */
    private static UnaryOperator<FloatVector> vectors(Fn1 fn) {
        return switch (fn) {
            case EXP -> F32Math::exp;
            case EXPM1 -> F32Math::expm1;
            case LOG -> F32Math::log;
            case LOG1P -> F32Math::log1p;
            case TANH -> F32Math::tanh;
            case ERF -> F32Math::erf;
            case SIN -> F32Waves::sin;
            case COS -> F32Waves::cos;
            default -> throw new IllegalArgumentException(fn + " has no vector version");
        };
    }

    private static FloatVector vector(Fn1 fn, FloatVector x) {
        return vectors(fn).apply(x);
    }

    @ParameterizedTest
    @CsvSource({
        "EXP,1.1",
        "EXPM1,1.6",
        "LOG,0.9",
        "LOG1P,1.5",
        "TANH,1.4",
        "ERF,1.2",
        "SIN,1.6",
        "COS,1.6"
    })
    void close_to_the_double_function_and_equal_to_the_scalar_mirror(Fn1 fn, double bound) {
        var vectors = vectors(fn);
        var x = new float[8];
        var y = new float[8];
        double worst = 0;
        for (long bits = Integer.MIN_VALUE; bits <= Integer.MAX_VALUE; bits += 8L * STRIDE) {
            for (int i = 0; i < 8; i++)
                x[i] = Float.intBitsToFloat((int) (bits + (long) i * STRIDE));
            vectors.apply(FloatVector.fromArray(F32Math.LANES, x, 0)).intoArray(y, 0);
            for (int i = 0; i < 8; i++) worst = Math.max(worst, miss(fn, x[i], y[i]));
        }
        assertThat(worst).isLessThan(bound);
    }

    /** The difference of {@code y} from fn(x) in units in the last place. */
    private static double miss(Fn1 fn, float x, float y) {
        if (Float.compare(F32Scalar.apply(fn, x), y) != 0) {
            throw new AssertionError(
                    fn + "(" + x + ") is " + y + " in a vector, not " + F32Scalar.apply(fn, x));
        }
        double exact = fn.apply(x);
        float rounded = (float) exact;
        if (Float.compare(rounded, y) == 0) return 0;
        return Math.abs(y - exact) / Math.ulp(rounded);
    }

    @ParameterizedTest
    @CsvSource({
        "EXP,0,1",
        "EXP,-Infinity,0",
        "EXP,Infinity,Infinity",
        "EXP,88.72284,Infinity",
        "EXP,-104,0",
        "EXP,-103,1.4E-45",
        "EXPM1,-0.0,-0.0",
        "EXPM1,-Infinity,-1",
        "EXPM1,Infinity,Infinity",
        "EXPM1,1e-40,1e-40",
        "LOG,0,-Infinity",
        "LOG,-0.0,-Infinity",
        "LOG,-1,NaN",
        "LOG,1,0",
        "LOG,Infinity,Infinity",
        "LOG1P,-1,-Infinity",
        "LOG1P,-0.0,-0.0",
        "LOG1P,-2,NaN",
        "LOG1P,Infinity,Infinity",
        "LOG1P,1e-40,1e-40",
        "TANH,-0.0,-0.0",
        "TANH,Infinity,1",
        "TANH,-Infinity,-1",
        "TANH,1e-40,1e-40",
        "ERF,-0.0,-0.0",
        "ERF,Infinity,1",
        "ERF,-Infinity,-1",
        "SIN,-0.0,-0.0",
        "SIN,Infinity,NaN",
        "COS,0,1",
        "COS,-Infinity,NaN"
    })
    void the_notable_values(Fn1 fn, float x, float y) {
        assertThat(vector(fn, FloatVector.broadcast(F32Math.LANES, x)).lane(3))
                .isEqualTo(Float.valueOf(y));
    }

    @Test
    void nan_stays_nan() {
        for (Fn1 fn :
                new Fn1[] {
                    Fn1.EXP, Fn1.EXPM1, Fn1.LOG, Fn1.LOG1P, Fn1.TANH, Fn1.ERF, Fn1.SIN, Fn1.COS
                }) {
            var y = vector(fn, FloatVector.broadcast(F32Math.LANES, Float.NaN));
            assertThat(y.lane(0)).as(fn.name()).isNaN();
        }
    }

    @Test
    void bounded_exp_is_exp_within_its_bounds() {
        for (float x = -87; x <= 88; x += 0.001f) {
            float y = F32Math.expBounded(FloatVector.broadcast(F32Math.LANES, x)).lane(0);
            if (Float.compare(y, F32Scalar.exp(x)) != 0)
                throw new AssertionError("exp(" + x + ") is " + y + " within the bounds");
        }
    }
}
