package dev.ebb.bench;

import dev.ebb.Tape;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.Arrays;
import java.util.Locale;

/**
 * Measures the cost of ops on a tape: nanoseconds per op of a chain of multiplications, additions
 * and sines, without and with the gradient, for tensors of several lengths; the ratio to the same
 * arithmetic in plain loops over arrays; and the time to open and close a tape of a gibibyte.
 * Rounds are short, and the best of many counts, because other load can only make a round slower.
 */
final class Tapes {
    private static final Budget BUDGET = Budget.mebibytes(1024);

    private Tapes() {}

    public static void main(String[] arguments) {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 4_000;
        var thresholds = new Thresholds();
        open(rounds / 20);
        for (int length : new int[] {1, 4, 16, 100, 1_000, 10_000}) {
            int some = length < 1_000 ? rounds : rounds / (length / 500);
            double op = chain(length, length < 100 ? 100 : 30, some);
            if (length <= 4) thresholds.line("an op on " + length + " elements", op, 500, "ns");
        }
        thresholds.end();
    }

    private static void open(int rounds) {
        double best = Double.MAX_VALUE;
        for (int i = 0; i < rounds; i++) {
            long start = System.nanoTime();
            new Tape(BUDGET).close();
            best = Math.min(best, since(start));
        }
        System.out.printf(
                Locale.ROOT, "open and close a tape of %s: %.0f us%n", BUDGET, best / 1e3);
    }

    private static double chain(int length, int triples, int rounds) {
        double ops = 3.0 * triples;
        double forward = Double.MAX_VALUE;
        double gradient = Double.MAX_VALUE;
        double plain = Double.MAX_VALUE;
        var data = new double[length];
        for (int i = 0; i < length; i++) data[i] = 0.5 + i / (2.0 * length);
        var weights = Array.of(data);
        for (int round = 0; round < rounds; round++) {
            try (var tape = new Tape(BUDGET)) {
                var w = tape.watch((Tensor) weights);
                long start = System.nanoTime();
                var x = w;
                for (int i = 0; i < triples; i++) x = x.mul(w).add(w).sin();
                forward = Math.min(forward, since(start));
                tape.array(tape.gradient(x.sum(), w));
                gradient = Math.min(gradient, since(start));
            }
            long start = System.nanoTime();
            plain(data, triples);
            plain = Math.min(plain, since(start));
        }
        System.out.printf(
                Locale.ROOT,
                "%,d elements: an op %.0f ns, with its gradient %.0f ns; plain Java %.0f ns,"
                        + " %.2f times%n",
                length,
                forward / ops,
                gradient / ops,
                plain / ops,
                forward / plain);
        return forward / ops;
    }

    private static double since(long start) {
        return (double) (System.nanoTime() - start);
    }

    private static double plain(double[] w, int triples) {
        var x = w.clone();
        for (int i = 0; i < triples; i++) {
            var y = new double[x.length];
            for (int j = 0; j < y.length; j++) y[j] = x[j] * w[j];
            var z = new double[x.length];
            for (int j = 0; j < z.length; j++) z[j] = y[j] + w[j];
            x = new double[x.length];
            for (int j = 0; j < x.length; j++) x[j] = Math.sin(z[j]);
        }
        return Arrays.stream(x).sum();
    }
}
