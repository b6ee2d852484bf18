package dev.ebb.nn.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.Tensorwise;
import dev.ebb.ir.DType;
import dev.ebb.nn.Embedding;
import dev.ebb.nn.Init;
import dev.ebb.nn.Linear;
import dev.ebb.nn.Lstm;
import dev.ebb.nn.Seed;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The LSTM and the residual network against the losses and gradients of PyTorch. */
final class NetworksReferenceTest {
    private static final Seed SEED = new Seed(1);

    /** An embedding, two layers, a linear output. */
    public record Recurrent(Embedding e, List<Lstm> r, Linear o) {
        Tensor loss(Tensor x, Tensor y) {
            var h = e.apply(x);
            for (var layer : r) h = layer.apply(h).out();
            return o.apply(h).reshape(-1, o.bias().dim(0)).crossEntropy(y.reshape(-1));
        }
    }

    @Test
    void lstm() throws IOException {
        var model =
                new Recurrent(
                        Embedding.of(50, 16, Init.zeros(), SEED),
                        List.of(Lstm.of(16, 24, SEED), Lstm.of(24, 24, SEED)),
                        Linear.of(24, 50, SEED));
        try (var file = Safetensors.open(Resources.path("lstm-tiny.safetensors"))) {
            var x = integers(file, "batch/x");
            var y = integers(file, "batch/y");
            var loaded = Weights.load(file, model, path -> lstmPlace("weight/", path));
            var other = Weights.load(file, model, path -> second("weight/", path));
            var whole = Tensorwise.map(loaded, other, NetworksReferenceTest::bothBiases);
            var result = Ebb.valueAndGrad((Recurrent m) -> m.loss(x, y)).apply(whole);
            assertThat(result.value().item())
                    .isCloseTo(file.read("loss").data().get(0), within(1e-5));
            var expected = Weights.load(file, model, path -> lstmPlace("grad/", path));
            close(model, result.grad(), expected, 2e-4);
        }
    }

    /** PyTorch's LSTM has two biases that are added; this one has their sum. */
    private static Tensor bothBiases(Tensor a, Tensor b) {
        return a.rank() == 1 && a.dim(0) == 96 ? a.add(b) : a;
    }

    private static Naming.Place second(String prefix, String path) {
        var place = lstmPlace(prefix, path);
        return new Naming.Place(place.name().replace("bias_ih", "bias_hh"), place.turned());
    }

    private static Naming.Place lstmPlace(String prefix, String path) {
        var parts = path.split("\\.", -1);
        if (!parts[0].equals("r")) return new Naming.Place(prefix + path, path.equals("o.weight"));
        var name =
                switch (parts[2]) {
                    case "in" -> "weight_ih_l";
                    case "recurrent" -> "weight_hh_l";
                    default -> "bias_ih_l";
                };
        return new Naming.Place(prefix + "r." + name + parts[1], !parts[2].equals("bias"));
    }

    @Test
    void resNet() throws IOException {
        var start = ResNet.of(3, List.of(16, 32), 10, SEED);
        try (var file = Safetensors.open(Resources.path("resnet-tiny.safetensors"))) {
            var x = file.read("batch/x");
            var pictures = Array.of(x.type().with(DType.F32), x.toDoubles());
            var labels = integers(file, "batch/y");
            var model = load(file, start, "weight/");
            var value =
                    Ebb.valueAndGrad(
                                    (ResNet m) ->
                                            m.train(pictures, m.statistics())
                                                    .logits()
                                                    .crossEntropy(labels))
                            .apply(model);
            assertThat(value.value().item())
                    .isCloseTo(file.read("loss").data().get(0), within(1e-5));
            close(start, value.grad(), load(file, start, "grad/"), 5e-4);
        }
    }

    /** The file's convolutions have no biases: these stay as they are. */
    private static ResNet load(Safetensors file, ResNet like, String prefix) throws IOException {
        var names =
                Map.of(
                        "norm.", "bn0.",
                        "blocks.0.conv1.", "c1.",
                        "blocks.0.norm1.", "bn1.",
                        "blocks.0.conv2.", "c2.",
                        "blocks.0.norm2.", "bn2.",
                        "blocks.1.conv1.", "d1.",
                        "blocks.1.norm1.", "bn3.",
                        "blocks.1.conv2.", "d2.",
                        "blocks.1.norm2.", "bn4.",
                        "blocks.1.shortcut.", "sc.");
        var all = new LinkedHashMap<>(names);
        all.put("stem.", "stem.");
        all.put("head.", "fc.");
        var paths = Tensorwise.names(like);
        var tensors = new ArrayList<Tensor>();
        for (int i = 0; i < paths.size(); i++) {
            var path = paths.get(i);
            var own = Tensorwise.list(like).get(i);
            var part = path.substring(0, path.lastIndexOf('.') + 1);
            var name = prefix + all.get(part) + path.substring(part.length());
            tensors.add(!file.has(name) ? own : turned(file, name, own));
        }
        return Tensorwise.rebuild(like, tensors);
    }

    private static Tensor turned(Safetensors file, String name, Tensor like) throws IOException {
        var stored = file.read(name);
        var f32 = Array.of(stored.type().with(DType.F32), stored.toDoubles());
        return name.endsWith("fc.weight") ? f32.transpose() : f32.reshape(like.shape());
    }

    private static Array integers(Safetensors file, String name) throws IOException {
        var stored = file.read(name);
        return Array.of(stored.type().with(DType.I32), stored.toDoubles());
    }

    private static void close(Object like, Object actual, Object expected, double share) {
        var names = Tensorwise.names(like);
        for (int i = 0; i < names.size(); i++) {
            if (names.get(i).matches(".*(conv.|stem|shortcut)\\.bias")) continue;
            var a = Tensorwise.list(actual).get(i).toDoubles();
            var e = Tensorwise.list(expected).get(i).toDoubles();
            double largest = 1e-8;
            for (double v : e) largest = Math.max(largest, Math.abs(v));
            assertThat(a).as(names.get(i)).containsExactly(e, within(share * largest));
        }
    }
}
