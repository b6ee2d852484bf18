package dev.ebb.cpu.tile;

import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.EQ;
import static jdk.incubator.vector.VectorOperators.LE;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.NE;
import static jdk.incubator.vector.VectorOperators.XOR;

import dev.ebb.cpu.tile.WarmupStep.State;
import dev.ebb.cpu.tile.WarmupStep.States;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Scalar.Fn2;
import dev.ebb.ir.math.Checks;

import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/** Steps over registers of i32 and of booleans, which are 0 and 1. */
final class I32Steps {
    private static final VectorSpecies<Integer> LANES = IntVector.SPECIES_256;

    private I32Steps() {}

    private static final States<Fn2> BINARY = new States<>();
    private static final State SELECT = new State();

    static TileStep unary(Fn1 fn, boolean truth, int a, int o) {
        return switch (fn) {
            case NEG -> (t, _, n) -> neg(t.i32, a, o, n);
            case ABS -> (t, _, n) -> abs(t.i32, a, o, n);
            case SIGN -> (t, _, n) -> sign(t.i32, a, o, n);
            case NOT -> (t, _, n) -> flip(t.i32, a, truth ? 1 : -1, o, n);
            default ->
                    throw new IllegalArgumentException(fn + " of integers; cast to floats first");
        };
    }

    static TileStep binary(Fn2 fn, int a, int b, int o) {
        return switch (fn) {
            case ADD -> warming(fn, (t, _, n) -> add(t.i32, a, b, o, n), a, b, o);
            case SUB -> warming(fn, (t, _, n) -> sub(t.i32, a, b, o, n), a, b, o);
            case MUL -> warming(fn, (t, _, n) -> mul(t.i32, a, b, o, n), a, b, o);
            case DIV -> (t, _, n) -> plain(fn, t.i32, a, b, o, n);
            case REM -> (t, _, n) -> plain(fn, t.i32, a, b, o, n);
            case MAX -> warming(fn, (t, _, n) -> max(t.i32, a, b, o, n), a, b, o);
            case MIN -> warming(fn, (t, _, n) -> min(t.i32, a, b, o, n), a, b, o);
            case AND -> warming(fn, (t, _, n) -> and(t.i32, a, b, o, n), a, b, o);
            case OR -> warming(fn, (t, _, n) -> or(t.i32, a, b, o, n), a, b, o);
            case XOR -> warming(fn, (t, _, n) -> xor(t.i32, a, b, o, n), a, b, o);
            case SHL -> warming(fn, (t, _, n) -> shl(t.i32, a, b, o, n), a, b, o);
            case SHR -> warming(fn, (t, _, n) -> shr(t.i32, a, b, o, n), a, b, o);
            case USHR -> warming(fn, (t, _, n) -> ushr(t.i32, a, b, o, n), a, b, o);
            case EQ -> warming(fn, (t, _, n) -> eq(t.i32, a, b, o, n), a, b, o);
            case NE -> warming(fn, (t, _, n) -> ne(t.i32, a, b, o, n), a, b, o);
            case LT -> warming(fn, (t, _, n) -> lt(t.i32, a, b, o, n), a, b, o);
            case LE -> warming(fn, (t, _, n) -> le(t.i32, a, b, o, n), a, b, o);
            case GT -> binary(Fn2.LT, b, a, o);
            case GE -> binary(Fn2.LE, b, a, o);
            case POW, ATAN2, HYPOT, POLYGAMMA ->
                    throw new IllegalArgumentException(fn + " of integers; cast to floats first");
        };
    }

    static TileStep select(int c, int yes, int no, int o) {
        return new WarmupStep(
                SELECT,
                (t, _, n) -> select(t.i32, c, yes, no, o, n),
                (t, _, skip, n) -> plainSelect(t.i32, c, yes, no, o, skip, n));
    }

    private static TileStep warming(Fn2 fn, TileStep vectors, int a, int b, int o) {
        return new WarmupStep(
                BINARY.of(fn),
                vectors,
                (t, _, skip, n) -> plain(fn, t.i32, a + skip, b + skip, o + skip, n - skip));
    }

    private static void plainSelect(int[] r, int c, int yes, int no, int o, int skip, int n) {
        for (int i = skip; i < n; i++) r[o + i] = r[c + i] != 0 ? r[yes + i] : r[no + i];
    }

