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
 *
 * <p>The loops take two vectors at once and spell the exponential out: beyond 325 bytes of bytecode C2 compiles a method
 * by itself. Inlined into a caller that already holds other vector loops they pass its limit on nodes, and run ten
 * times slower.
 */
final class SoftmaxLanes {
    private static final VectorSpecies<Float> SPECIES = F32Blocks.SPECIES;
    private static final int HALF = SPECIES.length();

    /** Below this, an exponential counts as zero. */
    private static final float LEAST = -87f;

    /** The exponent's bias; the other bits of {@link F32Math#MAGIC} leave at the top. */
    private static final int BIAS = 127;

    private SoftmaxLanes() {}

    /**
     * Takes {@code keys} more scores of each query: raises the running maximum, puts exponentials in place of the scores,
     * adds them to the running sum, and leaves in {@code change} the factor that brings older terms to the new maximum.
     * All are places in {@code x}; scores of a query are {@code row} apart.
     */
    static void advance(float[] x, int scores, int row, int keys, int queries, int greatest, int sum, int change) {
        for (int lane = 0; lane < queries; lane += F32Blocks.LANES) {
            take(x, scores + lane, row, keys, greatest + lane, sum + lane, change + lane);
        }
    }

    private static void take(float[] x, int scores, int row, int keys, int greatest, int sum, int change) {
        var before0 = FloatVector.fromArray(SPECIES, x, greatest);
        var before1 = FloatVector.fromArray(SPECIES, x, greatest + HALF);
        var top0 = before0;
        var top1 = before1;
        for (int j = 0; j < keys; j++) {
            var s0 = FloatVector.fromArray(SPECIES, x, scores + j * row);
            var s1 = FloatVector.fromArray(SPECIES, x, scores + j * row + HALF);
            top0 = top0.blend(s0, s0.compare(GT, top0));
            top1 = top1.blend(s1, s1.compare(GT, top1));
        }
        top0.intoArray(x, greatest);
        top1.intoArray(x, greatest + HALF);
        top0 = finite(top0);
        top1 = finite(top1);
        var sum0 = FloatVector.zero(SPECIES);
        var sum1 = sum0;
        for (int j = 0; j < keys; j++) {
            var x0 = FloatVector.fromArray(SPECIES, x, scores + j * row).sub(top0);
            var x1 = FloatVector.fromArray(SPECIES, x, scores + j * row + HALF).sub(top1);
            var t0 = x0.fma(all(F32Math.LOG2_E), all(F32Math.MAGIC));
            var t1 = x1.fma(all(F32Math.LOG2_E), all(F32Math.MAGIC));
            var r0 = t0.sub(F32Math.MAGIC).fma(all(-F32Math.LN2_HIGH), x0);
            var r1 = t1.sub(F32Math.MAGIC).fma(all(-F32Math.LN2_HIGH), x1);
            r0 = t0.sub(F32Math.MAGIC).fma(all(-F32Math.LN2_LOW), r0);
            r1 = t1.sub(F32Math.MAGIC).fma(all(-F32Math.LN2_LOW), r1);
            var p0 = nearZero(r0).mul(power(t0)).blend(0f, x0.compare(LT, LEAST));
            var p1 = nearZero(r1).mul(power(t1)).blend(0f, x1.compare(LT, LEAST));
            p0.intoArray(x, scores + j * row);
            p1.intoArray(x, scores + j * row + HALF);
            sum0 = sum0.add(p0);
            sum1 = sum1.add(p1);
        }
        var change0 = exp(before0.sub(top0));
        var change1 = exp(before1.sub(top1));
        change0.intoArray(x, change);
        change1.intoArray(x, change + HALF);
        FloatVector.fromArray(SPECIES, x, sum).fma(change0, sum0).intoArray(x, sum);
        FloatVector.fromArray(SPECIES, x, sum + HALF).fma(change1, sum1).intoArray(x, sum + HALF);
    }

