package dev.ebb.cpu.tile;

import static jdk.incubator.vector.VectorOperators.ABS;
import static jdk.incubator.vector.VectorOperators.EQ;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LE;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.NE;
import static jdk.incubator.vector.VectorOperators.SQRT;

import dev.ebb.cpu.math.F32Math;
import dev.ebb.cpu.math.F32Power;
import dev.ebb.cpu.math.F32Scalar;
import dev.ebb.cpu.math.F32Waves;
import dev.ebb.cpu.math.FunctionForm;
import dev.ebb.cpu.tile.WarmupStep.State;
import dev.ebb.cpu.tile.WarmupStep.States;
import dev.ebb.ir.DType;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Scalar.Fn2;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/**
 * Steps over f32 registers. Each function has one vector loop in a method of its own, so that the
 * JIT compiles it as a unit, and a plain loop that is used while the vector loop is {@link
 * WarmupStep cold}.
 */
public final class F32Steps {
    private static final VectorSpecies<Float> LANES = F32Math.LANES;
    private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_256;

    private F32Steps() {}

    private static final States<Fn1> UNARY = new States<>();
    private static final States<Fn2> BINARY = new States<>();
    private static final State SELECT = new State();

    public static TileStep unary(Fn1 fn, int a, int o) {
        if (!FunctionForm.of(fn).isVector(DType.F32)) return (t, _, n) -> plain(fn, t.f32, a, o, n);
        return switch (fn) {
            case NEG -> warming(fn, (t, _, n) -> neg(t.f32, a, o, n), a, o);
            case ABS -> warming(fn, (t, _, n) -> abs(t.f32, a, o, n), a, o);
            case SIGN -> warming(fn, (t, _, n) -> sign(t.f32, a, o, n), a, o);
            case SQRT -> warming(fn, (t, _, n) -> sqrt(t.f32, a, o, n), a, o);
            case EXP -> warming(fn, (t, _, n) -> exp(t.f32, a, o, n), a, o);
            case EXPM1 -> warming(fn, (t, _, n) -> expm1(t.f32, a, o, n), a, o);
            case LOG -> warming(fn, (t, _, n) -> log(t.f32, a, o, n), a, o);
            case LOG1P -> warming(fn, (t, _, n) -> log1p(t.f32, a, o, n), a, o);
            case SIN -> warming(fn, (t, _, n) -> sin(t.f32, a, o, n), a, o);
            case COS -> warming(fn, (t, _, n) -> cos(t.f32, a, o, n), a, o);
            case TANH -> warming(fn, (t, _, n) -> tanh(t.f32, a, o, n), a, o);
            case ERF -> warming(fn, (t, _, n) -> erf(t.f32, a, o, n), a, o);
            case IS_NAN -> binary(Fn2.NE, a, a, o);
            case NOT -> throw new IllegalArgumentException("NOT of floats; compare first");
            default -> throw new IllegalStateException(fn + " has no loop over vectors of f32");
        };
    }

    static TileStep binary(Fn2 fn, int a, int b, int o) {
        return switch (fn) {
            case ADD -> warming(fn, (t, _, n) -> add(t.f32, a, b, o, n), a, b, o);
            case SUB -> warming(fn, (t, _, n) -> sub(t.f32, a, b, o, n), a, b, o);
            case MUL -> warming(fn, (t, _, n) -> mul(t.f32, a, b, o, n), a, b, o);
            case DIV -> warming(fn, (t, _, n) -> div(t.f32, a, b, o, n), a, b, o);
            case MAX -> warming(fn, (t, _, n) -> max(t.f32, a, b, o, n), a, b, o);
            case MIN -> warming(fn, (t, _, n) -> min(t.f32, a, b, o, n), a, b, o);
            case EQ -> comparing(fn, (t, _, n) -> eq(t.f32, a, b, t.i32, o, n), a, b, o);
            case NE -> comparing(fn, (t, _, n) -> ne(t.f32, a, b, t.i32, o, n), a, b, o);
            case LT -> comparing(fn, (t, _, n) -> lt(t.f32, a, b, t.i32, o, n), a, b, o);
            case LE -> comparing(fn, (t, _, n) -> le(t.f32, a, b, t.i32, o, n), a, b, o);
            case GT -> binary(Fn2.LT, b, a, o);
            case GE -> binary(Fn2.LE, b, a, o);
            case POW -> warming(fn, (t, _, n) -> F32Power.pow(t.f32, a, b, o, n), a, b, o);
            case REM, ATAN2, HYPOT, POLYGAMMA -> (t, _, n) -> plain(fn, t.f32, a, b, o, n);
            case AND, OR, XOR, SHL, SHR, USHR ->
                    throw new IllegalArgumentException(fn + " of floats; cast to integers first");
        };
    }

    static TileStep select(int c, int yes, int no, int o) {
        return new WarmupStep(
                SELECT,
                (t, _, n) -> select(t.i32, c, t.f32, yes, no, o, n),
                (t, _, skip, n) -> plainSelect(t.i32, c, t.f32, yes, no, o, skip, n));
    }

    private static TileStep warming(Fn1 fn, TileStep vectors, int a, int o) {
        return new WarmupStep(
                UNARY.of(fn),
                vectors,
                (t, _, skip, n) -> plain(fn, t.f32, a + skip, o + skip, n - skip));
    }

