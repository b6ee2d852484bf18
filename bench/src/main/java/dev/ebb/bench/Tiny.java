package dev.ebb.bench;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.Tape;
import dev.ebb.ir.Fn1;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Times small functions that are called many times: nanoseconds per call, and the ratio to
 * hand-written code with the same scalar functions. All run alternately in slices of two
 * milliseconds, and the best slice of each counts, because other load can only make a slice slower.
 */
final class Tiny {
    private static final long SLICE = 2_000_000;

    /** The number of calls before slices count, for the JIT to compile the function. */
    private static final long WARMING = 30_000;

    /**
     * The least nanoseconds before slices count, because the JIT compilers need time on a busy
     * machine.
     */
    private static final long WARMING_NANOS = 3_000_000_000L;

    private Tiny() {}

    /** A function to call: hand-written, or with a name for the way it is called. */
    private record Contender(String name, Runnable call) {}

    private record Point(Tensor x, Tensor y) {}

    private record Option(
            Tensor spot, Tensor strike, Tensor rate, Tensor volatility, Tensor years) {}

    public static void main(String[] arguments) {
        int slices = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 200;
        var thresholds = new Thresholds();
        var nanos = rosenbrock(slices);
        thresholds.line("Rosenbrock 2 by doubles", nanos[1], 60, "ns");
        thresholds.line("Rosenbrock 2 by records", nanos[2], 300, "ns");
        nanos = blackScholes(slices);
        thresholds.line("Black-Scholes and five Greeks", nanos[1] / nanos[0], 3, "times by hand");
        nanos = options(slices);
        thresholds.line("1,000 options", nanos[1] / nanos[0], 1.3, "times by hand");
        nanos = loop(slices);
        thresholds.line("a loop with its gradient", nanos[1] / nanos[0], 5, "times by hand");
        nanos = forward(slices);
        thresholds.line("forward mode through a loop", nanos[1] / nanos[0], 1.5, "times its value");
        nanos = ops(slices);
        thresholds.line("an op on arrays", nanos[1] / 1e3, 5, "us");
        thresholds.end();
    }

    /** The nanoseconds per call of each. */
    private static double[] compare(
            String name, int slices, double each, List<Contender> contenders) {
        var best = new double[contenders.size()];
        var calls = new int[contenders.size()];
        for (int c = 0; c < best.length; c++) {
            best[c] = Double.MAX_VALUE;
            calls[c] = 1;
        }
        long warm = System.nanoTime() + WARMING_NANOS;
        var called = new long[best.length];
        int counted = 0;
        while (counted < slices) {
            long least = Arrays.stream(called).min().orElse(0);
            boolean counts = System.nanoTime() > warm && least > WARMING;
            if (counts) counted++;
            for (int c = 0; c < best.length; c++) {
                var call = contenders.get(c).call;
                long start = System.nanoTime();
                for (int i = 0; i < calls[c]; i++) call.run();
                long took = System.nanoTime() - start;
                called[c] += calls[c];
                if (counts) best[c] = Math.min(best[c], (double) took / calls[c]);
                else if (took < SLICE) calls[c] *= 2;
            }
        }
        for (int c = 0; c < best.length; c++) {
            System.out.printf(
                    Locale.ROOT,
                    "%s, %s: %.1f ns, %.2f times by hand%n",
                    name,
                    contenders.get(c).name,
                    best[c] / each,
                    best[c] / best[0]);
        }
        return Arrays.stream(best).map(b -> b / each).toArray();
    }

    private static double[] rosenbrock(int slices) {
        var at = new double[] {1.2, -0.7};
        var out = new double[3];
        try (var f =
                Ebb.compile(
                        Ebb.valueAndGrad(
                                (Point p) ->
                                        p.x.neg()
                                                .add(1)
                                                .square()
                                                .add(p.y.sub(p.x.square()).square().mul(100))))) {
            var point = new Point(Array.scalar(at[0]), Array.scalar(at[1]));
            var small = f.primitive(point);
            return compare(
                    "Rosenbrock 2, value and gradient",
                    slices,
                    1,
                    List.of(
                            new Contender("by hand", () -> rosenbrock(at, out)),
                            new Contender("doubles", () -> small.apply(at, out)),
                            new Contender("records", () -> f.apply(point))));
        }
    }

    private static void rosenbrock(double[] in, double[] out) {
        double a = 1 - in[0];
        double b = in[1] - in[0] * in[0];
        out[0] = a * a + 100 * b * b;
        out[1] = -2 * a - 400 * b * in[0];
        out[2] = 200 * b;
    }

    private static Tensor price(Option o) {
        var deviation = o.volatility.mul(o.years.sqrt());
        var drift = o.rate.add(o.volatility.square().mul(0.5)).mul(o.years);
        var upper = o.spot.div(o.strike).log().add(drift).div(deviation);
        var discount = o.rate.mul(o.years).neg().exp();
        return o.spot.mul(normal(upper))
                .sub(o.strike.mul(discount).mul(normal(upper.sub(deviation))));
    }

    private static Tensor normal(Tensor x) {
        return x.mul(Math.sqrt(0.5)).erf().add(1).mul(0.5);
    }

    private static double[] blackScholes(int slices) {
        var at = new double[] {100, 105, 0.03, 0.2, 0.75};
        var out = new double[6];
        var option =
                new Option(
                        Array.scalar(at[0]),
                        Array.scalar(at[1]),
                        Array.scalar(at[2]),
                        Array.scalar(at[3]),
                        Array.scalar(at[4]));
        try (var f = Ebb.compile(Ebb.valueAndGrad(Tiny::price))) {
            var small = f.primitive(option);
            return compare(
                    "Black-Scholes, price and five Greeks",
                    slices,
                    1,
                    List.of(
                            new Contender("by hand", () -> greeks(at, out)),
                            new Contender("doubles", () -> small.apply(at, out)),
                            new Contender("records", () -> f.apply(option))));
        }
    }

