package dev.ebb.cpu.attend;

import static jdk.incubator.vector.VectorOperators.EQ;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LT;

import dev.ebb.cpu.math.F32Math;
import dev.ebb.cpu.product.F32Blocks;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Softmax over tiles of scores that are stored key by key with the queries contiguous: every vector
 * lane is a query, so maxima and sums run over the keys within a lane. Lanes are never combined, so
 * the bits do not depend on the width of a vector.
 *
 * <p>The loops contain the code of the exponential, so that they are larger than the 325 bytes of
 * bytecode up to which C2 inlines. Inlined into a caller that already holds other vector loops they
 * would pass its limit on nodes, and run ten times slower.
 */
final class SoftmaxLanes {
    private static final VectorSpecies<Float> SPECIES = F32Blocks.SPECIES;

    /** Below this, an exponential counts as zero. */
    private static final float LEAST = -87f;

    /** The bias of a float's exponent; the other bits of {@link F32Math#MAGIC} are shifted out. */
    private static final int BIAS = 127;

    private SoftmaxLanes() {}

    /**
     * Processes {@code keys} more scores of each query: updates the running maximum, replaces the
     * scores by exponentials, adds these to the running sum, and writes to {@code change} the
     * factor that rescales older terms to the new maximum. All arguments are offsets in {@code x};
     * the scores of a query are {@code row} apart.
     */
    static void advance(
            float[] x,
            int scores,
            int row,
            int keys,
            int queries,
            int greatest,
            int sum,
            int change) {
        System.arraycopy(x, greatest, x, change, queries);
        for (int lane = 0; lane < queries; lane += SPECIES.length()) {
            take(x, scores + lane, row, keys, greatest + lane, sum + lane, change + lane);
        }
    }

    /** On entry, {@code change} has the previous maximum. */
    private static void take(
            float[] x, int scores, int row, int keys, int greatest, int sum, int change) {
        var top = FloatVector.fromArray(SPECIES, x, greatest);
        for (int j = 0; j < keys; j++) {
            var s = FloatVector.fromArray(SPECIES, x, scores + j * row);
            top = top.blend(s, s.compare(GT, top));
        }
        top.intoArray(x, greatest);
        // a query whose scores are all minus infinity so far is not shifted
        top = top.blend(0f, top.compare(EQ, Float.NEGATIVE_INFINITY));
        var factor = exp(FloatVector.fromArray(SPECIES, x, change).sub(top));
        factor.intoArray(x, change);
        var total = FloatVector.fromArray(SPECIES, x, sum).mul(factor);
        for (int j = 0; j < keys; j++) {
            var y = FloatVector.fromArray(SPECIES, x, scores + j * row).sub(top);
            var t =
                    y.fma(
                            FloatVector.broadcast(SPECIES, F32Math.LOG2_E),
                            FloatVector.broadcast(SPECIES, F32Math.MAGIC));
            var r = t.sub(F32Math.MAGIC).fma(FloatVector.broadcast(SPECIES, -F32Math.LN2_HIGH), y);
            r = t.sub(F32Math.MAGIC).fma(FloatVector.broadcast(SPECIES, -F32Math.LN2_LOW), r);
            var p =
                    r.fma(
                                    FloatVector.broadcast(SPECIES, F32Math.E4),
                                    FloatVector.broadcast(SPECIES, F32Math.E3))
                            .fma(r, FloatVector.broadcast(SPECIES, F32Math.E2));
            p =
                    p.fma(r, FloatVector.broadcast(SPECIES, F32Math.E1))
                            .fma(r, FloatVector.broadcast(SPECIES, F32Math.E0))
                            .fma(r.mul(r), r)
                            .add(1f);
            p = p.mul(t.reinterpretAsInts().add(BIAS).lanewise(LSHL, 23).reinterpretAsFloats());
            p = p.blend(0f, y.compare(LT, LEAST));
            p.intoArray(x, scores + j * row);
            total = p.add(total);
        }
        total.intoArray(x, sum);
    }

    /**
     * Replaces scores by probabilities {@code p}, computed from the logarithms of the whole sums,
     * and the gradients {@code dp} of probabilities by the gradients of scores, {@code p * (dp -
     * inner)}.
     */
    static void pull(
            float[] x, int scores, int dp, int row, int keys, int queries, int logsum, int inner) {
        for (int lane = 0; lane < queries; lane += SPECIES.length()) {
            var log = FloatVector.fromArray(SPECIES, x, logsum + lane);
            var mean = FloatVector.fromArray(SPECIES, x, inner + lane);
            for (int j = 0; j < keys; j++) {
                int at = lane + j * row;
                var y = FloatVector.fromArray(SPECIES, x, scores + at).sub(log);
                var t =
                        y.fma(
                                FloatVector.broadcast(SPECIES, F32Math.LOG2_E),
                                FloatVector.broadcast(SPECIES, F32Math.MAGIC));
                var r =
                        t.sub(F32Math.MAGIC)
                                .fma(FloatVector.broadcast(SPECIES, -F32Math.LN2_HIGH), y);
                r = t.sub(F32Math.MAGIC).fma(FloatVector.broadcast(SPECIES, -F32Math.LN2_LOW), r);
                var p =
                        r.fma(
                                        FloatVector.broadcast(SPECIES, F32Math.E4),
                                        FloatVector.broadcast(SPECIES, F32Math.E3))
                                .fma(r, FloatVector.broadcast(SPECIES, F32Math.E2));
                p =
                        p.fma(r, FloatVector.broadcast(SPECIES, F32Math.E1))
                                .fma(r, FloatVector.broadcast(SPECIES, F32Math.E0))
                                .fma(r.mul(r), r)
                                .add(1f);
                p = p.mul(t.reinterpretAsInts().add(BIAS).lanewise(LSHL, 23).reinterpretAsFloats());
                p = p.blend(0f, y.compare(LT, LEAST));
                p.intoArray(x, scores + at);
                FloatVector.fromArray(SPECIES, x, dp + at).sub(mean).mul(p).intoArray(x, dp + at);
            }
        }
    }

    /** e^x for {@code x} at most slightly above zero, so that it cannot overflow. */
    private static FloatVector exp(FloatVector x) {
        var t =
                x.fma(
                        FloatVector.broadcast(SPECIES, F32Math.LOG2_E),
                        FloatVector.broadcast(SPECIES, F32Math.MAGIC));
        var r = t.sub(F32Math.MAGIC).fma(FloatVector.broadcast(SPECIES, -F32Math.LN2_HIGH), x);
        r = t.sub(F32Math.MAGIC).fma(FloatVector.broadcast(SPECIES, -F32Math.LN2_LOW), r);
        var p =
                r.fma(
                                FloatVector.broadcast(SPECIES, F32Math.E4),
                                FloatVector.broadcast(SPECIES, F32Math.E3))
                        .fma(r, FloatVector.broadcast(SPECIES, F32Math.E2));
        p =
                p.fma(r, FloatVector.broadcast(SPECIES, F32Math.E1))
                        .fma(r, FloatVector.broadcast(SPECIES, F32Math.E0))
                        .fma(r.mul(r), r)
                        .add(1f);
        p = p.mul(t.reinterpretAsInts().add(BIAS).lanewise(LSHL, 23).reinterpretAsFloats());
        return p.blend(0f, x.compare(LT, LEAST));
    }
}
