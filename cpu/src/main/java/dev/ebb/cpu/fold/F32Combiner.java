package dev.ebb.cpu.fold;

import dev.ebb.cpu.math.F32Math;
import dev.ebb.cpu.tile.RunLoads;
import dev.ebb.cpu.tile.ScratchArray;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.TileStep;
import dev.ebb.cpu.tile.WarmupStep;
import dev.ebb.cpu.tile.WarmupStep.States;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel.Combine;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Combines f32 with vectors once they are {@link WarmupStep warm}, otherwise element by element, in
 * the same order.
 *
 * <p>A loop calls methods on the vector that it has just read, with the vector that it carries as
 * the argument. C2 knows the class of the former from the code, that of the latter only from a
 * profile, which an early compilation does not have; without it, vectors are boxed.
 */
final class F32Combiner extends Combiner {
    private static final VectorSpecies<Float> S = F32Math.LANES;
    private static final States<Combine> ROWS = new States<>();
    private static final States<Combine> COLUMNS = new States<>();

    private final Combine combine;
    private final float identity;
    private final TileStep registerLanes;
    private final TileStep blockLanes;
    private final TileStep columns;

    F32Combiner(Combine combine) {
        this.combine = combine;
        identity =
                switch (combine) {
                    case SUM -> 0;
                    case PROD -> 1;
                    case MAX -> Float.NEGATIVE_INFINITY;
                    case MIN -> Float.POSITIVE_INFINITY;
                };
        var rows = ROWS.of(combine);
        registerLanes =
                new WarmupStep(
                        rows,
                        (t, from, n) -> lanes(t.f32, (int) from, t.f32Lanes, n),
                        (t, from, skip, n) -> plainLanes(t.f32, (int) from, t.f32Lanes, skip, n));
        blockLanes =
                new WarmupStep(
                        rows,
                        (t, _, n) -> lanes(t.f32Block, 0, t.f32Lanes, n),
                        (t, _, skip, n) -> plainLanes(t.f32Block, 0, t.f32Lanes, skip, n));
        columns =
                new WarmupStep(
                        COLUMNS.of(combine),
                        (t, from, n) -> columns(t.f32, (int) from, t.f32Sums[0], n),
                        (t, from, skip, n) ->
                                plainColumns(t.f32, (int) from, t.f32Sums[0], skip, n));
    }

    private static long bits(float x) {
        return Float.floatToRawIntBits(x);
    }

    private static float value(long bits) {
        return Float.intBitsToFloat((int) bits);
    }

    @Override
    ScratchArray blocks() {
        return ScratchArray.F32_BLOCK;
    }

    @Override
    ScratchArray sums() {
        return ScratchArray.F32_SUMS;
    }

    @Override
    long identity() {
        return bits(identity);
    }

    @Override
    long combine(long x, long y) {
        return bits(apply(value(x), value(y)));
    }

    private float apply(float x, float y) {
        return switch (combine) {
            case SUM -> x + y;
            case PROD -> x * y;
            case MAX -> Math.max(x, y);
            case MIN -> Math.min(x, y);
        };
    }

    @Override
    void set(Buffer out, long index, long value) {
        out.set(index, value(value));
    }

    @Override
    void gather(Tile t, int from, int at, int n) {
        System.arraycopy(t.f32, from, t.f32Block, at, n);
    }

    @Override
    long register(Tile t, int from, int n) {
        Arrays.fill(t.f32Lanes, identity);
        int whole = n / LANES * LANES;
        if (whole > 0) registerLanes.run(t, from, whole);
        plainLanes(t.f32, from, t.f32Lanes, whole, n);
        return bits(tree(t.f32Lanes, 0, LANES));
    }

    @Override
    long block(Tile t, int n) {
        Arrays.fill(t.f32Lanes, identity);
        int whole = n / LANES * LANES;
        if (whole > 0) blockLanes.run(t, 0, whole);
        plainLanes(t.f32Block, 0, t.f32Lanes, whole, n);
        return bits(tree(t.f32Lanes, 0, LANES));
    }

