package dev.ebb.cpu.math;

import static jdk.incubator.vector.VectorOperators.D2F;
import static jdk.incubator.vector.VectorOperators.F2D;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

import java.util.List;

/**
 * Powers of f32 vectors: the exponential of y log(x) in double, rounded once, by the functions of
 * {@link F64Math}. The error is at most 0.51 units in the last place. Blocks and passes are as in
 * {@link F64Power}.
 */
public final class F32Power {
    private static final VectorSpecies<Float> NARROW = FloatVector.SPECIES_128;
    private static final int BLOCK = 64;

    @FunctionalInterface
    private interface Pass {
        void run(float[] r, int a, int b, int o, double[] between, int n);
    }

    private static final List<Pass> PASSES =
            List.of(F32Power::logarithms, F32Power::exponentials, F32Power::narrow);

    private F32Power() {}

    /** Powers of {@code n} numbers from {@code a} on with exponents from {@code b} on. */
    public static void pow(float[] r, int a, int b, int o, int n) {
        var between = new double[BLOCK];
        for (int i = 0; i < n; i += BLOCK) {
            int some = Math.min(BLOCK, n - i);
            if (arePlain(r, a + i, b + i, some)) {
                for (Pass pass : PASSES) pass.run(r, a + i, b + i, o + i, between, some);
            } else {
                for (int j = i; j < i + some; j++) r[o + j] = F32Scalar.pow(r[a + j], r[b + j]);
            }
        }
    }

    private static boolean arePlain(float[] r, int a, int b, int n) {
        for (int i = 0; i < n; i++) if (!F32Scalar.isPlain(r[a + i], r[b + i])) return false;
        return true;
    }

    private static DoubleVector wide(float[] r, int at) {
        return (DoubleVector)
                FloatVector.fromArray(NARROW, r, at).convertShape(F2D, F64Math.LANES, 0);
    }

    private static void logarithms(float[] r, int a, int b, int o, double[] between, int n) {
        for (int i = 0; i < n; i += 4) F64Math.log(wide(r, a + i)).intoArray(between, i);
    }

    private static void exponentials(float[] r, int a, int b, int o, double[] between, int n) {
        for (int i = 0; i < n; i += 4) {
            var log = DoubleVector.fromArray(F64Math.LANES, between, i);
            F64Math.exp(wide(r, b + i).mul(log)).intoArray(between, i);
        }
    }

    private static void narrow(float[] r, int a, int b, int o, double[] between, int n) {
        for (int i = 0; i < n; i += 4) {
            var y = DoubleVector.fromArray(F64Math.LANES, between, i);
            ((FloatVector) y.convertShape(D2F, NARROW, 0)).intoArray(r, o + i);
        }
    }
}
