package dev.ebb.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.ir.Shape;
import dev.ebb.nn.model.UNet;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.ArrayDeque;
import java.util.function.ToDoubleFunction;

/**
 * Layers without reference values from elsewhere, against their formulas written as loops over
 * doubles.
 */
final class PlainMathTest {
    private static final Seed SEED = new Seed(5);

    private static Array noise(String name, int... dims) {
        return Init.normal(1).of(Shape.of(dims), SEED.of(name));
    }

    private static double[] doubles(Tensor x) {
        return x.toDoubles();
    }

    /** The slope of {@code f} at {@code x} towards {@code by}, from both sides. */
    private static double slope(ToDoubleFunction<double[]> f, double[] x, double[] by) {
        double step = 1e-6;
        var up = x.clone();
        var down = x.clone();
        for (int i = 0; i < x.length; i++) {
            up[i] += step * by[i];
            down[i] -= step * by[i];
        }
        return (f.applyAsDouble(up) - f.applyAsDouble(down)) / (2 * step);
    }

    private static double inner(double[] a, double[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) sum += a[i] * b[i];
        return sum;
    }

    private static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }

    /** The hidden states of {@code gru} over [batch, time, inputs] from zeros on, row by row. */
    private static double[] gru(Gru gru, double[] x, int batch, int time) {
        int n = gru.recurrent().dim(0);
        int inputs = gru.in().dim(0);
        var in = doubles(gru.in());
        var back = doubles(gru.recurrent());
        var inBias = doubles(gru.inBias());
        var backBias = doubles(gru.recurrentBias());
        var out = new double[batch * time * n];
        for (int b = 0; b < batch; b++) {
            var h = new double[n];
            for (int t = 0; t < time; t++) {
                var a = inBias.clone();
                var r = backBias.clone();
                for (int j = 0; j < 3 * n; j++) {
                    for (int i = 0; i < inputs; i++) {
                        a[j] += x[(b * time + t) * inputs + i] * in[i * 3 * n + j];
                    }
                    for (int i = 0; i < n; i++) r[j] += h[i] * back[i * 3 * n + j];
                }
                var next = new double[n];
                for (int i = 0; i < n; i++) {
                    double reset = sigmoid(a[i] + r[i]);
                    double update = sigmoid(a[n + i] + r[n + i]);
                    double fresh = Math.tanh(a[2 * n + i] + reset * r[2 * n + i]);
                    next[i] = (1 - update) * fresh + update * h[i];
                    out[(b * time + t) * n + i] = next[i];
                }
                h = next;
            }
        }
        return out;
    }

    @Test
    void gatedRecurrentUnits() {
        var start = Gru.of(3, 5, SEED);
        var gru =
                new Gru(
                        start.in(),
                        start.recurrent(),
                        noise("in bias", 15),
                        noise("recurrent bias", 15));
        var x = noise("x", 2, 7, 3);
        var expected = gru(gru, doubles(x), 2, 7);
        assertThat(doubles(gru.apply(x).out())).containsExactly(expected, within(1e-6));
        var weight = noise("weight", 2, 7, 5);
        var gradient =
                doubles(Ebb.grad((Tensor y) -> gru.apply(y).out().mul(weight).sum()).apply(x));
        var by = doubles(noise("by", 2, 7, 3));
        double slope = slope(y -> inner(gru(gru, y, 2, 7), doubles(weight)), doubles(x), by);
        assertThat(inner(gradient, by)).isCloseTo(slope, within(1e-4));
    }

    /** Channels of one picture. */
    private record Picture(double[] x, int channels, int size) {
        double at(int c, int i, int j) {
            return i < 0 || j < 0 || i >= size || j >= size ? 0 : x[(c * size + i) * size + j];
        }
    }

    private interface Pixel {
        double at(int channel, int i, int j);
    }

    private static Picture picture(int channels, int size, Pixel pixel) {
        var x = new double[channels * size * size];
        for (int p = 0; p < x.length; p++) {
            x[p] = pixel.at(p / (size * size), p / size % size, p % size);
        }
        return new Picture(x, channels, size);
    }

    private static Picture convolved(Conv2d conv, Picture p) {
        var w = doubles(conv.weight());
        var bias = doubles(conv.bias());
        int kernel = conv.weight().dim(2);
        return picture(
                conv.weight().dim(0),
                p.size,
                (c, i, j) -> {
                    double sum = bias[c];
                    for (int d = 0; d < p.channels; d++) {
                        for (int k = 0; k < kernel * kernel; k++) {
                            double pixel =
                                    p.at(
                                            d,
                                            i + k / kernel - kernel / 2,
                                            j + k % kernel - kernel / 2);
                            sum += pixel * w[(c * p.channels + d) * kernel * kernel + k];
                        }
                    }
                    return sum;
                });
    }

    private static Picture normed(GroupNorm norm, Picture p) {
        var weight = doubles(norm.weight());
        var bias = doubles(norm.bias());
        int some = p.x.length / norm.groups();
        var y = new double[p.x.length];
        for (int first = 0; first < y.length; first += some) {
            double mean = 0;
            double variance = 0;
            for (int i = first; i < first + some; i++) mean += p.x[i] / some;
            for (int i = first; i < first + some; i++) {
                variance += (p.x[i] - mean) * (p.x[i] - mean) / some;
            }
            for (int i = first; i < first + some; i++) {
                int c = i / (p.size * p.size);
                double z = (p.x[i] - mean) / Math.sqrt(variance + norm.epsilon());
                y[i] = Math.max(0, z * weight[c] + bias[c]);
            }
        }
        return new Picture(y, p.channels, p.size);
    }

    private static Picture block(ConvBlock block, Picture p) {
        var between = normed(block.norm1(), convolved(block.conv1(), p));
        return normed(block.norm2(), convolved(block.conv2(), between));
    }

    private static double[] unet(UNet net, double[] x, int channels, int size) {
        var bridges = new ArrayDeque<Picture>();
        var y = new Picture(x, channels, size);
        for (var down : net.down()) {
            var out = block(down, y);
            bridges.push(out);
            y =
                    picture(
                            out.channels,
                            out.size / 2,
                            (c, i, j) ->
                                    Math.max(
                                            Math.max(
                                                    out.at(c, 2 * i, 2 * j),
                                                    out.at(c, 2 * i, 2 * j + 1)),
                                            Math.max(
                                                    out.at(c, 2 * i + 1, 2 * j),
                                                    out.at(c, 2 * i + 1, 2 * j + 1))));
        }
        y = block(net.bottom(), y);
        for (var up : net.up()) {
            var below = y;
            var bridge = bridges.pop();
            var wide =
                    picture(
                            below.channels + bridge.channels,
                            bridge.size,
                            (c, i, j) ->
                                    c < below.channels
                                            ? below.at(c, i / 2, j / 2)
                                            : bridge.at(c - below.channels, i, j));
            y = block(up, wide);
        }
        return convolved(net.head(), y).x;
    }

    @Test
    void theUNet() {
        var net = UNet.of(2, 3, 8, 2, SEED);
        var x = noise("picture", 1, 2, 8, 8);
        var expected = unet(net, doubles(x), 2, 8);
        assertThat(doubles(net.apply(x))).containsExactly(expected, within(1e-5));
        var weight = noise("weights", 1, 3, 8, 8);
        var gradient = doubles(Ebb.grad((Tensor y) -> net.apply(y).mul(weight).sum()).apply(x));
        var by = doubles(noise("direction", 1, 2, 8, 8));
        double slope = slope(y -> inner(unet(net, y, 2, 8), doubles(weight)), doubles(x), by);
        assertThat(inner(gradient, by)).isCloseTo(slope, within(1e-3));
    }
}
