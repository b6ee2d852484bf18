package dev.ebb.cpu.tile;

import dev.ebb.ir.Fn1;
import dev.ebb.ir.Scalar.Fn2;
import dev.ebb.ir.math.Checks;

/** Steps over i64 registers: plain loops, as counts and positions are seldom hot. */
final class I64Steps {
    private I64Steps() {}

    static TileStep unary(Fn1 fn, int a, int o) {
        return switch (fn) {
            case NEG, ABS, SIGN, NOT -> (t, _, n) -> unary(fn, t.i64, a, o, n);
            default ->
                    throw new IllegalArgumentException(fn + " of integers; cast to floats first");
        };
    }

    static TileStep binary(Fn2 fn, int a, int b, int o) {
        return switch (fn) {
            case ADD -> (t, _, n) -> add(t.i64, a, b, o, n);
            case MUL -> (t, _, n) -> mul(t.i64, a, b, o, n);
            case SUB, DIV, REM, MAX, MIN, AND, OR, XOR, SHL, SHR, USHR ->
                    (t, _, n) -> binary(fn, t.i64, a, b, o, n);
            case EQ, NE, LT, LE, GT, GE -> (t, _, n) -> compare(fn, t.i64, a, b, t.i32, o, n);
            case POW, ATAN2, HYPOT, POLYGAMMA ->
                    throw new IllegalArgumentException(fn + " of integers; cast to floats first");
        };
    }

    static TileStep select(int c, int yes, int no, int o) {
        return (t, _, n) -> select(t.i32, c, t.i64, yes, no, o, n);
    }

    private static void add(long[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i++) r[o + i] = r[a + i] + r[b + i];
    }

    private static void mul(long[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i++) r[o + i] = r[a + i] * r[b + i];
    }

    private static void unary(Fn1 fn, long[] r, int a, int o, int n) {
        for (int i = 0; i < n; i++) {
            long x = r[a + i];
            r[o + i] =
                    switch (fn) {
                        case NEG -> -x;
                        case ABS -> Math.abs(x);
                        case SIGN -> Long.signum(x);
                        default -> ~x;
                    };
        }
    }

    private static void binary(Fn2 fn, long[] r, int a, int b, int o, int n) {
        for (int i = 0; i < n; i++) r[o + i] = apply(fn, r[a + i], r[b + i]);
    }

    private static long apply(Fn2 fn, long x, long y) {
        return switch (fn) {
            case SUB -> x - y;
            case DIV -> Checks.quotient(x, y);
            case REM -> Checks.rest(x, y);
            case MAX -> Math.max(x, y);
            case MIN -> Math.min(x, y);
            case AND -> x & y;
            case OR -> x | y;
            case XOR -> x ^ y;
            case SHL -> x << y;
            case SHR -> x >> y;
            case USHR -> x >>> y;
            case ADD, MUL, POW, ATAN2, HYPOT, POLYGAMMA, EQ, NE, LT, LE, GT, GE ->
                    throw new IllegalArgumentException(fn + " has a step of its own");
        };
    }

    private static void compare(Fn2 fn, long[] r, int a, int b, int[] c, int o, int n) {
        for (int i = 0; i < n; i++)
            c[o + i] = fn.holds(Long.compare(r[a + i], r[b + i]), 0) ? 1 : 0;
    }

    private static void select(int[] m, int c, long[] r, int yes, int no, int o, int n) {
        for (int i = 0; i < n; i++) r[o + i] = m[c + i] != 0 ? r[yes + i] : r[no + i];
    }
}
