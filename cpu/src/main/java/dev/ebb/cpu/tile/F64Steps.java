package dev.ebb.cpu.tile;

import static jdk.incubator.vector.VectorOperators.ABS;
import static jdk.incubator.vector.VectorOperators.SQRT;

import dev.ebb.cpu.tile.Warming.States;
import dev.ebb.ir.Scalar.Fn1;
import dev.ebb.ir.Scalar.Fn2;
import dev.ebb.ir.math.Special;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Steps over f64 registers; functions beyond arithmetic are those of {@link Special}, one element
 * at a time.
 */
final class F64Steps {
    private static final VectorSpecies<Double> LANES = DoubleVector.SPECIES_256;

    private F64Steps() {}

    private static final States<Fn1> UNARY = new States<>();
    private static final States<Fn2> BINARY = new States<>();

    static TileStep unary(Fn1 fn, int a, int o) {
        return switch (fn) {
            case NEG -> warming(fn, (t, _, n) -> neg(t.f64, a, o, n), a, o);
            case ABS -> warming(fn, (t, _, n) -> abs(t.f64, a, o, n), a, o);
            case SQRT -> warming(fn, (t, _, n) -> sqrt(t.f64, a, o, n), a, o);
            case SIGN,
                    FLOOR,
                    CEIL,
                    ROUND,
                    EXP,
                    EXPM1,
                    LOG,
                    LOG1P,
                    LOG2,
                    SIN,
                    COS,
                    TAN,
                    ASIN,
                    ACOS,
                    ATAN,
                    SINH,
                    COSH,
                    TANH,
                    ASINH,
                    ACOSH,
                    ATANH,
                    ERF,
                    ERFC,
                    ERFINV,
                    LGAMMA ->
                    (t, _, n) -> plain(fn, t.f64, a, o, n);
            case IS_NAN -> (t, _, n) -> compare(Fn2.NE, t.f64, a, a, t.i32, o, n);
            case NOT -> throw new IllegalArgumentException("NOT of floats; compare first");
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
            case REM, POW, ATAN2, HYPOT, POLYGAMMA -> (t, _, n) -> plain(fn, t.f64, a, b, o, n);
            case AND, OR, XOR, SHL, SHR, USHR ->
                    throw new IllegalArgumentException(fn + " of floats; cast to integers first");
        };
    }

    private static TileStep warming(Fn1 fn, TileStep vectors, int a, int o) {
        return new Warming(
                UNARY.of(fn),
                vectors,
                (t, _, skip, n) -> plain(fn, t.f64, a + skip, o + skip, n - skip));
    }

    private static TileStep warming(Fn2 fn, TileStep vectors, int a, int b, int o) {
        return new Warming(
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

    private static void plain(Fn1 fn, double[] r, int a, int o, int n) {
        for (int i = 0; i < n; i++) r[o + i] = Special.apply(fn, r[a + i]);
    }

    private static void plain(Fn2 fn, double[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i++) r[o + i] = Special.apply(fn, r[a + i], r[b + i]);
    }

    private static void compare(Fn2 fn, double[] r, int a, int b, int[] c, int o, int n) {
        for (int i = 0; i < n; i++) c[o + i] = holds(fn, r[a + i], r[b + i]) ? 1 : 0;
    }

    static boolean holds(Fn2 fn, double x, double y) {
        return switch (fn) {
            case EQ -> x == y;
            case NE -> x != y;
            case LT -> x < y;
            case LE -> x <= y;
            case GT -> x > y;
            case GE -> x >= y;
            case ADD,
                    SUB,
                    MUL,
                    DIV,
                    REM,
                    MAX,
                    MIN,
                    POW,
                    ATAN2,
                    HYPOT,
                    POLYGAMMA,
                    AND,
                    OR,
                    XOR,
                    SHL,
                    SHR,
                    USHR ->
                    throw new IllegalArgumentException(fn + " is no comparison");
        };
    }

    private static void select(int[] m, int c, double[] r, int yes, int no, int o, int n) {
        for (int i = 0; i < n; i++) r[o + i] = m[c + i] != 0 ? r[yes + i] : r[no + i];
    }
}
