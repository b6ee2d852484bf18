package dev.ebb.cpu.math;

import static jdk.incubator.vector.VectorOperators.ABS;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.NE;
import static jdk.incubator.vector.VectorOperators.XOR;

import dev.ebb.ir.Fn1;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * Sine and cosine of f32 vectors, by the rules of {@link F32Math}: the argument less the nearest
 * multiple of pi/2, which is subtracted in three parts after Cody and Waite, then one of two
 * polynomials. This holds up to {@link #FAR}; a lane with a larger argument, rare in practice, is
 * computed by the double function.
 */
public final class F32Waves {
    static final float FAR = 0x1p15f;
    static final float TWO_OVER_PI = 0x1.45f306p-1f;
    static final float HALF_PI_1 = 0x1.921fb4p+0f;
    static final float HALF_PI_2 = 0x1.4442d2p-24f;
    static final float HALF_PI_3 = -0x1.ee59dap-50f;

    /** (sin(r)/r - 1) / r^2 for |r| up to pi/4. */
    static final float S0 = -0x1.555546p-3f;

    static final float S1 = 0x1.11075ap-7f;
    static final float S2 = -0x1.994be2p-13f;

    /** (cos(r) - 1 + r^2/2) / r^4. */
    static final float C0 = 0x1.55554ap-5f;

    static final float C1 = -0x1.6c0c90p-10f;
    static final float C2 = 0x1.9a02d2p-16f;

    private F32Waves() {}

    private static FloatVector all(float x) {
        return FloatVector.broadcast(F32Math.LANES, x);
    }

    /** sin(x). */
    public static FloatVector sin(FloatVector x) {
        var t = x.fma(all(TWO_OVER_PI), all(F32Math.MAGIC));
        var y = wave(reduced(x, t.sub(F32Math.MAGIC)), t.reinterpretAsInts());
        y = y.blend(x, x.lanewise(ABS).compare(LT, 0x1p-13f));
        return F32Math.within(x, FAR).allTrue() ? y : distant(Fn1.SIN, x, y);
    }

    /** cos(x). */
    public static FloatVector cos(FloatVector x) {
        var t = x.fma(all(TWO_OVER_PI), all(F32Math.MAGIC));
        var y = wave(reduced(x, t.sub(F32Math.MAGIC)), t.reinterpretAsInts().add(1));
        return F32Math.within(x, FAR).allTrue() ? y : distant(Fn1.COS, x, y);
    }

    private static FloatVector reduced(FloatVector x, FloatVector n) {
        var r = n.fma(all(-HALF_PI_1), x);
        return n.fma(all(-HALF_PI_3), n.fma(all(-HALF_PI_2), r));
    }

    /** The sine of {@code r} plus a number of quarter turns, the low two bits of {@code turns}. */
    private static FloatVector wave(FloatVector r, IntVector turns) {
        var z = r.mul(r);
        var s = z.fma(all(S2), all(S1)).fma(z, all(S0)).mul(z).fma(r, r);
        var c = z.fma(all(C2), all(C1)).fma(z, all(C0));
        c = c.fma(z.mul(z), z.fma(all(-0.5f), all(1f)));
        var y = s.blend(c, turns.and(1).compare(NE, 0).cast(F32Math.LANES));
        var sign = turns.and(2).lanewise(LSHL, 30);
        return y.reinterpretAsInts().lanewise(XOR, sign).reinterpretAsFloats();
    }

    private static FloatVector distant(Fn1 fn, FloatVector x, FloatVector y) {
        var from = x.toArray();
        var to = y.toArray();
        for (int i = 0; i < from.length; i++) {
            if (!(Math.abs(from[i]) <= FAR)) to[i] = (float) fn.apply(from[i]);
        }
        return FloatVector.fromArray(F32Math.LANES, to, 0);
    }
}