    private static TileStep warming(Fn2 fn, TileStep vectors, int a, int b, int o) {
        return new WarmupStep(
                BINARY.of(fn),
                vectors,
                (t, _, skip, n) -> plain(fn, t.f32, a + skip, b + skip, o + skip, n - skip));
    }

    private static TileStep comparing(Fn2 fn, TileStep vectors, int a, int b, int o) {
        return new WarmupStep(
                BINARY.of(fn),
                vectors,
                (t, _, skip, n) -> plainTruth(fn, t.f32, a, b, t.i32, o, skip, n));
    }

    private static void add(float[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            FloatVector.fromArray(LANES, r, a + i)
                    .add(FloatVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void sub(float[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            FloatVector.fromArray(LANES, r, a + i)
                    .sub(FloatVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void mul(float[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            FloatVector.fromArray(LANES, r, a + i)
                    .mul(FloatVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void div(float[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            FloatVector.fromArray(LANES, r, a + i)
                    .div(FloatVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void max(float[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            FloatVector.fromArray(LANES, r, a + i)
                    .max(FloatVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void min(float[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            FloatVector.fromArray(LANES, r, a + i)
                    .min(FloatVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void neg(float[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            FloatVector.fromArray(LANES, r, a + i).neg().intoArray(r, o + i);
        }
    }

    private static void abs(float[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            FloatVector.fromArray(LANES, r, a + i).lanewise(ABS).intoArray(r, o + i);
        }
    }

    private static void sqrt(float[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            FloatVector.fromArray(LANES, r, a + i).lanewise(SQRT).intoArray(r, o + i);
        }
    }

    private static void exp(float[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            F32Math.exp(FloatVector.fromArray(LANES, r, a + i)).intoArray(r, o + i);
        }
    }

    private static void expm1(float[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            F32Math.expm1(FloatVector.fromArray(LANES, r, a + i)).intoArray(r, o + i);
        }
    }

    private static void log(float[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            F32Math.log(FloatVector.fromArray(LANES, r, a + i)).intoArray(r, o + i);
        }
    }

    private static void log1p(float[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            F32Math.log1p(FloatVector.fromArray(LANES, r, a + i)).intoArray(r, o + i);
        }
    }

    private static void tanh(float[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            F32Math.tanh(FloatVector.fromArray(LANES, r, a + i)).intoArray(r, o + i);
        }
    }

    private static void erf(float[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            F32Math.erf(FloatVector.fromArray(LANES, r, a + i)).intoArray(r, o + i);
        }
    }

    private static void sin(float[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            F32Waves.sin(FloatVector.fromArray(LANES, r, a + i)).intoArray(r, o + i);
        }
    }

    private static void cos(float[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            F32Waves.cos(FloatVector.fromArray(LANES, r, a + i)).intoArray(r, o + i);
        }
    }

    private static void sign(float[] r, int a, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            sign(FloatVector.fromArray(LANES, r, a + i)).intoArray(r, o + i);
        }
    }

    /** One with the sign of {@code x}; zeros and NaN unchanged. */
    public static FloatVector sign(FloatVector x) {
        return x.blend(1f, x.compare(GT, 0f)).blend(-1f, x.compare(LT, 0f));
    }

    private static void plain(Fn1 fn, float[] r, int a, int o, int n) {
        for (int i = 0; i < n; i++) r[o + i] = F32Scalar.apply(fn, r[a + i]);
    }

    private static void plain(Fn2 fn, float[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i++) r[o + i] = F32Scalar.apply(fn, r[a + i], r[b + i]);
    }

    private static void plainTruth(
            Fn2 fn, float[] r, int a, int b, int[] c, int o, int skip, int n) {
        for (int i = skip; i < n; i++) c[o + i] = fn.holds(r[a + i], r[b + i]) ? 1 : 0;
    }

    private static void plainSelect(
            int[] m, int c, float[] r, int yes, int no, int o, int skip, int n) {
        for (int i = skip; i < n; i++) r[o + i] = m[c + i] != 0 ? r[yes + i] : r[no + i];
    }

    private static IntVector truth(VectorMask<Float> holds) {
        return IntVector.zero(INTS).blend(1, holds.cast(INTS));
    }

    private static void eq(float[] r, int a, int b, int[] c, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            var x = FloatVector.fromArray(LANES, r, a + i);
            truth(x.compare(EQ, FloatVector.fromArray(LANES, r, b + i))).intoArray(c, o + i);
        }
    }

    private static void ne(float[] r, int a, int b, int[] c, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            var x = FloatVector.fromArray(LANES, r, a + i);
            truth(x.compare(NE, FloatVector.fromArray(LANES, r, b + i))).intoArray(c, o + i);
        }
    }

    private static void lt(float[] r, int a, int b, int[] c, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            var x = FloatVector.fromArray(LANES, r, a + i);
            truth(x.compare(LT, FloatVector.fromArray(LANES, r, b + i))).intoArray(c, o + i);
        }
    }

    private static void le(float[] r, int a, int b, int[] c, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            var x = FloatVector.fromArray(LANES, r, a + i);
            truth(x.compare(LE, FloatVector.fromArray(LANES, r, b + i))).intoArray(c, o + i);
        }
    }

    private static void select(int[] m, int c, float[] r, int yes, int no, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            var holds = IntVector.fromArray(INTS, m, c + i).compare(NE, 0).cast(LANES);
            var x = FloatVector.fromArray(LANES, r, no + i);
            x.blend(FloatVector.fromArray(LANES, r, yes + i), holds).intoArray(r, o + i);
        }
    }
}