    /**
     * Combines lanes 0, 8, 16 and 24 first, unless that is done, then the remaining eight by
     * halves.
     */
    float tree(float[] l, int at, int lanes) {
        if (lanes == LANES) narrow(l, at);
        return switch (combine) {
            case SUM -> sumOf(l, at);
            case PROD, MAX, MIN -> anyOf(l, at);
        };
    }

    private void narrow(float[] l, int at) {
        switch (combine) {
            case SUM -> {
                for (int i = at; i < at + 8; i++)
                    l[i] = (l[i] + l[i + 8]) + (l[i + 16] + l[i + 24]);
            }
            case MAX -> {
                for (int i = at; i < at + 8; i++)
                    l[i] = Math.max(Math.max(l[i], l[i + 8]), Math.max(l[i + 16], l[i + 24]));
            }
            case PROD, MIN -> {
                for (int i = at; i < at + 8; i++)
                    l[i] = apply(apply(l[i], l[i + 8]), apply(l[i + 16], l[i + 24]));
            }
        }
    }

    private static float sumOf(float[] l, int at) {
        float even = (l[at] + l[at + 4]) + (l[at + 2] + l[at + 6]);
        return even + ((l[at + 1] + l[at + 5]) + (l[at + 3] + l[at + 7]));
    }

    private float anyOf(float[] l, int at) {
        float even = apply(apply(l[at], l[at + 4]), apply(l[at + 2], l[at + 6]));
        return apply(even, apply(apply(l[at + 1], l[at + 5]), apply(l[at + 3], l[at + 7])));
    }

    private void plainLanes(float[] x, int from, float[] lanes, int skip, int n) {
        for (int i = skip; i < n; i++) {
            int l = i & (LANES - 1);
            lanes[l] = apply(lanes[l], x[from + i]);
        }
    }

    private void lanes(float[] x, int from, float[] lanes, int n) {
        switch (combine) {
            case SUM -> sum(x, from, lanes, n);
            case PROD -> product(x, from, lanes, n);
            case MAX -> most(x, from, lanes, n);
            case MIN -> least(x, from, lanes, n);
        }
    }

    private static void sum(float[] x, int from, float[] lanes, int n) {
        var a = FloatVector.fromArray(S, lanes, 0);
        var b = FloatVector.fromArray(S, lanes, 8);
        var c = FloatVector.fromArray(S, lanes, 16);
        var d = FloatVector.fromArray(S, lanes, 24);
        for (int i = from; i < from + n; i += LANES) {
            a = FloatVector.fromArray(S, x, i).add(a);
            b = FloatVector.fromArray(S, x, i + 8).add(b);
            c = FloatVector.fromArray(S, x, i + 16).add(c);
            d = FloatVector.fromArray(S, x, i + 24).add(d);
        }
        keep(a, b, c, d, lanes);
    }

    private static void product(float[] x, int from, float[] lanes, int n) {
        var a = FloatVector.fromArray(S, lanes, 0);
        var b = FloatVector.fromArray(S, lanes, 8);
        var c = FloatVector.fromArray(S, lanes, 16);
        var d = FloatVector.fromArray(S, lanes, 24);
        for (int i = from; i < from + n; i += LANES) {
            a = FloatVector.fromArray(S, x, i).mul(a);
            b = FloatVector.fromArray(S, x, i + 8).mul(b);
            c = FloatVector.fromArray(S, x, i + 16).mul(c);
            d = FloatVector.fromArray(S, x, i + 24).mul(d);
        }
        keep(a, b, c, d, lanes);
    }

    private static void most(float[] x, int from, float[] lanes, int n) {
        var a = FloatVector.fromArray(S, lanes, 0);
        var b = FloatVector.fromArray(S, lanes, 8);
        var c = FloatVector.fromArray(S, lanes, 16);
        var d = FloatVector.fromArray(S, lanes, 24);
        for (int i = from; i < from + n; i += LANES) {
            a = FloatVector.fromArray(S, x, i).max(a);
            b = FloatVector.fromArray(S, x, i + 8).max(b);
            c = FloatVector.fromArray(S, x, i + 16).max(c);
            d = FloatVector.fromArray(S, x, i + 24).max(d);
        }
        keep(a, b, c, d, lanes);
    }

