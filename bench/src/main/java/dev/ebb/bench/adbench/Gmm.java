package dev.ebb.bench.adbench;

import dev.ebb.ir.Fn1;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import java.util.SequencedMap;

/**
 * The log-likelihood of a mixture of Gaussians under a Wishart prior, as a function of the
 * logarithms of its weights, its means, and factors of its inverse covariances: the logarithms of
 * the diagonal, then the elements strictly below it, column by column.
 *
 * @param x the points, one a row
 */
record Gmm(Tensor x, double gamma, int m) {

    record Parameters(Tensor alphas, Tensor means, Tensor factors) {}

    /** The same as arrays, for the hand-written code. */
    record Data(int n, int d, int k, double[] alphas, double[] means, double[] icf, double[] x) {

        static Data random(int n, int d, int k) {
            var random = new Random(31L * d + k);
            return new Data(
                    n,
                    d,
                    k,
                    normal(random, k),
                    normal(random, k * d),
                    normal(random, k * d * (d + 1) / 2),
                    normal(random, n * d));
        }

        private static double[] normal(Random random, int count) {
            return random.doubles(count, -1, 1).toArray();
        }

        Parameters parameters() {
            return new Parameters(
                    Array.of(Shape.of(k), alphas),
                    Array.of(Shape.of(k, d), means),
                    Array.of(Shape.of(k, d * (d + 1) / 2), icf));
        }

        Array points() {
            return Array.of(Shape.of(n, d), x);
        }

        SequencedMap<String, Array> given() {
            var given = new LinkedHashMap<String, Array>();
            given.put("alphas", Array.of(alphas));
            given.put("means", Array.of(Shape.of(k, d), means));
            given.put("factors", Array.of(Shape.of(k, d * (d + 1) / 2), icf));
            given.put("points", points());
            return given;
        }
    }

    Tensor logLikelihood(Parameters p) {
        int n = x.dim(0);
        int d = x.dim(1);
        int k = p.alphas.dim(0);
        var logs = p.factors.slice(1, 0, d);
        var scales = logs.exp();
        var q = factor(p.factors, scales, d);
        // q x - q mean, for every point and component of the mixture
        var turned = x.matmul(q.reshape(k * d, d).transpose()).reshape(n, k, d);
        var centre = q.matmul(p.means.unsqueeze(2)).squeeze(2);
        var squares = turned.sub(centre).square().sum(2);
        var terms = p.alphas.add(logs.sum(1)).sub(squares.mul(0.5));
        var likelihood = terms.logsumexp(1).sum().sub(p.alphas.logsumexp(0).mul(n));
        return likelihood.add(prior(p.factors, scales, logs, d)).add(constant(n, d, k));
    }

    /** The lower triangular factors, {@code [k, d, d]}. */
    private static Tensor factor(Tensor packed, Tensor scales, int d) {
        int k = packed.dim(0);
        int below = d * (d - 1) / 2;
        var index = new long[d * d];
        int at = 0;
        for (int i = 0; i < d * d; i++) index[i] = below;
        for (int column = 0; column < d; column++)
            for (int row = column + 1; row < d; row++) index[row * d + column] = at++;
        var padded = packed.slice(1, d, d + below).pad(List.of(0, 0), List.of(0, 1));
        var lower = padded.indexSelect(1, Array.of(index)).reshape(k, d, d);
        return lower.add(scales.diag());
    }

    private Tensor prior(Tensor packed, Tensor scales, Tensor logs, int d) {
        var below = packed.slice(1, d, packed.dim(1));
        var squares = scales.square().sum().add(below.square().sum());
        return squares.mul(0.5 * gamma * gamma).sub(logs.sum().mul(m));
    }

    private double constant(int n, int d, int k) {
        return constant(n, d, k, gamma, m);
    }

    static double constant(int n, int d, int k, double gamma, int m) {
        double freedom = d + m + 1;
        double c = freedom * d * (Math.log(gamma) - 0.5 * Math.log(2)) - logGamma(0.5 * freedom, d);
        return -n * d * 0.5 * Math.log(2 * Math.PI) - k * c;
    }

    /** The logarithm of the multivariate gamma function. */
    private static double logGamma(double a, int p) {
        double out = 0.25 * p * (p - 1) * Math.log(Math.PI);
        for (int j = 1; j <= p; j++) out += Fn1.LGAMMA.apply(a + 0.5 * (1 - j));
        return out;
    }
}