    private static void greeks(double[] in, double[] out) {
        greeks(in[0], in[1], in[2], in[3], in[4], out, 0, 1);
    }

    private static void greeks(
            double s, double k, double r, double v, double t, double[] out, int at, int apart) {
        double root = Math.sqrt(t);
        double upper = (StrictMath.log(s / k) + (r + v * v * 0.5) * t) / (v * root);
        double lower = upper - v * root;
        double discounted = k * StrictMath.exp(-r * t);
        double up = normal(upper);
        double low = normal(lower);
        double density = StrictMath.exp(-0.5 * upper * upper) * 0.3989422804014327;
        out[at] = s * up - discounted * low;
        out[at + apart] = up;
        out[at + 2 * apart] = -discounted / k * low;
        out[at + 3 * apart] = discounted * t * low;
        out[at + 4 * apart] = s * density * root;
        out[at + 5 * apart] = s * density * v / (2 * root) + r * discounted * low;
    }

    private static double normal(double x) {
        return (Fn1.ERF.apply(x * 0.7071067811865476) + 1) * 0.5;
    }

    /** A thousand options at once, computed by the kernels for long vectors. */
    private static double[] options(int slices) {
        int n = 1000;
        var at = new double[5][n];
        var out = new double[6 * n];
        for (int i = 0; i < n; i++) {
            at[0][i] = 80 + i * 0.04;
            at[1][i] = 100;
            at[2][i] = 0.03;
            at[3][i] = 0.1 + i * 0.0003;
            at[4][i] = 0.2 + i * 0.002;
        }
        var option =
                new Option(
                        Array.of(at[0]),
                        Array.of(at[1]),
                        Array.of(at[2]),
                        Array.of(at[3]),
                        Array.of(at[4]));
        try (var f = Ebb.compile(Ebb.valueAndGrad((Option o) -> price(o).sum()))) {
            return compare(
                    "1,000 options, each",
                    slices,
                    n,
                    List.of(
                            new Contender(
                                    "by hand",
                                    () -> {
                                        for (int i = 0; i < n; i++)
                                            greeks(
                                                    at[0][i], at[1][i], at[2][i], at[3][i],
                                                    at[4][i], out, i, n);
                                    }),
                            new Contender("records", () -> f.apply(option))));
        }
    }

    /** The gradient of a loop of 1,000 iterations of a scalar map. */
    private static double[] loop(int slices) {
        int rounds = 1000;
        var at = new double[] {0.3};
        var out = new double[2];
        var states = new double[rounds];
        try (var f =
                Ebb.compile(
                        Ebb.valueAndGrad(
                                (Tensor x) -> Loop.repeat(rounds, x, v -> v.sin().mul(1.1))))) {
            var small = f.primitive(Array.scalar(0.3));
            return compare(
                    "a loop of 1,000 rounds with its gradient, each",
                    slices,
                    rounds,
                    List.of(
                            new Contender("by hand", () -> loop(at[0], states, out)),
                            new Contender("doubles", () -> small.apply(at, out))));
        }
    }

    /**
     * A loop of 1,000 iterations, with its derivative in forward mode in one direction. The map
     * consists of sums and products, because the derivative of a sine would need a cosine as one
     * more function per iteration.
     */
    private static double[] forward(int slices) {
        int rounds = 1000;
        Fn<Tensor, Tensor> f = x -> Loop.repeat(rounds, x, v -> v.mul(v).mul(0.3).add(0.4));
        var at = new double[] {0.3};
        var out = new double[1];
        var both = new double[] {0.3, 1};
        var outs = new double[2];
        try (var value = Ebb.compile(f);
                var pair =
                        Ebb.compile(
                                (Point p) -> {
                                    var found = Ebb.jvp(f).apply(p.x, p.y);
                                    return new Point(found.value(), found.tangent());
                                })) {
            var plain = value.primitive(Array.scalar(0.3));
            var small = pair.primitive(new Point(Array.scalar(0.3), Array.scalar(1.0)));
            return compare(
                    "a loop of 1,000 rounds, each",
                    slices,
                    rounds,
                    List.of(
                            new Contender("its value", () -> plain.apply(at, out)),
                            new Contender("with a tangent", () -> small.apply(both, outs))));
        }
    }

    private static void loop(double start, double[] states, double[] out) {
        double x = start;
        for (int i = 0; i < states.length; i++) {
            states[i] = x;
            x = StrictMath.sin(x) * 1.1;
        }
        double slope = 1;
        for (int i = states.length - 1; i >= 0; i--) slope *= 1.1 * StrictMath.cos(states[i]);
        out[0] = x;
        out[1] = slope;
    }

    private static double[] ops(int slices) {
        var x = Array.of(1.0, 2.0);
        var y = Array.of(3.0, 4.0);
        try (var tape = new Tape(Budget.mebibytes(16))) {
            var a = tape.watch(x);
            var b = tape.watch(y);
            return compare(
                    "a sum of two elements",
                    slices,
                    1,
                    List.of(
                            new Contender("by hand", () -> Array.of(x.get(0) + y.get(0), x.get(1))),
                            new Contender("arrays", () -> x.add(y)),
                            new Contender("a tape", () -> a.add(b))));
        }
    }
}