    /**
     * Puts probabilities {@code p} in place of scores, from the logarithms of the whole sums, and gradients of scores, {@code
     * p * (dp - inner)}, in place of the gradients {@code dp} of probabilities.
     */
    static void pull(float[] x, int scores, int dp, int row, int keys, int queries, int logsum, int inner) {
        for (int lane = 0; lane < queries; lane += F32Blocks.LANES) {
            differentiate(x, scores + lane, dp + lane, row, keys, logsum + lane, inner + lane);
        }
    }

    private static void differentiate(float[] x, int scores, int dp, int row, int keys, int logsum, int inner) {
        var log0 = FloatVector.fromArray(SPECIES, x, logsum);
        var log1 = FloatVector.fromArray(SPECIES, x, logsum + HALF);
        var inner0 = FloatVector.fromArray(SPECIES, x, inner);
        var inner1 = FloatVector.fromArray(SPECIES, x, inner + HALF);
        for (int j = 0; j < keys; j++) {
            var x0 = FloatVector.fromArray(SPECIES, x, scores + j * row).sub(log0);
            var x1 = FloatVector.fromArray(SPECIES, x, scores + j * row + HALF).sub(log1);
            var t0 = x0.fma(all(F32Math.LOG2_E), all(F32Math.MAGIC));
            var t1 = x1.fma(all(F32Math.LOG2_E), all(F32Math.MAGIC));
            var r0 = t0.sub(F32Math.MAGIC).fma(all(-F32Math.LN2_HIGH), x0);
            var r1 = t1.sub(F32Math.MAGIC).fma(all(-F32Math.LN2_HIGH), x1);
            r0 = t0.sub(F32Math.MAGIC).fma(all(-F32Math.LN2_LOW), r0);
            r1 = t1.sub(F32Math.MAGIC).fma(all(-F32Math.LN2_LOW), r1);
            var p0 = nearZero(r0).mul(power(t0)).blend(0f, x0.compare(LT, LEAST));
            var p1 = nearZero(r1).mul(power(t1)).blend(0f, x1.compare(LT, LEAST));
            var d0 = FloatVector.fromArray(SPECIES, x, dp + j * row).sub(inner0).mul(p0);
            var d1 = FloatVector.fromArray(SPECIES, x, dp + j * row + HALF).sub(inner1).mul(p1);
            p0.intoArray(x, scores + j * row);
            p1.intoArray(x, scores + j * row + HALF);
            d0.intoArray(x, dp + j * row);
            d1.intoArray(x, dp + j * row + HALF);
        }
    }

    /** A query that has seen only minus infinities is shifted by nothing. */
    private static FloatVector finite(FloatVector top) {
        return top.blend(0f, top.compare(EQ, Float.NEGATIVE_INFINITY));
    }

    /** e to the power of an {@code x} that is hardly positive: no overflow to guard against. */
    private static FloatVector exp(FloatVector x) {
        var t = x.fma(all(F32Math.LOG2_E), all(F32Math.MAGIC));
        var r = t.sub(F32Math.MAGIC).fma(all(-F32Math.LN2_HIGH), x);
        r = t.sub(F32Math.MAGIC).fma(all(-F32Math.LN2_LOW), r);
        return nearZero(r).mul(power(t)).blend(0f, x.compare(LT, LEAST));
    }

    /** e^r for |r| up to ln(2)/2. */
    private static FloatVector nearZero(FloatVector r) {
        var q = r.fma(all(F32Math.E4), all(F32Math.E3)).fma(r, all(F32Math.E2));
        return q.fma(r, all(F32Math.E1)).fma(r, all(F32Math.E0)).fma(r.mul(r), r).add(1f);
    }

    /** Two to the power of the integer in the low bits of {@code t}. */
    private static FloatVector power(FloatVector t) {
        return t.reinterpretAsInts().add(BIAS).lanewise(LSHL, 23).reinterpretAsFloats();
    }

    private static FloatVector all(float x) {
        return FloatVector.broadcast(SPECIES, x);
    }
}
