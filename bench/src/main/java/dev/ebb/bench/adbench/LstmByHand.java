package dev.ebb.bench.adbench;

import java.util.Arrays;

/** Value and gradient of {@link Lstm}: all steps are kept, then differentiated in reverse. */
final class LstmByHand {
    private final Lstm.Data data;
    private final int width;
    final double[] gates;
    final double[] ends;

    /**
     * For each step and layer: input, previous output, previous cell, four gates, tanh of the cell.
     */
    private final double[] kept;

    private final double[] last;
    private final double[] shares;
    private final double[] hidden;
    private final double[] cell;

    LstmByHand(Lstm.Data data) {
        this.data = data;
        width = data.layers() * data.b();
        gates = new double[data.gates().length];
        ends = new double[data.ends().length];
        kept = new double[(data.length() - 1) * width * 8];
        last = new double[(data.length() - 1) * data.b()];
        shares = new double[(data.length() - 1) * data.b()];
        hidden = new double[width];
        cell = new double[width];
    }

    double run() {
        Arrays.fill(gates, 0);
        Arrays.fill(ends, 0);
        int b = data.b();
        for (int i = 0; i < width; i++) {
            hidden[i] = data.state()[i / b * 2 * b + i % b];
            cell[i] = data.state()[(i / b * 2 + 1) * b + i % b];
        }
        double total = 0;
        for (int t = 0; t < data.length() - 1; t++) total += forward(t);
        Arrays.fill(hidden, 0);
        Arrays.fill(cell, 0);
        double scale = -1.0 / ((double) b * (data.length() - 1));
        for (int t = data.length() - 2; t >= 0; t--) backward(t, scale);
        return total * scale;
    }

    private double forward(int t) {
        int b = data.b();
        double sum = 2;
        for (int j = 0; j < b; j++) {
            double input = data.sequence()[t * b + j] * data.ends()[j];
            for (int l = 0; l < data.layers(); l++) {
                int w = l * 8 * b + j;
                int at = (t * width + l * b + j) * 8;
                double before = hidden[l * b + j];
                double c = cell[l * b + j];
                var g = data.gates();
                double forget = sigmoid(input * g[w] + g[w + 4 * b]);
                double enter = sigmoid(before * g[w + b] + g[w + 5 * b]);
                double leave = sigmoid(input * g[w + 2 * b] + g[w + 6 * b]);
                double change = Math.tanh(before * g[w + 3 * b] + g[w + 7 * b]);
                double now = c * forget + enter * change;
                double bent = Math.tanh(now);
                kept[at] = input;
                kept[at + 1] = before;
                kept[at + 2] = c;
                kept[at + 3] = forget;
                kept[at + 4] = enter;
                kept[at + 5] = leave;
                kept[at + 6] = change;
                kept[at + 7] = bent;
                cell[l * b + j] = now;
                input = leave * bent;
                hidden[l * b + j] = input;
            }
            last[t * b + j] = input;
            double foretold = input * data.ends()[b + j] + data.ends()[2 * b + j];
            shares[t * b + j] = foretold;
            sum += Math.exp(foretold);
        }
        double log = Math.log(sum);
        double term = 0;
        for (int j = 0; j < b; j++) {
            double foretold = shares[t * b + j];
            term += data.sequence()[(t + 1) * b + j] * (foretold - log);
            shares[t * b + j] = Math.exp(foretold) / sum;
        }
        return term;
    }

    /** On entry, {@code hidden} and {@code cell} are the adjoints of the state after step t. */
    private void backward(int t, double scale) {
        int b = data.b();
        double all = 0;
        for (int j = 0; j < b; j++) all += data.sequence()[(t + 1) * b + j];
        for (int j = 0; j < b; j++) {
            double target = data.sequence()[(t + 1) * b + j];
            double out = scale * (target - all * shares[t * b + j]);
            ends[2 * b + j] += out;
            ends[b + j] += out * last[t * b + j];
            double above = out * data.ends()[b + j];
            for (int l = data.layers() - 1; l >= 0; l--) {
                int w = l * 8 * b + j;
                int at = (t * width + l * b + j) * 8;
                var g = data.gates();
                double input = kept[at];
                double before = kept[at + 1];
                double c = kept[at + 2];
                double forget = kept[at + 3];
                double enter = kept[at + 4];
                double leave = kept[at + 5];
                double change = kept[at + 6];
                double bent = kept[at + 7];
                double dh = above + hidden[l * b + j];
                double dc = cell[l * b + j] + dh * leave * (1 - bent * bent);
                double dLeave = dh * bent * leave * (1 - leave);
                double dForget = dc * c * forget * (1 - forget);
                double dEnter = dc * change * enter * (1 - enter);
                double dChange = dc * enter * (1 - change * change);
                gates[w] += dForget * input;
                gates[w + 4 * b] += dForget;
                gates[w + b] += dEnter * before;
                gates[w + 5 * b] += dEnter;
                gates[w + 2 * b] += dLeave * input;
                gates[w + 6 * b] += dLeave;
                gates[w + 3 * b] += dChange * before;
                gates[w + 7 * b] += dChange;
                above = dForget * g[w] + dLeave * g[w + 2 * b];
                hidden[l * b + j] = dEnter * g[w + b] + dChange * g[w + 3 * b];
                cell[l * b + j] = dc * forget;
            }
            ends[j] += above * data.sequence()[t * b + j];
        }
    }

    private static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }
}