    private static void add(int[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            IntVector.fromArray(LANES, r, a + i)
                    .add(IntVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void sub(int[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            IntVector.fromArray(LANES, r, a + i)
                    .sub(IntVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void mul(int[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            IntVector.fromArray(LANES, r, a + i)
                    .mul(IntVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void max(int[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            IntVector.fromArray(LANES, r, a + i)
                    .max(IntVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void min(int[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            IntVector.fromArray(LANES, r, a + i)
                    .min(IntVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void and(int[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            IntVector.fromArray(LANES, r, a + i)
                    .and(IntVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void or(int[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            IntVector.fromArray(LANES, r, a + i)
                    .or(IntVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void xor(int[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            IntVector.fromArray(LANES, r, a + i)
                    .lanewise(XOR, IntVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void shl(int[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            IntVector.fromArray(LANES, r, a + i)
                    .lanewise(LSHL, IntVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void shr(int[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            IntVector.fromArray(LANES, r, a + i)
                    .lanewise(ASHR, IntVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void ushr(int[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            IntVector.fromArray(LANES, r, a + i)
                    .lanewise(LSHR, IntVector.fromArray(LANES, r, b + i))
                    .intoArray(r, o + i);
        }
    }

    private static void neg(int[] r, int a, int o, int n) {
        for (int i = 0; i < n; i++) r[o + i] = -r[a + i];
    }

    private static void abs(int[] r, int a, int o, int n) {
        for (int i = 0; i < n; i++) r[o + i] = Math.abs(r[a + i]);
    }

    private static void sign(int[] r, int a, int o, int n) {
        for (int i = 0; i < n; i++) r[o + i] = Integer.signum(r[a + i]);
    }

    private static void flip(int[] r, int a, int bits, int o, int n) {
        for (int i = 0; i < n; i++) r[o + i] = r[a + i] ^ bits;
    }

    private static void plain(Fn2 fn, int[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i++) r[o + i] = apply(fn, r[a + i], r[b + i]);
    }

    private static int apply(Fn2 fn, int x, int y) {
        return switch (fn) {
            case ADD -> x + y;
            case SUB -> x - y;
            case MUL -> x * y;
            case DIV -> (int) Checks.quotient(x, y);
            case REM -> (int) Checks.rest(x, y);
            case MAX -> Math.max(x, y);
            case MIN -> Math.min(x, y);
            case AND -> x & y;
            case OR -> x | y;
            case XOR -> x ^ y;
            case SHL -> x << y;
            case SHR -> x >> y;
            case USHR -> x >>> y;
            case EQ -> x == y ? 1 : 0;
            case NE -> x != y ? 1 : 0;
            case LT -> x < y ? 1 : 0;
            case LE -> x <= y ? 1 : 0;
            case GT -> x > y ? 1 : 0;
            case GE -> x >= y ? 1 : 0;
            case POW, ATAN2, HYPOT, POLYGAMMA ->
                    throw new IllegalArgumentException(fn + " of integers");
        };
    }

    private static IntVector truth(VectorMask<Integer> holds) {
        return IntVector.zero(LANES).blend(1, holds);
    }

    private static void eq(int[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            truth(
                            IntVector.fromArray(LANES, r, a + i)
                                    .compare(EQ, IntVector.fromArray(LANES, r, b + i)))
                    .intoArray(r, o + i);
        }
    }

    private static void ne(int[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            truth(
                            IntVector.fromArray(LANES, r, a + i)
                                    .compare(NE, IntVector.fromArray(LANES, r, b + i)))
                    .intoArray(r, o + i);
        }
    }

    private static void lt(int[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            truth(
                            IntVector.fromArray(LANES, r, a + i)
                                    .compare(LT, IntVector.fromArray(LANES, r, b + i)))
                    .intoArray(r, o + i);
        }
    }

    private static void le(int[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            truth(
                            IntVector.fromArray(LANES, r, a + i)
                                    .compare(LE, IntVector.fromArray(LANES, r, b + i)))
                    .intoArray(r, o + i);
        }
    }

    private static void select(int[] r, int c, int yes, int no, int o, int n) {
        for (int i = 0; i < n; i += 8) {
            var holds = IntVector.fromArray(LANES, r, c + i).compare(NE, 0);
            var x = IntVector.fromArray(LANES, r, no + i);
            x.blend(IntVector.fromArray(LANES, r, yes + i), holds).intoArray(r, o + i);
        }
    }
}
