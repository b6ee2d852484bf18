package dev.ebb.nn.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Fn2;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.nn.Seed;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.nn.model.Bert;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.Pretrained;
import dev.ebb.nn.model.PretrainedEncoders;
import dev.ebb.nn.model.ResidualNetwork;
import dev.ebb.nn.model.UNet;
import dev.ebb.nn.model.VisionTransformer;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;

/** Models exported to ONNX and read again give the same values as before. */
class OnnxExportTest {
    @TempDir Path folder;

    private <M> OnnxModel exported(M model, Fn2<M, List<Tensor>, List<Tensor>> f, Tensor... fed)
            throws IOException {
        var inputs = new LinkedHashMap<String, Type>();
        for (int i = 0; i < fed.length; i++) inputs.put("in." + i, fed[i].type());
        var file = folder.resolve("model.onnx");
        OnnxExport.write(file, model, inputs, f);
        accepted(file);
        return OnnxModel.load(file);
    }

    /** The checker of the package onnx, if it is installed, accepts the file. */
    private static void accepted(Path file) throws IOException {
        var code =
                "import sys\n"
                        + "try:\n  import onnx\n"
                        + "except ImportError:\n  sys.exit(0)\n"
                        + "m = onnx.load(sys.argv[1])\n"
                        + "onnx.checker.check_model(m, full_check=True)\n";
        var python = Path.of("/usr/bin/python3");
        if (!Files.isExecutable(python)) return;
        var child =
                new ProcessBuilder(python.toString(), "-c", code, file.toString())
                        .redirectErrorStream(true)
                        .start();
        var said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(child.onExit().join().exitValue()).as(said).isZero();
    }

    private <M> void roundTrip(M model, Fn2<M, List<Tensor>, List<Tensor>> f, Tensor... fed)
            throws IOException {
        var wanted = f.apply(model, List.of(fed));
        var made = exported(model, f, fed).apply(List.of(fed));
        assertThat(made).hasSameSizeAs(wanted);
        for (int i = 0; i < made.size(); i++) {
            assertThat(made.get(i).type()).isEqualTo(wanted.get(i).type());
            var a = made.get(i).cast(DType.F64).toDoubles();
            var b = wanted.get(i).cast(DType.F64).toDoubles();
            for (int j = 0; j < a.length; j++)
                assertThat(a[j]).isCloseTo(b[j], within(1e-5 * Math.max(1, Math.abs(b[j]))));
        }
    }

    /** A tiny published checkpoint in the folder. */
    private void checkpoint(String name) throws IOException {
        Files.write(folder.resolve("model.safetensors"), resource(name + ".safetensors"));
        var reference = Json.parse(new String(resource(name + ".json"), StandardCharsets.UTF_8));
        Files.writeString(
                folder.resolve("config.json"), reference.at("config").orElseThrow().toString());
    }

    private static byte[] resource(String name) throws IOException {
        try (var in = OnnxExportTest.class.getResourceAsStream("/models/" + name)) {
            return Objects.requireNonNull(in, name).readAllBytes();
        }
    }

    private static final Array IDS = Array.of(new int[][] {{3, 1, 4, 1, 5}, {5, 3, 5, 8, 9}});

    private static Array noise(int... dims) {
        var shape = Shape.of(dims);
        var data = new float[(int) shape.size()];
        for (int i = 0; i < data.length; i++) data[i] = (float) new Seed(3).normal(i);
        return Array.of(shape, data);
    }

    /** Shared keys, rotary positions, attention windows, norms of heads, scaled embeddings. */
    @ParameterizedTest
    @ValueSource(strings = {"llama3", "mistral", "qwen3", "gemma"})
    void languageModels(String name) throws IOException {
        checkpoint(name);
        roundTrip(
                Pretrained.load(folder),
                (AutoregressiveModel m, List<Tensor> in) -> List.of(m.logits(in.getFirst())),
                IDS);
    }

    @Test
    void gpt2() throws IOException {
        var model = Gpt2.of(Gpt2.Config.of(19, 12, 16, 2, 2), new Seed(1));
        roundTrip(model, (m, in) -> List.of(m.logits(in.getFirst())), IDS);
    }

    @Test
    void bert() throws IOException {
        checkpoint("bert");
        var real = Array.of(new int[][] {{1, 1, 1, 1, 1}, {1, 1, 1, 0, 0}});
        roundTrip(
                PretrainedEncoders.bert(folder),
                (Bert m, List<Tensor> in) ->
                        List.of(m.scores(m.states(in.get(0), in.get(1), in.get(2)))),
                IDS,
                Array.of(new int[][] {{0, 0, 0, 1, 1}, {0, 0, 1, 1, 1}}),
                real);
    }

    @Test
    void pictures() throws IOException {
        checkpoint("vit");
        roundTrip(
                PretrainedEncoders.vit(folder),
                (VisionTransformer m, List<Tensor> in) -> List.of(m.scores(in.getFirst())),
                noise(2, 3, 8, 8));
        for (var name : List.of("resnet-basic", "resnet-deep")) {
            checkpoint(name);
            roundTrip(
                    PretrainedEncoders.resNet(folder),
                    (ResidualNetwork m, List<Tensor> in) -> List.of(m.scores(in.getFirst())),
                    noise(2, 3, 16, 16));
        }
        roundTrip(
                UNet.of(2, 1, 4, 2, new Seed(4)),
                (m, in) -> List.of(m.apply(in.getFirst())),
                noise(1, 2, 8, 8));
    }

    /** Kernel forms that those models do not have. */
    @Test
    void otherForms() throws IOException {
        var x = noise(3, 4, 5);
        roundTrip(
                List.<Tensor>of(noise(5)),
                (w, in) -> {
                    var a = in.getFirst();
                    return List.of(
                            a.flip(1).slice(2, 1, 5, 2),
                            a.cumsum(1),
                            a.argsort(2, true),
                            a.argmax(1).cast(DType.F32),
                            a.amax(2).mul(2).tanh(),
                            a.softmax(1).mul(w.getFirst()),
                            a.gather(2, a.argsort(2, false)),
                            a.pad(List.of(0, 1, 0), List.of(2, 0, 0), 7),
                            Tensors.where(a.gt(0), a.sqrt(), a.neg().log1p()),
                            Tensors.concat(a.split(2, 2, 3).reversed(), 2),
                            a.gt(0).any(List.of(0), false),
                            a.cast(DType.BF16).mul(3),
                            a.permute(2, 0, 1).matmul(a.permute(2, 1, 0)),
                            a.at(1, 2).variance(List.of(0), 1, false));
                },
                x);
    }

    @Test
    void whatOnnxCannotSayIsRefused() {
        assertThatThrownBy(
                        () ->
                                exported(
                                        List.<Tensor>of(noise(4)),
                                        (w, in) -> List.of(w.getFirst().dropout(0.5, Key.of(1))),
                                        noise(4)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot be written as ONNX: random numbers");
        assertThatThrownBy(
                        () ->
                                exported(
                                        List.<Tensor>of(noise(4, 4)),
                                        (w, in) -> List.of(w.getFirst().inverse()),
                                        noise(4)))
                .hasMessageContaining("cannot be written as ONNX");
    }
}
