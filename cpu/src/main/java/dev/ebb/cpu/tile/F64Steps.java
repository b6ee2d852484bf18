package dev.ebb.cpu.tile;

import static jdk.incubator.vector.VectorOperators.ABS;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.SQRT;

import dev.ebb.cpu.math.F64Error;
import dev.ebb.cpu.math.F64Math;
import dev.ebb.cpu.math.F64Power;
import dev.ebb.cpu.math.F64Waves;
import dev.ebb.cpu.math.FunctionForm;
import dev.ebb.cpu.tile.WarmupStep.States;
import dev.ebb.ir.DType;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Scalar.Fn2;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Steps over f64 registers. As in {@link F32Steps}, each function has one vector loop in a method
 * of its own and a plain loop that is used while the vector loop is {@link WarmupStep cold}.
 */
public final class F64Steps {
    private static final VectorSpecies<Double> LANES = F64Math.LANES;

    private F64Steps() {}

    private static final States<Fn1> UNARY = new States<>();
    private static final States<Fn2> BINARY = new States<>();

    public static TileStep unary(Fn1 fn, int a, int o) {
        if (!FunctionForm.of(fn).isVector(DType.F64)) return (t, _, n) -> plain(fn, t.f64, a, o, n);
        return switch (fn) {
            case NEG -> warming(fn, (t, _, n) -> neg(t.f64, a, o, n), a, o);
            case ABS -> warming(fn, (t, _, n) -> abs(t.f64, a, o, n), a, o);
            case SQRT -> warming(fn, (t, _, n) -> sqrt(t.f64, a, o, n), a, o);
            case SIGN -> warming(fn, (t, _, n) -> sign(t.f64, a, o, n), a, o);
            case EXP -> warming(fn, (t, _, n) -> exp(t.f64, a, o, n), a, o);
            case EXPM1 -> warming(fn, (t, _, n) -> expm1(t.f64, a, o, n), a, o);
            case LOG -> warming(fn, (t, _, n) -> log(t.f64, a, o, n), a, o);
            case LOG1P -> warming(fn, (t, _, n) -> log1p(t.f64, a, o, n), a, o);
            case SIN -> warming(fn, (t, _, n) -> F64Waves.sin(t.f64, a, o, n), a, o);
            case COS -> warming(fn, (t, _, n) -> F64Waves.cos(t.f64, a, o, n), a, o);
            case TAN -> warming(fn, (t, _, n) -> F64Waves.tan(t.f64, a, o, n), a, o);
            case ATAN -> warming(fn, (t, _, n) -> atan(t.f64, a, o, n), a, o);
            case TANH -> warming(fn, (t, _, n) -> tanh(t.f64, a, o, n), a, o);
            case ERF -> warming(fn, (t, _, n) -> F64Error.erf(t.f64, a, o, n), a, o);
            case ERFC -> warming(fn, (t, _, n) -> F64Error.erfc(t.f64, a, o, n), a, o);
            case IS_NAN -> binary(Fn2.NE, a, a, o);
            case NOT -> throw new IllegalArgumentException("NOT of floats; compare first");
            default -> throw new IllegalStateException(fn + " has no loop over vectors of f64");
        };
    }

    static TileStep binary(Fn2 fn, int a, int b, int o) {
        return switch (fn) {
            case ADD -> warming(fn, (t, _, n) -> add(t.f64, a, b, o, n), a, b, o);
            case SUB -> warming(fn, (t, _, n) -> sub(t.f64, a, b, o, n), a, b, o);
            case MUL -> warming(fn, (t, _, n) -> mul(t.f64, a, b, o, n), a, b, o);
            case DIV -> warming(fn, (t, _, n) -> div(t.f64, a, b, o, n), a, b, o);
            case MAX -> warming(fn, (t, _, n) -> max(t.f64, a, b, o, n), a, b, o);
            case MIN -> warming(fn, (t, _, n) -> min(t.f64, a, b, o, n), a, b, o);
            case EQ, NE, LT, LE, GT, GE -> (t, _, n) -> compare(fn, t.f64, a, b, t.i32, o, n);
            case POW -> warming(fn, (t, _, n) -> F64Power.pow(t.f64, a, b, o, n), a, b, o);
            case REM, ATAN2, HYPOT, POLYGAMMA -> (t, _, n) -> plain(fn, t.f64, a, b, o, n);
            case AND, OR, XOR, SHL, SHR, USHR ->
                    throw new IllegalArgumentException(fn + " of floats; cast to integers first");
        };
    }

