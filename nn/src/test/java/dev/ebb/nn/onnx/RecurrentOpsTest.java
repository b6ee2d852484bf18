package dev.ebb.nn.onnx;

import static dev.ebb.nn.onnx.Wire.floats;
import static dev.ebb.nn.onnx.Wire.graph;
import static dev.ebb.nn.onnx.Wire.longs;
import static dev.ebb.nn.onnx.Wire.node;
import static dev.ebb.nn.onnx.Wire.whole;
import static dev.ebb.nn.onnx.Wire.word;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Seed;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/** Recurrent layers in both directions against plain loops over doubles. */
class RecurrentOpsTest {
    private static final int TIME = 4;
    private static final int BATCH = 3;
    private static final int IN = 2;
    private static final int HIDDEN = 3;
    private static final long[] LENGTHS = {4, 1, 3};

    @TempDir Path folder;

    private static float[] noise(int seed, int size) {
        var data = new float[size];
        for (int i = 0; i < size; i++) data[i] = (float) (0.7 * new Seed(seed).normal(i));
        return data;
    }

    private static final float[] X = noise(1, TIME * BATCH * IN);

    /** The tensors of a layer with {@code gates} gates, for both directions. */
    private record Layer(
            int gates, float[] w, float[] r, float[] b, float[] h, float[] c, float[] p) {
        static Layer of(int gates) {
            int rows = 2 * gates * HIDDEN;
            return new Layer(
                    gates,
                    noise(2, rows * IN),
                    noise(3, rows * HIDDEN),
                    noise(4, 2 * rows),
                    noise(5, 2 * BATCH * HIDDEN),
                    noise(6, 2 * BATCH * HIDDEN),
                    noise(7, 2 * 3 * HIDDEN));
        }

        /** The contribution of input and bias to row {@code g} of gate {@code gate}. */
        double driven(int d, int gate, int g, int t, int row) {
            int at = d * gates * HIDDEN + gate * HIDDEN + g;
            double sum = b[d * 2 * gates * HIDDEN + gate * HIDDEN + g];
            for (int i = 0; i < IN; i++)
                sum += (double) w[at * IN + i] * X[(t * BATCH + row) * IN + i];
            return sum;
        }

        double back(int d, int gate, int g, double[] before) {
            int at = d * gates * HIDDEN + gate * HIDDEN + g;
            double sum = b[(2 * d + 1) * gates * HIDDEN + gate * HIDDEN + g];
            for (int i = 0; i < HIDDEN; i++) sum += r[at * HIDDEN + i] * before[i];
            return sum;
        }

        double[] start(float[] of, int d, int row) {
            var state = new double[HIDDEN];
            for (int i = 0; i < HIDDEN; i++) state[i] = of[(d * BATCH + row) * HIDDEN + i];
            return state;
        }
    }

    /** One step of one row. */
    private interface Step {
        void next(int d, int t, int row, double[] h, double[] c);
    }

    /** Outputs of all steps, then last hidden states: [time, 2, batch, hidden], [2, batch, ...]. */
    private static double[] plain(Layer layer, Step step) {
        var all = new double[TIME * 2 * BATCH * HIDDEN + 2 * BATCH * HIDDEN];
        for (int d = 0; d < 2; d++) {
            for (int row = 0; row < BATCH; row++) {
                var h = layer.start(layer.h, d, row);
                var c = layer.start(layer.c, d, row);
                for (int i = 0; i < LENGTHS[row]; i++) {
                    int t = d == 0 ? i : (int) LENGTHS[row] - 1 - i;
                    step.next(d, t, row, h, c);
                    int to = ((t * 2 + d) * BATCH + row) * HIDDEN;
                    System.arraycopy(h, 0, all, to, HIDDEN);
                }
                int to = ((TIME * 2 + d) * BATCH + row) * HIDDEN;
                System.arraycopy(h, 0, all, to, HIDDEN);
            }
        }
        return all;
    }

    private OnnxModel model(Layer l, String op, boolean cells, Wire... attributes)
            throws IOException {
        int rows = l.gates * HIDDEN;
        var states = List.of(2, BATCH, HIDDEN);
        var bytes =
                Wire.model(
                        14,
                        graph(
                                "x",
                                "y h",
                                List.of(
                                        node(
                                                op,
                                                "x w r b n h0" + (cells ? " c0 p" : ""),
                                                "y h",
                                                attributes)),
                                floats("w", List.of(2, rows, IN), l.w),
                                floats("r", List.of(2, rows, HIDDEN), l.r),
                                floats("b", List.of(2, 2 * rows), l.b),
                                longs("n", List.of(BATCH), LENGTHS),
                                floats("h0", states, l.h),
                                floats("c0", states, l.c),
                                floats("p", List.of(2, 3 * HIDDEN), l.p)));
        return OnnxModel.load(Files.write(folder.resolve("model.onnx"), bytes));
    }

    private static final Wire BOTH = word("direction", "bidirectional");

