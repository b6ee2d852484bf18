package dev.ebb.reference;

import dev.ebb.ir.DType;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.network.Attention;
import dev.ebb.tensor.network.Conv;
import dev.ebb.tensor.network.Pool;

import java.util.ArrayList;
import java.util.Map;

/** The networks of the reference files, written with the public API. */
final class Models {
    private static final double EPSILON = 1e-5;

    private Models() {}

    /** Parameters by name; asking for one that is not there is an error that names it. */
    record Weights(Map<String, Tensor> all) {
        Tensor at(String name) {
            var weight = all.get(name);
            if (weight == null) throw new IllegalArgumentException("no weight " + name);
            return weight;
        }

        Tensor norm(Tensor x, String name) {
            return x.layerNorm(at(name + ".weight"), at(name + ".bias"), EPSILON);
        }

        /** A layer whose weight is [in, out]. */
        Tensor dense(Tensor x, String name) {
            return x.matmul(at(name + ".weight")).add(at(name + ".bias"));
        }

        /** A layer whose weight is [out, in]. */
        Tensor linear(Tensor x, String name) {
            return x.matmul(at(name + ".weight").transpose()).add(at(name + ".bias"));
        }

        Tensor conv(Tensor x, String name, int stride) {
            var w = at(name + ".weight");
            return x.conv2d(w, Conv.plain().stride(stride).padding(w.dim(-1) / 2));
        }

        Tensor batchNorm(Tensor x, String name) {
            return x.batchNorm(at(name + ".weight"), at(name + ".bias"), EPSILON).y();
        }
    }

    static Tensor gpt2(Weights w, Tensorfile file, DType floats) {
        var ids = file.tensor("batch/input_ids");
        var labels = file.tensor("batch/labels");
        int layers = (int) file.description().at("config").at("n_layer").number();
        int heads = (int) file.description().at("config").at("n_head").number();
        int time = ids.dim(1);
        var tokens = w.at("transformer.wte.weight");
        var places = w.at("transformer.wpe.weight").slice(0, 0, time);
        Tensor x = tokens.embedding(ids).add(places);
        for (int i = 0; i < layers; i++) {
            var h = "transformer.h." + i;
            x = x.add(attention(w, w.norm(x, h + ".ln_1"), h + ".attn", heads));
            var inner = w.dense(w.norm(x, h + ".ln_2"), h + ".mlp.c_fc").geluTanh();
            x = x.add(w.dense(inner, h + ".mlp.c_proj"));
        }
        var logits = w.norm(x, "transformer.ln_f").matmul(tokens.transpose());
        return logits.slice(1, 0, time - 1).crossEntropy(labels.slice(1, 1, time));
    }

    private static Tensor attention(Weights w, Tensor x, String name, int heads) {
        var parts = w.dense(x, name + ".c_attn").chunk(3, -1);
        var split =
                parts.stream()
                        .map(t -> t.reshape(t.dim(0), t.dim(1), heads, -1).permute(0, 2, 1, 3))
                        .toList();
        var y = split.get(0).attention(split.get(1), split.get(2), Attention.past());
        return w.dense(y.permute(0, 2, 1, 3).reshape(x.shape()), name + ".c_proj");
    }

    static Tensor resnet(Weights w, Tensorfile file, DType floats) {
        Tensor x = file.tensor("batch/x", floats);
        x = w.batchNorm(w.conv(x, "stem", 1), "bn0").relu().maxPool(Pool.of(2));
        var inner = w.batchNorm(w.conv(x, "c1", 1), "bn1").relu();
        x = x.add(w.batchNorm(w.conv(inner, "c2", 1), "bn2")).relu();
        inner = w.batchNorm(w.conv(x, "d1", 2), "bn3").relu();
        x = w.conv(x, "sc", 2).add(w.batchNorm(w.conv(inner, "d2", 1), "bn4")).relu();
        var pooled = x.adaptiveAvgPool(1).reshape(x.dim(0), x.dim(1));
        return w.linear(pooled, "fc").crossEntropy(file.tensor("batch/y"));
    }

    static Tensor lstm(Weights w, Tensorfile file, DType floats) {
        var x = w.at("e.weight").embedding(file.tensor("batch/x"));
        for (int layer = 0; layer < 2; layer++) x = lstmLayer(w, x, "_l" + layer);
        return w.linear(x, "o").crossEntropy(file.tensor("batch/y"));
    }

    private static Tensor lstmLayer(Weights w, Tensor x, String layer) {
        var inward = w.at("r.weight_ih" + layer).transpose();
        var onward = w.at("r.weight_hh" + layer).transpose();
        var bias = w.at("r.bias_ih" + layer).add(w.at("r.bias_hh" + layer));
        var given = x.matmul(inward).add(bias);
        var shape = dev.ebb.ir.Shape.of(x.dim(0), onward.dim(0));
        Tensor hidden = Tensors.zeros(x.dtype(), shape);
        Tensor cell = hidden;
        var out = new ArrayList<Tensor>();
        for (int t = 0; t < x.dim(1); t++) {
            var gates = given.at(1, t).add(hidden.matmul(onward)).chunk(4, -1);
            var kept = gates.get(1).sigmoid().mul(cell);
            cell = kept.add(gates.get(0).sigmoid().mul(gates.get(2).tanh()));
            hidden = gates.get(3).sigmoid().mul(cell.tanh());
            out.add(hidden);
        }
        return Tensors.stack(out, 1);
    }
}
