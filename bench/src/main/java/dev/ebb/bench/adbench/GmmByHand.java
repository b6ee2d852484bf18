package dev.ebb.bench.adbench;

import java.util.Arrays;

/** Value and gradient of {@link Gmm}, point by point. */
final class GmmByHand {
    private final Gmm.Data data;
    private final double gamma;
    private final int m;
    private final double[] q;
    private final double[] sums;
    private final double[] centred;
    private final double[] turned;
    private final double[] terms;
    final double[] alphas;
    final double[] means;
    final double[] icf;

    GmmByHand(Gmm.Data data, double gamma, int m) {
        this.data = data;
        this.gamma = gamma;
        this.m = m;
        q = new double[data.k() * data.d()];
        sums = new double[data.k()];
        centred = new double[data.k() * data.d()];
        turned = new double[data.k() * data.d()];
        terms = new double[data.k()];
        alphas = new double[data.k()];
        means = new double[data.k() * data.d()];
        icf = new double[data.icf().length];
    }

    double run() {
        int n = data.n();
        int d = data.d();
        int k = data.k();
        Arrays.fill(alphas, 0);
        Arrays.fill(means, 0);
        Arrays.fill(icf, 0);
        int packed = d * (d + 1) / 2;
        double value = Gmm.constant(n, d, k, gamma, m);
        for (int c = 0; c < k; c++) {
            sums[c] = 0;
            for (int i = 0; i < d; i++) {
                double log = data.icf()[c * packed + i];
                sums[c] += log;
                q[c * d + i] = Math.exp(log);
                value += 0.5 * gamma * gamma * q[c * d + i] * q[c * d + i] - m * log;
                icf[c * packed + i] = gamma * gamma * q[c * d + i] * q[c * d + i] - m;
            }
            for (int i = d; i < packed; i++) {
                double l = data.icf()[c * packed + i];
                value += 0.5 * gamma * gamma * l * l;
                icf[c * packed + i] = gamma * gamma * l;
            }
        }
        for (int i = 0; i < n; i++) value += point(i, packed);
        double most = Arrays.stream(data.alphas()).max().orElseThrow();
        double total = 0;
        for (double a : data.alphas()) total += Math.exp(a - most);
        for (int c = 0; c < k; c++) alphas[c] -= n * Math.exp(data.alphas()[c] - most) / total;
        return value - n * (most + Math.log(total));
    }

    private double point(int i, int packed) {
        int d = data.d();
        int k = data.k();
        double most = Double.NEGATIVE_INFINITY;
        for (int c = 0; c < k; c++) {
            int at = c * d;
            for (int j = 0; j < d; j++) {
                centred[at + j] = data.x()[i * d + j] - data.means()[at + j];
                turned[at + j] = q[at + j] * centred[at + j];
            }
            int l = c * packed + d;
            for (int column = 0; column < d; column++) {
                double x = centred[at + column];
                for (int row = column + 1; row < d; row++)
                    turned[at + row] += data.icf()[l + row - column - 1] * x;
                l += d - column - 1;
            }
            double squares = 0;
            for (int j = 0; j < d; j++) squares += turned[at + j] * turned[at + j];
            terms[c] = data.alphas()[c] + sums[c] - 0.5 * squares;
            most = Math.max(most, terms[c]);
        }
        double total = 0;
        for (int c = 0; c < k; c++) {
            terms[c] = Math.exp(terms[c] - most);
            total += terms[c];
        }
        for (int c = 0; c < k; c++) back(c, terms[c] / total, packed);
        return most + Math.log(total);
    }

    private void back(int c, double weight, int packed) {
        int d = data.d();
        int at = c * d;
        alphas[c] += weight;
        for (int j = 0; j < d; j++) {
            double dt = -weight * turned[at + j];
            icf[c * packed + j] += weight + dt * q[at + j] * centred[at + j];
            means[at + j] -= dt * q[at + j];
        }
        int l = c * packed + d;
        for (int column = 0; column < d; column++) {
            double x = -weight * centred[at + column];
            double sum = 0;
            for (int row = column + 1; row < d; row++) {
                int e = l + row - column - 1;
                icf[e] += x * turned[at + row];
                sum += data.icf()[e] * turned[at + row];
            }
            means[at + column] += weight * sum;
            l += d - column - 1;
        }
    }
}
