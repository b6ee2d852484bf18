package dev.ebb.bench.kernel;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.bench.Thresholds;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Scalar.Fn2;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.IntStream;

/**
 * Times functions in f64 on one thread, in nanoseconds per element, against plain loops over the
 * JDK's functions; compares their results for many random arguments; and times gradients of slices
 * against those of chunks.
 *
 * <p>Arguments: rounds, and the number of random arguments.
 */
public final class DoubleFunctions {
    private static final int SIZE = 1 << 15;
    private static final Scalar X = Scalar.arg(0);
    private static final Scalar Y = Scalar.arg(1);

    /** A function of Ebb, the JDK's function, and the range of its arguments. */
    private record Case(
            String name,
            DType type,
            Scalar body,
            DoubleBinaryOperator jdk,
            double low,
            double high) {
        static Case of(Fn1 fn, DoubleBinaryOperator jdk, double low, double high) {
            return new Case(fn.name(), DType.F64, X.apply(fn), jdk, low, high);
        }
    }

    private static final List<Case> CASES =
            List.of(
                    new Case(
                            "x*2+1",
                            DType.F64,
                            X.mul(new Scalar.Lit(DType.F64, 2)).add(new Scalar.Lit(DType.F64, 1)),
                            (x, _) -> x * 2 + 1,
                            -1,
                            1),
                    Case.of(Fn1.EXP, (x, _) -> Math.exp(x), -20, 20),
                    Case.of(Fn1.EXPM1, (x, _) -> Math.expm1(x), -3, 3),
                    Case.of(Fn1.LOG, (x, _) -> Math.log(x), 0.001, 100),
                    Case.of(Fn1.LOG1P, (x, _) -> Math.log1p(x), -0.9, 10),
                    Case.of(Fn1.SIN, (x, _) -> Math.sin(x), -50, 50),
                    Case.of(Fn1.COS, (x, _) -> Math.cos(x), -50, 50),
                    Case.of(Fn1.TAN, (x, _) -> Math.tan(x), -50, 50),
                    Case.of(Fn1.ATAN, (x, _) -> Math.atan(x), -10, 10),
                    Case.of(Fn1.TANH, (x, _) -> Math.tanh(x), -4, 4),
                    // the JDK has no error function: core's scalar function is used
                    Case.of(Fn1.ERF, (x, _) -> Fn1.ERF.apply(x), -4, 4),
                    Case.of(Fn1.ERFC, (x, _) -> Fn1.ERFC.apply(x), -4, 10),
                    new Case("POW", DType.F64, X.apply(Fn2.POW, Y), Math::pow, 0.1, 10),
                    new Case("POW", DType.F32, X.apply(Fn2.POW, Y), Math::pow, 0.1, 10));

    /** The thresholds, in nanoseconds per element. */
    private static final Map<String, Double> BARS =
            Map.of("EXP", 3.0, "LOG", 3.0, "SIN", 3.0, "TANH", 3.0, "ERF", 12.0, "POW", 12.0);

    private DoubleFunctions() {}

    public static void main(String[] arguments) {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 400;
        int count = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 10_000_000;
        try (var cpu = new Cpu(1);
                var arena = Arena.ofShared()) {
            var thresholds = new Thresholds();
            for (Case c : CASES) {
                double nanos = time(cpu, arena, c, rounds);
                var bar = BARS.get(c.name);
                if (bar != null && c.type == DType.F64)
                    thresholds.line(c.name, nanos, bar, "ns an element");
            }
            for (Case c : CASES) if (c.type == DType.F64) compare(cpu, arena, c, count);
            var each = new double[3];
            for (int k = 0; k < 3; k++) {
                int n = 8 << 2 * k;
                var both = slices(cpu, n, rounds);
                thresholds.line(
                        "gradient of " + n + " slices", both[0] / both[1], 2, "times chunks");
                each[k] = both[0];
            }
            // linear in the size of the tensor: many slices must not take longer than few
            thresholds.line("gradient of 128 slices", each[2] / each[0], 1.5, "times that of 8");
            thresholds.end();
        }
    }

    private static Buffer buffer(Arena arena, DType type) {
        return new Buffer(type, SIZE, arena.allocate(type.bytes(SIZE), 64));
    }

