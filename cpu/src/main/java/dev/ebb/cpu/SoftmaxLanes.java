package dev.ebb.cpu;

import static jdk.incubator.vector.VectorOperators.EQ;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LT;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Softmax over tiles of scores that lie key by key, queries side by side: every lane is a query, so maxima and sums
 * run down the keys within a lane. No lane meets another, hence the bits do not know how wide a vector is.
 */
final class SoftmaxLanes {
    private static final VectorSpecies<Float> SPECIES = F32Blocks.SPECIES;

    /** Below this, an exponential counts as zero. */
    private static final float LEAST = -87f;

    /** The exponent's bias, as it stands below the bits of {@link F32Math#MAGIC}. */
    private static final int BIAS = 127;

    private SoftmaxLanes() {}

    /**
     * Takes {@code keys} more scores of each query: raises the running maximum, puts exponentials in place of the scores,
     * adds them to the running sum, and leaves in {@code change} the factor that brings older terms to the new maximum.
     * All are places in {@code x}; scores of a query are {@code row} apart.
     */
    static void advance(float[] x, int scores, int row, int keys, int queries, int greatest, int sum, int change) {
        for (int lane = 0; lane < queries; lane += SPECIES.length()) {
            raise(x, scores + lane, row, keys, greatest + lane, change + lane);
            exponentials(x, scores + lane, row, keys, greatest + lane, sum + lane, change + lane);
        }
    }

    private static void raise(float[] x, int scores, int row, int keys, int greatest, int change) {
        var before = FloatVector.fromArray(SPECIES, x, greatest);
        var top = before;
        for (int j = 0; j < keys; j++) {
            var s = FloatVector.fromArray(SPECIES, x, scores + j * row);
            top = top.blend(s, s.compare(GT, top));
        }
        top.intoArray(x, greatest);
        exp(before.sub(finite(top))).intoArray(x, change);
    }

    private static void exponentials(float[] x, int scores, int row, int keys, int greatest, int sum, int change) {
        var top = finite(FloatVector.fromArray(SPECIES, x, greatest));
        var total = FloatVector.zero(SPECIES);
        for (int j = 0; j < keys; j++) {
            var p = exp(FloatVector.fromArray(SPECIES, x, scores + j * row).sub(top));
            p.intoArray(x, scores + j * row);
            total = total.add(p);
        }
        FloatVector.fromArray(SPECIES, x, sum)
                .fma(FloatVector.fromArray(SPECIES, x, change), total)
                .intoArray(x, sum);
    }

    /** Probabilities in place of scores, from the logarithms of the whole sums. */
    static void probabilities(float[] x, int scores, int row, int keys, int queries, int logsum) {
        for (int lane = 0; lane < queries; lane += SPECIES.length()) {
            var log = FloatVector.fromArray(SPECIES, x, logsum + lane);
            for (int j = 0; j < keys; j++) {
                exp(FloatVector.fromArray(SPECIES, x, scores + lane + j * row).sub(log))
                        .intoArray(x, scores + lane + j * row);
            }
        }
    }

    /** Gradients of scores, {@code p * (dp - inner)}, in place of the gradients {@code dp} of probabilities {@code p}. */
    static void pull(float[] x, int p, int dp, int row, int keys, int queries, int inner) {
        for (int lane = 0; lane < queries; lane += SPECIES.length()) {
            var d = FloatVector.fromArray(SPECIES, x, inner + lane);
            for (int j = 0; j < keys; j++) {
                int at = lane + j * row;
                FloatVector.fromArray(SPECIES, x, dp + at)
                        .sub(d)
                        .mul(FloatVector.fromArray(SPECIES, x, p + at))
                        .intoArray(x, dp + at);
            }
        }
    }

    /** A query that has seen only minus infinities is shifted by nothing. */
    private static FloatVector finite(FloatVector top) {
        return top.blend(0f, top.compare(EQ, Float.NEGATIVE_INFINITY));
    }

    /** e to the power of an {@code x} that is hardly positive: no overflow to guard against. */
    private static FloatVector exp(FloatVector x) {
        var t = x.fma(broadcast(F32Math.LOG2_E), broadcast(F32Math.MAGIC));
        var n = t.sub(F32Math.MAGIC);
        var r = n.fma(broadcast(-F32Math.LN2_HIGH), x);
        r = n.fma(broadcast(-F32Math.LN2_LOW), r);
        var q = r.fma(broadcast(F32Math.E4), broadcast(F32Math.E3));
        q = q.fma(r, broadcast(F32Math.E2));
        q = q.fma(r, broadcast(F32Math.E1));
        q = q.fma(r, broadcast(F32Math.E0));
        q = q.fma(r.mul(r), r).add(1f);
        var power = t.reinterpretAsInts().add(BIAS).lanewise(LSHL, 23).reinterpretAsFloats();
        return q.mul(power).blend(0f, x.compare(LT, LEAST));
    }

    private static FloatVector broadcast(float x) {
        return FloatVector.broadcast(SPECIES, x);
    }
}
