package dev.ebb.nn.model;

import java.util.Map;
import java.util.function.DoubleUnaryOperator;

/**
 * A Llama in plain loops over doubles, written from the published names and layouts, to compare
 * with {@link Pretrained}. They share no code.
 *
 * @param speeds radians per position, one for each pair of a head
 * @param size the factor of rotated queries and keys
 */
record PlainLlama(
        Map<String, double[]> tensors,
        int width,
        int layers,
        int heads,
        int keyHeads,
        int headWidth,
        int inner,
        int vocabulary,
        double[] speeds,
        double size,
        double epsilon,
        DoubleUnaryOperator activation) {

    double[][] logits(int[] ids) {
        var x = new double[ids.length][];
        for (int t = 0; t < ids.length; t++) {
            x[t] = new double[width];
            System.arraycopy(tensor("model.embed_tokens.weight"), ids[t] * width, x[t], 0, width);
        }
        for (int l = 0; l < layers; l++) {
            var name = "model.layers." + l + ".";
            var attended = attention(name + "self_attn.", normed(x, name + "input_layernorm"));
            x = sum(x, attended);
            x = sum(x, feedForward(name + "mlp.", normed(x, name + "post_attention_layernorm")));
        }
        var last = normed(x, "model.norm");
        var head = tensors.containsKey("lm_head.weight") ? "lm_head" : "model.embed_tokens";
        return dense(head, last, vocabulary);
    }

    private double[] tensor(String name) {
        var found = tensors.get(name);
        if (found == null) throw new AssertionError("the test made no " + name);
        return found;
    }

    private double[][] normed(double[][] x, String name) {
        var weight = tensor(name + ".weight");
        var y = new double[x.length][width];
        for (int t = 0; t < x.length; t++) {
            double squares = 0;
            for (double v : x[t]) squares += v * v;
            for (int i = 0; i < width; i++)
                y[t][i] = x[t][i] / Math.sqrt(squares / width + epsilon) * weight[i];
        }
        return y;
    }

    /** Weights are stored as [outputs, inputs]; a bias is added if there is one. */
    private double[][] dense(String name, double[][] x, int outputs) {
        var weight = tensor(name + ".weight");
        var bias = tensors.get(name + ".bias");
        var y = new double[x.length][outputs];
        for (int t = 0; t < x.length; t++) {
            for (int o = 0; o < outputs; o++) {
                double sum = bias == null ? 0 : bias[o];
                for (int i = 0; i < x[t].length; i++) sum += weight[o * x[t].length + i] * x[t][i];
                y[t][o] = sum;
            }
        }
        return y;
    }

    private double[][] attention(String name, double[][] x) {
        var q = dense(name + "q_proj", x, heads * headWidth);
        var k = dense(name + "k_proj", x, keyHeads * headWidth);
        var v = dense(name + "v_proj", x, keyHeads * headWidth);
        turn(q, heads);
        turn(k, keyHeads);
        var y = new double[x.length][heads * headWidth];
        for (int h = 0; h < heads; h++) {
            int shared = h / (heads / keyHeads);
            for (int t = 0; t < x.length; t++) {
                var weights = new double[t + 1];
                double total = 0;
                for (int s = 0; s <= t; s++) {
                    double dot = 0;
                    for (int i = 0; i < headWidth; i++)
                        dot += q[t][h * headWidth + i] * k[s][shared * headWidth + i];
                    weights[s] = Math.exp(dot / Math.sqrt(headWidth));
                    total += weights[s];
                }
                for (int s = 0; s <= t; s++) {
                    for (int i = 0; i < headWidth; i++)
                        y[t][h * headWidth + i] +=
                                weights[s] / total * v[s][shared * headWidth + i];
                }
            }
        }
        return dense(name + "o_proj", y, width);
    }

    private void turn(double[][] x, int count) {
        int half = headWidth / 2;
        for (int t = 0; t < x.length; t++) {
            for (int h = 0; h < count; h++) {
                for (int i = 0; i < half; i++) {
                    int a = h * headWidth + i;
                    int b = a + half;
                    double re = x[t][a];
                    double im = x[t][b];
                    double angle = t * speeds[i];
                    x[t][a] = size * (re * Math.cos(angle) - im * Math.sin(angle));
                    x[t][b] = size * (im * Math.cos(angle) + re * Math.sin(angle));
                }
            }
        }
    }

    private double[][] feedForward(String name, double[][] x) {
        var gate = dense(name + "gate_proj", x, inner);
        var up = dense(name + "up_proj", x, inner);
        for (int t = 0; t < x.length; t++) {
            for (int i = 0; i < inner; i++) up[t][i] *= activation.applyAsDouble(gate[t][i]);
        }
        return dense(name + "down_proj", up, width);
    }

    private double[][] sum(double[][] x, double[][] y) {
        var z = new double[x.length][width];
        for (int t = 0; t < x.length; t++)
            for (int i = 0; i < width; i++) z[t][i] = x[t][i] + y[t][i];
        return z;
    }
}