    private static void holds(OnnxModel model, double[] expected) {
        Fn<Tensor, List<Tensor>> run = x -> model.apply(List.of(x));
        var made = Ebb.compile(run).apply(Array.of(Shape.of(TIME, BATCH, IN), X));
        var found = new ArrayList<Double>();
        for (var tensor : made) for (double v : tensor.toDoubles()) found.add(v);
        assertThat(found).hasSize(expected.length);
        for (int i = 0; i < expected.length; i++)
            assertThat(found.get(i)).as("element %d", i).isCloseTo(expected[i], within(1e-5));
    }

    private static double clipped(double x) {
        return Math.clamp(x, -0.8, 0.8);
    }

    private static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }

    @Test
    void lstmWithPeepholesAndAClip() throws IOException {
        var l = Layer.of(4);
        Step step =
                (d, t, row, h, c) -> {
                    var before = h.clone();
                    for (int g = 0; g < HIDDEN; g++) {
                        var sums = new double[4];
                        for (int gate = 0; gate < 4; gate++)
                            sums[gate] = l.driven(d, gate, g, t, row) + l.back(d, gate, g, before);
                        int p = d * 3 * HIDDEN + g;
                        double in = clipped(sums[0] + l.p[p] * c[g]);
                        double forget = clipped(sums[2] + l.p[p + 2 * HIDDEN] * c[g]);
                        double fresh = clipped(sums[3]);
                        c[g] = sigmoid(forget) * c[g] + sigmoid(in) * Math.tanh(fresh);
                        double out = clipped(sums[1] + l.p[p + HIDDEN] * c[g]);
                        h[g] = sigmoid(out) * Math.tanh(clipped(c[g]));
                    }
                };
        var clip = new Wire().text(1, "clip").real(2, 0.8f).number(20, 1);
        holds(model(l, "LSTM", true, BOTH, clip), plain(l, step));
    }

    @Test
    void gruResetsBeforeOrAfterItsProduct() throws IOException {
        var l = Layer.of(3);
        for (boolean after : new boolean[] {false, true}) {
            Step step =
                    (d, t, row, h, _) -> {
                        var before = h.clone();
                        var reset = new double[HIDDEN];
                        for (int g = 0; g < HIDDEN; g++)
                            reset[g] = sigmoid(l.driven(d, 1, g, t, row) + l.back(d, 1, g, before));
                        var scaled = before.clone();
                        for (int g = 0; g < HIDDEN; g++) scaled[g] *= reset[g];
                        for (int g = 0; g < HIDDEN; g++) {
                            double update =
                                    sigmoid(l.driven(d, 0, g, t, row) + l.back(d, 0, g, before));
                            double back =
                                    after
                                            ? reset[g] * l.back(d, 2, g, before)
                                            : l.back(d, 2, g, scaled);
                            double fresh = Math.tanh(l.driven(d, 2, g, t, row) + back);
                            h[g] = (1 - update) * fresh + update * before[g];
                        }
                    };
            var how = whole("linear_before_reset", after ? 1 : 0);
            holds(model(l, "GRU", false, BOTH, how), plain(l, step));
        }
    }

    @Test
    void simpleLayersTakeOtherActivationsAndAreDifferentiated() throws IOException {
        var l = Layer.of(1);
        var names = new Wire().text(1, "activations").text(9, "Affine").text(9, "relu");
        var alpha = new Wire().text(1, "activation_alpha").real(7, 0.5f).number(20, 6);
        Step step =
                (d, t, row, h, _) -> {
                    var before = h.clone();
                    for (int g = 0; g < HIDDEN; g++) {
                        double sum = l.driven(d, 0, g, t, row) + l.back(d, 0, g, before);
                        h[g] = d == 0 ? 0.5 * sum : Math.max(0, sum);
                    }
                };
        var model = model(l, "RNN", false, BOTH, names, alpha);
        var expected = plain(l, step);
        holds(model, expected);
        var x = Array.of(Shape.of(TIME, BATCH, IN), X);
        var weights = model.weights();
        Fn<Tensor, Tensor> loss =
                w -> {
                    var changed = new LinkedHashMap<>(weights);
                    changed.put("w", w);
                    return model.apply(changed, List.of(x)).getFirst().sum();
                };
        var slope = Ebb.grad(loss).apply(weights.get("w")).toFloats();
        double before = loss.apply(weights.get("w")).item();
        l.w[1] += 0.01f;
        double after = loss.apply(Array.of(Shape.of(2, HIDDEN, IN), l.w)).item();
        assertThat((double) slope[1]).isCloseTo((after - before) / 0.01, within(1e-3));
        assertThatThrownBy(() -> model(l, "LSTM", true, BOTH).apply(List.of(x)))
                .hasMessageContainingAll("node 0 is LSTM", "4 gates of 3 in 2 directions");
        assertThatThrownBy(() -> model(l, "RNN", false, word("direction", "up")).apply(List.of(x)))
                .hasMessageContaining("the direction up");
    }
}
