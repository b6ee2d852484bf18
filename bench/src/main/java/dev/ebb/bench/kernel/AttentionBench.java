package dev.ebb.bench.kernel;

import dev.ebb.cpu.Cpu;
import dev.ebb.ir.AttentionShape;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Compares tiled attention with attention that stores the matrix of probabilities, by the device's
 * matrix products and a hand-written softmax, fused row by row. Both run alternately, and the best
 * time of each counts.
 *
 * <p>Run: {@code java --add-modules jdk.incubator.vector -cp ...
 * dev.ebb.bench.kernel.AttentionBench [rounds]}.
 */
public final class AttentionBench {
    private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();
    private static final int WIDTH = 64;
    private static final float SCALE = 0.125f;

    private AttentionBench() {}

    private static FloatVector load(MemorySegment x, long at) {
        return FloatVector.fromMemorySegment(SPECIES, x, at, ORDER);
    }

    private static void exponentials(MemorySegment x, long row, int length, float top) {
        for (int i = 0; i < length; i += SPECIES.length()) {
            load(x, row + 4L * i)
                    .sub(top)
                    .mul(SCALE)
                    .lanewise(VectorOperators.EXP)
                    .intoMemorySegment(x, row + 4L * i, ORDER);
        }
    }

    private static float greatest(MemorySegment x, long row, int length) {
        var top = load(x, row);
        for (int i = 0; i < length; i += SPECIES.length()) top = top.max(load(x, row + 4L * i));
        return top.reduceLanes(VectorOperators.MAX);
    }

    private static float sum(MemorySegment x, long row, int length) {
        var sum = FloatVector.zero(SPECIES);
        for (int i = 0; i < length; i += SPECIES.length()) sum = sum.add(load(x, row + 4L * i));
        return sum.reduceLanes(VectorOperators.ADD);
    }

    private static void scale(MemorySegment x, long row, int length, float by) {
        for (int i = 0; i < length; i += SPECIES.length()) {
            load(x, row + 4L * i).mul(by).intoMemorySegment(x, row + 4L * i, ORDER);
        }
    }

    private static void softmax(MemorySegment x, long row, int length) {
        exponentials(x, row, length, greatest(x, row, length));
        scale(x, row, length, 1 / sum(x, row, length));
    }

    private static float inner(MemorySegment p, MemorySegment dp, long row, int length) {
        var sum = FloatVector.zero(SPECIES);
        for (int i = 0; i < length; i += SPECIES.length())
            sum = load(p, row + 4L * i).fma(load(dp, row + 4L * i), sum);
        return sum.reduceLanes(VectorOperators.ADD);
    }

    private static void pull(MemorySegment p, MemorySegment dp, long row, int length) {
        float inner = inner(p, dp, row, length);
        for (int i = 0; i < length; i += SPECIES.length()) {
            load(dp, row + 4L * i)
                    .sub(inner)
                    .mul(load(p, row + 4L * i))
                    .mul(SCALE)
                    .intoMemorySegment(dp, row + 4L * i, ORDER);
        }
    }

    private static void rows(int threads, int rows, java.util.function.IntConsumer row) {
        var all = IntStream.range(0, rows);
        (threads > 1 ? all.parallel() : all).forEach(row);
    }

    /** A batch of products; a transposed factor is read along its other axis. */
    private static Runnable product(
            Cpu cpu,
            int heads,
            int m,
            int n,
            int k,
            Buffer a,
            boolean acrossA,
            Buffer b,
            boolean acrossB,
            Buffer out) {
        var left =
                new View(
                        0,
                        acrossA
                                ? List.of((long) m * k, 1L, (long) m)
                                : List.of((long) m * k, (long) k, 1L));
        var right =
                new View(
                        0,
                        acrossB
                                ? List.of((long) k * n, 1L, (long) k)
                                : List.of((long) k * n, (long) n, 1L));
        var kernel =
                new Kernel.Contract(
                        Shape.of(heads), m, n, k, left, right, List.of(), Scalar.arg(0));
        return OneKernel.bind(cpu, kernel, List.of(a, b), List.of(out));
    }

    private static void compare(int heads, int length, int threads, int rounds) {
        try (var arena = Arena.ofShared();
                var cpu = new Cpu(threads)) {
            long size = (long) heads * length * WIDTH;
            var t = IntStream.range(0, 8).mapToObj(_ -> OneKernel.random(arena, size)).toList();
            var logsum = OneKernel.random(arena, (long) heads * length);
            var p = OneKernel.random(arena, (long) heads * length * length);
            var dp = OneKernel.random(arena, (long) heads * length * length);
            var q = t.get(0);
            var k = t.get(1);
            var v = t.get(2);
            var out = t.get(3);
            var dout = t.get(4);
            var sizes =
                    new AttentionShape(
                            1, heads, heads, length, length, WIDTH, WIDTH, false, SCALE, List.of());
            var forward =
                    OneKernel.bind(
                            cpu, new Kernel.Attend(sizes), List.of(q, k, v), List.of(out, logsum));
            var backward =
                    OneKernel.bind(
                            cpu,
                            new Kernel.AttendGrad(sizes),
                            List.of(q, k, v, out, dout, logsum),
                            List.of(t.get(5), t.get(6), t.get(7)));
            var scores = product(cpu, heads, length, length, WIDTH, q, false, k, true, p);
            var mix = product(cpu, heads, length, WIDTH, length, p, false, v, false, out);
            Runnable kept =
                    () -> {
                        scores.run();
                        rows(
                                threads,
                                heads * length,
                                i -> softmax(p.segment(), 4L * i * length, length));
                        mix.run();
                    };
            var dv = product(cpu, heads, length, WIDTH, length, p, true, dout, false, t.get(7));
            var dprobabilities =
                    product(cpu, heads, length, length, WIDTH, dout, false, v, true, dp);
            var dq = product(cpu, heads, length, WIDTH, length, dp, false, k, false, t.get(5));
            var dk = product(cpu, heads, length, WIDTH, length, dp, true, q, false, t.get(6));
            Runnable keptBack =
                    () -> {
                        dv.run();
                        dprobabilities.run();
                        rows(
                                threads,
                                heads * length,
                                i -> pull(p.segment(), dp.segment(), 4L * i * length, length));
                        dq.run();
                        dk.run();
                    };
            var best = OneKernel.best(rounds, forward, kept, backward, keptBack);
            System.out.printf(
                    "attention, %d heads, T %d, %d threads: forward %.1f ms against %.1f, ratio"
                            + " %.2f; backward %.1f ms against %.1f, ratio %.2f%n",
                    heads,
                    length,
                    threads,
                    best[0] * 1e3,
                    best[1] * 1e3,
                    best[1] / best[0],
                    best[2] * 1e3,
                    best[3] * 1e3,
                    best[3] / best[2]);
        }
    }

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 10;
        for (int threads : new int[] {1, Runtime.getRuntime().availableProcessors()}) {
            compare(32, 512, threads, rounds);
            compare(8, 2048, threads, rounds);
        }
    }
}