    private static TileStep warming(Fn1 fn, TileStep vectors, int a, int o) {
        return new WarmupStep(
                UNARY.of(fn),
                vectors,
                (t, _, skip, n) -> plain(fn, t.f64, a + skip, o + skip, n - skip));
    }

    private static TileStep warming(Fn2 fn, TileStep vectors, int a, int b, int o) {
        return new WarmupStep(
                BINARY.of(fn),
                vectors,
                (t, _, skip, n) -> plain(fn, t.f64, a + skip, b + skip, o + skip, n - skip));
    }

    static TileStep select(int c, int yes, int no, int o) {
        return (t, _, n) -> select(t.i32, c, t.f64, yes, no, o, n);
    }

    private static void add(double[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 4) {
            DoubleVector.fromArray(LANES, r, a + i)
                    .add(DoubleVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void sub(double[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 4) {
            DoubleVector.fromArray(LANES, r, a + i)
                    .sub(DoubleVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void mul(double[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 4) {
            DoubleVector.fromArray(LANES, r, a + i)
                    .mul(DoubleVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void div(double[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 4) {
            DoubleVector.fromArray(LANES, r, a + i)
                    .div(DoubleVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void max(double[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 4) {
            DoubleVector.fromArray(LANES, r, a + i)
                    .max(DoubleVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void min(double[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 4) {
            DoubleVector.fromArray(LANES, r, a + i)
                    .min(DoubleVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void neg(double[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 4) {
            DoubleVector.fromArray(LANES, r, a + i).neg().intoArray(r, o + i);
        }
    }

    private static void abs(double[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 4) {
            DoubleVector.fromArray(LANES, r, a + i).lanewise(ABS).intoArray(r, o + i);
        }
    }

    private static void sqrt(double[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 4) {
            DoubleVector.fromArray(LANES, r, a + i).lanewise(SQRT).intoArray(r, o + i);
        }
    }

    private static void exp(double[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 4) {
            F64Math.exp(DoubleVector.fromArray(LANES, r, a + i)).intoArray(r, o + i);
        }
    }

    private static void expm1(double[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 4) {
            F64Math.expm1(DoubleVector.fromArray(LANES, r, a + i)).intoArray(r, o + i);
        }
    }

    private static void log(double[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 4) {
            F64Math.log(DoubleVector.fromArray(LANES, r, a + i)).intoArray(r, o + i);
        }
    }

    private static void log1p(double[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 4) {
            F64Math.log1p(DoubleVector.fromArray(LANES, r, a + i)).intoArray(r, o + i);
        }
    }

    private static void tanh(double[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 4) {
            F64Math.tanh(DoubleVector.fromArray(LANES, r, a + i)).intoArray(r, o + i);
        }
    }

    private static void atan(double[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 4) {
            F64Waves.atan(DoubleVector.fromArray(LANES, r, a + i)).intoArray(r, o + i);
        }
    }

    private static void sign(double[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 4) {
            sign(DoubleVector.fromArray(LANES, r, a + i)).intoArray(r, o + i);
        }
    }

    /** One with the sign of {@code x}; zeros and NaN unchanged. */
    public static DoubleVector sign(DoubleVector x) {
        return x.blend(1, x.compare(GT, 0)).blend(-1, x.compare(LT, 0));
    }

    private static void plain(Fn1 fn, double[] r, int a, int o, int n) {
        for (int i = 0; i < n; i++) r[o + i] = fn.apply(r[a + i]);
    }

    private static void plain(Fn2 fn, double[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i++) r[o + i] = fn.apply(r[a + i], r[b + i]);
    }

    private static void compare(Fn2 fn, double[] r, int a, int b, int[] c, int o, int n) {
        for (int i = 0; i < n; i++) c[o + i] = fn.holds(r[a + i], r[b + i]) ? 1 : 0;
    }

    private static void select(int[] m, int c, double[] r, int yes, int no, int o, int n) {
        for (int i = 0; i < n; i++) r[o + i] = m[c + i] != 0 ? r[yes + i] : r[no + i];
    }
}
