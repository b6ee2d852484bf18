package dev.ebb.bench.adbench;

import dev.ebb.Ebb;
import dev.ebb.cpu.Cpu;
import dev.ebb.tensor.Tensor;

import java.util.List;
import java.util.Locale;

/**
 * Derivatives of ADBench's problems on one thread: milliseconds, and how many times as long as by
 * hand. Both take turns and the best time of each counts. Results must agree to 1e-9 of the largest
 * entry. Arguments: which problems ({@code gmm ba lstm}), all unless given.
 */
public final class AdBench {
    private AdBench() {}

    /** A derivative in two ways, and what both gave last. */
    interface Problem extends AutoCloseable {
        String name();

        void byEbb();

        void byHand();

        List<double[]> found();

        List<double[]> expected();

        @Override
        void close();
    }

    public static void main(String[] arguments) {
        var which = arguments.length == 0 ? List.of("gmm", "ba", "lstm") : List.of(arguments);
        try (var cpu = new Cpu(1)) {
            if (which.contains("gmm")) {
                int[][] sizes = {
                    {1000, 2, 5}, {10_000, 2, 5}, {10_000, 2, 50}, {10_000, 10, 10},
                    {10_000, 20, 50}, {10_000, 64, 50}
                };
                for (var s : sizes) compare(gmm(s[0], s[1], s[2], cpu));
            }
        }
    }

    private static void compare(Problem problem) {
        try (problem) {
            double ebb = Double.MAX_VALUE;
            double hand = Double.MAX_VALUE;
            long begun = System.nanoTime();
            for (int i = 0; i < 5 || System.nanoTime() - begun < 4e9; i++) {
                long start = System.nanoTime();
                problem.byEbb();
                long between = System.nanoTime();
                problem.byHand();
                ebb = Math.min(ebb, between - start);
                hand = Math.min(hand, System.nanoTime() - between);
            }
            System.out.printf(
                    Locale.ROOT,
                    "%s: %.3f ms, by hand %.3f ms, %.2f times; largest difference %.1e%n",
                    problem.name(),
                    ebb / 1e6,
                    hand / 1e6,
                    ebb / hand,
                    difference(problem.found(), problem.expected()));
        }
    }

    private static double difference(List<double[]> found, List<double[]> expected) {
        double most = 0;
        double scale = 0;
        for (int i = 0; i < found.size(); i++) {
            var f = found.get(i);
            var e = expected.get(i);
            if (f.length != e.length) throw new AssertionError(f.length + " and " + e.length);
            for (int j = 0; j < f.length; j++) {
                most = Math.max(most, Math.abs(f[j] - e[j]));
                scale = Math.max(scale, Math.abs(e[j]));
            }
        }
        if (!(most <= 1e-9 * scale)) throw new AssertionError(most + " of " + scale);
        return most / scale;
    }

    private static Problem gmm(int n, int d, int k, Cpu cpu) {
        var data = Gmm.Data.random(n, d, k);
        var hand = new GmmByHand(data, 1, 0);
        var p = data.parameters();
        var x = data.points();
        var f =
                Ebb.compile(
                                Ebb.valueAndGrad(
                                        (Gmm.Parameters q, Tensor y) ->
                                                new Gmm(y, 1, 0).logLikelihood(q)))
                        .on(cpu);
        return new Problem() {
            private Ebb.ValueAndGrad<Gmm.Parameters> last = f.apply(p, x);
            private double value;

            @Override
            public String name() {
                return "GMM " + n + " points, d " + d + ", K " + k;
            }

            @Override
            public void byEbb() {
                last = f.apply(p, x);
            }

            @Override
            public void byHand() {
                value = hand.run();
            }

            @Override
            public List<double[]> found() {
                var g = last.grad();
                return List.of(
                        new double[] {last.value().item()},
                        g.alphas().toDoubles(),
                        g.means().toDoubles(),
                        g.factors().toDoubles());
            }

            @Override
            public List<double[]> expected() {
                return List.of(new double[] {value}, hand.alphas, hand.means, hand.icf);
            }

            @Override
            public void close() {
                f.close();
            }
        };
    }
}
