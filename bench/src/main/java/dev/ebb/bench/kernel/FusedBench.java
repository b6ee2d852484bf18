package dev.ebb.bench.kernel;

import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.GE;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LT;

import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorSpecies;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Fused elementwise kernels of the CPU device against loops written by hand, run alternately; the
 * best time of each counts.
 *
 * <p>Arguments: elements, threads, rounds; {@code bench/README.md} says how to run it.
 */
public final class FusedBench {
    private static final float SLOPE = 0x1.98845p+0f;
    private static final float CUBIC = 0x1.244410p-4f;

    private static final VectorSpecies<Float> S = FloatVector.SPECIES_256;
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();

    private FusedBench() {}

    /** A loop over bytes {@code from} to {@code to} of each array. */
    private interface Loop {
        void run(MemorySegment[] a, long from, long to);
    }

    public static void main(String[] args) {
        int n = args.length > 0 ? Integer.parseInt(args[0]) : 16 << 20;
        int threads =
                args.length > 1
                        ? Integer.parseInt(args[1])
                        : Runtime.getRuntime().availableProcessors();
        int rounds = args.length > 2 ? Integer.parseInt(args[2]) : 40;
        try (var arena = Arena.ofShared();
                var cpu = new Cpu(threads)) {
            var a = new MemorySegment[5];
            for (int i = 0; i < 5; i++) {
                a[i] = arena.allocate(4L * n, 64);
                for (long j = 0; j < n; j++) {
                    a[i].setAtIndex(ValueLayout.JAVA_FLOAT, j, ((j * 7 + i * 13L) % 257) / 64f - 2);
                }
            }
            Scalar x = Scalar.arg(0);
            var sum = x.mul(Scalar.arg(1)).add(Scalar.arg(2));
            var relu = sum.max(lit(0)).add(Scalar.arg(3));
            var gelu = gelu(sum).add(Scalar.arg(3));
            var fusedRelu = bind(cpu, n, relu, a);
            var fusedGelu = bind(cpu, n, gelu, a);
            double[] t = {1e9, 1e9, 1e9, 1e9, 1e9};
            for (int r = 0; r < rounds; r++) {
                t[0] = Math.min(t[0], seconds(() -> split(FusedBench::triad, a, n, threads)));
                t[1] = Math.min(t[1], seconds(fusedRelu));
                t[2] = Math.min(t[2], seconds(() -> split(FusedBench::geluByHand, a, n, threads)));
                t[3] = Math.min(t[3], seconds(fusedGelu));
                t[4] = Math.min(t[4], seconds(() -> split(FusedBench::reluByHand, a, n, threads)));
            }
            System.out.printf(
                    "relu(x*w+b)+r, %d floats, %d threads: %.1f GB/s; triad %.1f GB/s; ratio"
                            + " %.2f%n",
                    n, threads, 20e-9 * n / t[1], 12e-9 * n / t[0], 20 / t[1] / (12 / t[0]));
            System.out.printf(
                    "relu(x*w+b)+r, %d floats, %d threads: %.2f ms; by hand %.2f ms; ratio %.2f%n",
                    n, threads, t[1] * 1e3, t[4] * 1e3, t[4] / t[1]);
            System.out.printf(
                    "gelu(x*w+b)+r, %d floats, %d threads: %.2f ms; by hand %.2f ms; ratio %.2f%n",
                    n, threads, t[3] * 1e3, t[2] * 1e3, t[2] / t[3]);
        }
    }

    private static Scalar lit(double x) {
        return new Scalar.Lit(DType.F32, x);
    }

    /** The tanh approximation, by the logistic function: x / (1 + e^-2u). */
    private static Scalar gelu(Scalar x) {
        var minus = x.mul(x.mul(x).mul(lit(-CUBIC)).add(lit(-SLOPE)));
        return x.mul(lit(1).div(minus.exp().add(lit(1))));
    }