    private static Runnable kernel(Cpu cpu, Case c, Buffer x, Buffer y, Buffer out) {
        var shape = Shape.of(SIZE);
        var view = View.contiguous(shape);
        boolean pair = c.name.equals("POW");
        var map = Kernel.Map.of(shape, Collections.nCopies(pair ? 2 : 1, view), c.body);
        return OneKernel.bind(cpu, map, pair ? List.of(x, y) : List.of(x), List.of(out));
    }

    private static double time(Cpu cpu, Arena arena, Case c, int rounds) {
        var x = buffer(arena, c.type);
        var y = buffer(arena, c.type);
        var random = new SplittableRandom(1);
        for (int i = 0; i < SIZE; i++) {
            x.set(i, random.nextDouble(c.low, c.high));
            y.set(i, random.nextDouble(-10, 10));
        }
        var a = IntStream.range(0, SIZE).mapToDouble(x::get).toArray();
        var b = IntStream.range(0, SIZE).mapToDouble(y::get).toArray();
        var to = new double[SIZE];
        var best =
                OneKernel.best(
                        rounds,
                        kernel(cpu, c, x, y, buffer(arena, c.type)),
                        () -> {
                            for (int i = 0; i < SIZE; i++) to[i] = c.jdk.applyAsDouble(a[i], b[i]);
                        });
        print(
                "%-6s %s: %6.2f ns an element, the JDK's %6.2f, ratio %.2f",
                c.name, c.type, best[0] / SIZE * 1e9, best[1] / SIZE * 1e9, best[0] / best[1]);
        return best[0] / SIZE * 1e9;
    }

    /**
     * Compares with the JDK's functions, whose own error is at most one unit in the last place, or
     * two and a half.
     */
    private static void compare(Cpu cpu, Arena arena, Case c, int count) {
        var x = buffer(arena, DType.F64);
        var y = buffer(arena, DType.F64);
        var out = buffer(arena, DType.F64);
        var run = kernel(cpu, c, x, y, out);
        var random = new SplittableRandom(2);
        double worst = 0;
        double at = 0;
        for (long done = 0; done < count; done += SIZE) {
            for (int i = 0; i < SIZE; i++) {
                // arguments of any bits, arguments near one, and arguments of ordinary size
                double any = Double.longBitsToDouble(random.nextLong());
                double ordinary = random.nextDouble(-30, 30);
                x.set(i, i % 4 == 0 ? any : i % 4 == 1 ? 1 + ordinary * 0x1p-20 : ordinary);
                y.set(i, random.nextDouble(-20, 20));
            }
            run.run();
            for (int i = 0; i < SIZE; i++) {
                double units = units(out.get(i), c.jdk.applyAsDouble(x.get(i), y.get(i)));
                if (units > worst) {
                    worst = units;
                    at = x.get(i);
                }
            }
        }
        print(
                "%-6s %s: %.0f units in the last place from the JDK's, at %s",
                c.name, c.type, worst, at);
    }

    private static double units(double got, double expected) {
        if (Double.compare(got, expected) == 0) return 0;
        if (!Double.isFinite(got) || !Double.isFinite(expected)) return Double.POSITIVE_INFINITY;
        return Math.abs(got - expected) / Math.ulp(expected);
    }

    /** The seconds of the gradients by slices, and by chunks. */
    private static double[] slices(Cpu cpu, int n, int rounds) {
        int size = 1 << 17;
        int width = size / n;
        var x = Array.of(new SplittableRandom(3).doubles(size).toArray());
        Fn<Tensor, Tensor> sliced =
                v -> {
                    var parts = new ArrayList<Tensor>();
                    for (int i = 0; i < n; i++)
                        parts.add(v.slice(0, i * width, (i + 1) * width).square().sum());
                    return Tensors.stack(parts, 0).sum();
                };
        Fn<Tensor, Tensor> chunked =
                v -> {
                    var parts = v.chunk(n, 0).stream().map(p -> p.square().sum()).toList();
                    return Tensors.stack(parts, 0).sum();
                };
        var a = Ebb.compile((Tensor v) -> Ebb.grad(sliced).apply(v)).on(cpu);
        var b = Ebb.compile((Tensor v) -> Ebb.grad(chunked).apply(v)).on(cpu);
        var best = OneKernel.best(rounds, () -> a.apply(x), () -> b.apply(x));
        print(
                "gradient of %d slices: %.2f ns an element, of chunks %.2f, ratio %.2f",
                n, best[0] / size * 1e9, best[1] / size * 1e9, best[0] / best[1]);
        return best;
    }

    private static void print(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }
}