    private static void least(float[] x, int from, float[] lanes, int n) {
        var a = FloatVector.fromArray(S, lanes, 0);
        var b = FloatVector.fromArray(S, lanes, 8);
        var c = FloatVector.fromArray(S, lanes, 16);
        var d = FloatVector.fromArray(S, lanes, 24);
        for (int i = from; i < from + n; i += LANES) {
            a = FloatVector.fromArray(S, x, i).min(a);
            b = FloatVector.fromArray(S, x, i + 8).min(b);
            c = FloatVector.fromArray(S, x, i + 16).min(c);
            d = FloatVector.fromArray(S, x, i + 24).min(d);
        }
        keep(a, b, c, d, lanes);
    }

    private static void keep(
            FloatVector a, FloatVector b, FloatVector c, FloatVector d, float[] lanes) {
        a.intoArray(lanes, 0);
        b.intoArray(lanes, 8);
        c.intoArray(lanes, 16);
        d.intoArray(lanes, 24);
    }

    @Override
    void clear(Tile t, int level, int n) {
        Arrays.fill(t.f32Sums[level], 0, n, identity);
    }

    @Override
    void add(Tile t, int from, int n) {
        columns.run(t, from, n);
    }

    @Override
    void rise(Tile t, int level, int n) {
        plainColumns(t.f32Sums[level], 0, t.f32Sums[level + 1], 0, n);
    }

    private void plainColumns(float[] x, int from, float[] sums, int skip, int n) {
        for (int i = skip; i < n; i++) sums[i] = apply(sums[i], x[from + i]);
    }

    private void columns(float[] x, int from, float[] sums, int n) {
        switch (combine) {
            case SUM -> addAll(x, from, sums, n);
            case PROD -> multiplyAll(x, from, sums, n);
            case MAX -> mostOfAll(x, from, sums, n);
            case MIN -> leastOfAll(x, from, sums, n);
        }
    }

    // these may run beyond n into the padding, whose accumulators are never read

    private static void addAll(float[] x, int from, float[] sums, int n) {
        for (int i = 0; i < n; i += 8) {
            FloatVector.fromArray(S, sums, i)
                    .add(FloatVector.fromArray(S, x, from + i))
                    .intoArray(sums, i);
        }
    }

    private static void multiplyAll(float[] x, int from, float[] sums, int n) {
        for (int i = 0; i < n; i += 8) {
            FloatVector.fromArray(S, sums, i)
                    .mul(FloatVector.fromArray(S, x, from + i))
                    .intoArray(sums, i);
        }
    }

    private static void mostOfAll(float[] x, int from, float[] sums, int n) {
        for (int i = 0; i < n; i += 8) {
            FloatVector.fromArray(S, sums, i)
                    .max(FloatVector.fromArray(S, x, from + i))
                    .intoArray(sums, i);
        }
    }

    private static void leastOfAll(float[] x, int from, float[] sums, int n) {
        for (int i = 0; i < n; i += 8) {
            FloatVector.fromArray(S, sums, i)
                    .min(FloatVector.fromArray(S, x, from + i))
                    .intoArray(sums, i);
        }
    }

    @Override
    int bytes() {
        return 4;
    }

    @Override
    void save(Tile t, MemorySegment to, long at, int n) {
        MemorySegment.copy(t.f32Sums[1], 0, to, RunLoads.FLOAT, at, n);
    }

    @Override
    void recall(Tile t, MemorySegment from, long at, int n) {
        MemorySegment.copy(from, RunLoads.FLOAT, at, t.f32Sums[1], 0, n);
    }

    @Override
    void finish(Tile t, Buffer out, long index, int n) {
        for (int i = 0; i < n; i++) out.set(index + i, t.f32Sums[2][i]);
    }
}