    private static Runnable bind(Cpu cpu, int n, Scalar body, MemorySegment[] a) {
        var shape = Shape.of(n);
        var kernel = Kernel.Map.of(shape, Collections.nCopies(4, View.contiguous(shape)), body);
        var in = IntStream.range(0, 4).mapToObj(i -> new Buffer(DType.F32, n, a[i])).toList();
        return OneKernel.bind(cpu, kernel, in, List.of(new Buffer(DType.F32, n, a[4])));
    }

    private static double seconds(Runnable body) {
        long start = System.nanoTime();
        body.run();
        return (System.nanoTime() - start) * 1e-9;
    }

    /** Runs the hand-written loop on as many threads as the device has. */
    private static void split(Loop loop, MemorySegment[] a, int n, int threads) {
        var others = new Thread[threads - 1];
        long bytes = 4L * n / threads / 32 * 32;
        for (int i = 0; i < others.length; i++) {
            long from = (i + 1) * bytes;
            long to = i == threads - 2 ? 4L * n : from + bytes;
            others[i] = new Thread(() -> loop.run(a, from, to));
            others[i].start();
        }
        loop.run(a, 0, threads == 1 ? 4L * n : bytes);
        for (Thread other : others) {
            try {
                other.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static FloatVector load(MemorySegment s, long at) {
        return FloatVector.fromMemorySegment(S, s, at, ORDER);
    }

    private static void triad(MemorySegment[] a, long from, long to) {
        var x = a[0];
        var y = a[1];
        var out = a[4];
        for (long i = from; i < to; i += 32) {
            load(x, i).add(load(y, i).mul(3f)).intoMemorySegment(out, i, ORDER);
        }
    }

    private static void reluByHand(MemorySegment[] a, long from, long to) {
        var x = a[0];
        var w = a[1];
        var b = a[2];
        var r = a[3];
        var out = a[4];
        for (long i = from; i < to; i += 32) {
            var v = load(x, i).mul(load(w, i)).add(load(b, i)).max(0f);
            v.add(load(r, i)).intoMemorySegment(out, i, ORDER);
        }
    }

    private static void geluByHand(MemorySegment[] a, long from, long to) {
        var x = a[0];
        var w = a[1];
        var b = a[2];
        var r = a[3];
        var out = a[4];
        for (long i = from; i < to; i += 32) {
            var v = load(x, i).mul(load(w, i)).add(load(b, i));
            var minus = v.mul(v.mul(v).mul(-CUBIC).add(-SLOPE));
            var y = v.mul(all(1f).div(exp(minus).add(1f)));
            y.add(load(r, i)).intoMemorySegment(out, i, ORDER);
        }
    }

    private static FloatVector all(float x) {
        return FloatVector.broadcast(S, x);
    }

    /** The device's exponential, with the same bits for every argument. */
    private static FloatVector exp(FloatVector x) {
        var t = x.fma(all(0x1.715476p+0f), all(0x1.8p23f));
        var n = t.sub(0x1.8p23f);
        var r = n.fma(all(-0x1.7f7d1cp-20f), n.fma(all(-0x1.62e4p-1f), x));
        var p = r.fma(all(0x1.6db558p-10f), all(0x1.123c4ep-7f)).fma(r, all(0x1.55545cp-5f));
        p = p.fma(r, all(0x1.55548ep-3f)).fma(r, all(0.5f)).fma(r.mul(r), r).add(1f);
        var whole = t.reinterpretAsInts().sub(0x4b400000);
        var half = whole.lanewise(ASHR, 1);
        var y = p.mul(power(half)).mul(power(whole.sub(half)));
        y = y.blend(Float.POSITIVE_INFINITY, x.compare(GE, 88.72284f));
        return y.blend(0f, x.compare(LT, -103.97208f));
    }

    private static FloatVector power(IntVector n) {
        return n.add(127).lanewise(LSHL, 23).reinterpretAsFloats();
    }
}
