package dev.ebb.nn.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.nn.KeyValueCache;
import dev.ebb.nn.Positions;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.optim.Precision;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;

/**
 * Tiny checkpoints of each family in the published layout, in f32, bf16 and f16 files: scores, loss
 * and the derivative along a direction of every tensor against a reading in numpy ({@code
 * src/test/scripts/models/make.py}).
 */
class FamiliesReferenceTest {
    @TempDir Path folder;

    /** A checkpoint and what it should compute. */
    private record Case(Path file, Json reference) {
        Array ids(String key) {
            var rows =
                    reference.at(key).orElseThrow().elements().stream()
                            .map(r -> r.elements().stream().mapToInt(Case::whole).toArray())
                            .toArray(int[][]::new);
            return Array.of(rows);
        }

        Tensor pixels() {
            var input = reference.at("inputs").orElseThrow();
            var dims =
                    input.at("shape").orElseThrow().elements().stream()
                            .mapToInt(Case::whole)
                            .toArray();
            var data =
                    input.at("data").orElseThrow().elements().stream()
                            .mapToDouble(n -> n.number().orElseThrow())
                            .toArray();
            return Array.of(Shape.of(dims), data);
        }

        double[] scores() {
            return reference.at("scores").orElseThrow().elements().stream()
                    .mapToDouble(n -> n.number().orElseThrow())
                    .toArray();
        }

        double loss() {
            return reference.at("loss").flatMap(Json::number).orElseThrow();
        }

        Map<String, Json> slopes() {
            return ((Json.Obj) reference.at("slopes").orElseThrow()).members();
        }

        private static int whole(Json n) {
            return n.whole().orElseThrow().intValue();
        }
    }

    private Case read(String name) throws IOException {
        var file = folder.resolve("model.safetensors");
        for (var end : List.of(".safetensors", ".json")) {
            try (var in = getClass().getResourceAsStream("/models/" + name + end)) {
                var to = end.equals(".json") ? folder.resolve("reference.json") : file;
                Files.write(to, Objects.requireNonNull(in, name).readAllBytes());
            }
        }
        var reference = Json.parse(Files.readString(folder.resolve("reference.json")));
        Files.writeString(
                folder.resolve("config.json"), reference.at("config").orElseThrow().toString());
        return new Case(file, reference);
    }

    @ParameterizedTest
    @ValueSource(strings = {"llama3", "qwen2", "qwen3", "mistral", "gemma"})
    void languageModels(String name) throws IOException {
        var given = read(name);
        var model = Pretrained.load(folder);
        var ids = given.ids("inputs");
        var exact = Precision.rounded(model, DType.F64);
        close(exact.logits(ids), given.scores(), 1e-9);
        var loss =
                Ebb.valueAndGrad((AutoregressiveModel m) -> m.loss(ids, given.ids("targets")))
                        .apply(exact);
        assertThat(loss.value().item()).isCloseTo(given.loss(), within(1e-9));
        slopes(given, Weights.named(loss.grad(), Pretrained.naming(model).orElseThrow()));
        close(model.logits(ids), given.scores(), 1e-4);
        close(Precision.rounded(model, DType.BF16).logits(ids), given.scores(), 0.15);
        close(continued(exact, ids), given.scores(), 1e-9);
    }

    @Test
    void bert() throws IOException {
        var given = read("bert");
        var model = PretrainedEncoders.bert(folder);
        var ids = given.ids("inputs");
        var exact = Precision.rounded(model, DType.F64);
        close(exact.scores(exact.states(ids)), given.scores(), 1e-9);
        var loss =
                Ebb.valueAndGrad(
                                (Bert m) ->
                                        m.scores(m.states(ids))
                                                .reshape(-1, 19)
                                                .crossEntropy(given.ids("targets").reshape(-1)))
                        .apply(exact);
        assertThat(loss.value().item()).isCloseTo(given.loss(), within(1e-9));
        slopes(given, Weights.named(loss.grad(), EncoderNames.bert("bert.", false)));
        close(model.scores(model.states(ids)), given.scores(), 1e-4);
        // rows that are padded, and of one text, give their tokens the same states
        var padded = Array.of(new int[][] {{3, 1, 4, 0, 0}});
        var real = Array.of(new int[][] {{1, 1, 1, 0, 0}});
        var none = Array.of(new int[][] {{0, 0, 0, 0, 0}});
        var short3 = exact.states(Array.of(new int[][] {{3, 1, 4}}));
        close(exact.states(padded, none, real).slice(1, 0, 3), short3.toDoubles(), 1e-12);
    }

    @Test
    void vit() throws IOException {
        var given = read("vit");
        var model = PretrainedEncoders.vit(folder);
        pictures(given, model, VisionTransformer::scores, EncoderNames.vit("vit."));
    }

    @ParameterizedTest
    @ValueSource(strings = {"resnet-basic", "resnet-deep"})
    void resNet(String name) throws IOException {
        var given = read(name);
        var model = PretrainedEncoders.resNet(folder);
        pictures(given, model, ResidualNetwork::scores, EncoderNames.resNet());
    }

    private static <M> void pictures(
            Case given, M model, BiFunction<M, Tensor, Tensor> scores, Naming naming) {
        var pixels = given.pixels();
        var targets =
                Array.of(
                        given.reference.at("targets").orElseThrow().elements().stream()
                                .mapToInt(Case::whole)
                                .toArray());
        var exact = Precision.rounded(model, DType.F64);
        close(scores.apply(exact, pixels), given.scores(), 1e-9);
        var loss =
                Ebb.valueAndGrad((M m) -> scores.apply(m, pixels).crossEntropy(targets))
                        .apply(exact);
        assertThat(loss.value().item()).isCloseTo(given.loss(), within(1e-9));
        slopes(given, Weights.named(loss.grad(), naming));
        close(scores.apply(model, pixels.cast(DType.F32)), given.scores(), 1e-3);
    }

    /** The scores of three tokens, then of the others one by one from the cache. */
    private static Tensor continued(AutoregressiveModel model, Array ids) {
        List<KeyValueCache> caches = model.caches(ids.dim(0), model.context());
        var parts = new ArrayList<Tensor>();
        for (int at = 0; at < ids.dim(1); ) {
            int count = at == 0 ? 3 : 1;
            var first = Array.of(Shape.of(2), (long) at, (long) at);
            var next = model.next(ids.slice(1, at, at + count), caches, new Positions(first));
            parts.add(next.logits());
            caches = next.caches();
            at += count;
        }
        return Tensors.concat(parts, 1);
    }

    private static void slopes(Case given, Map<String, Array> gradients) {
        assertThat(gradients.keySet()).isEqualTo(given.slopes().keySet());
        gradients.forEach(
                (name, gradient) -> {
                    double along = 0;
                    var data = gradient.toDoubles();
                    for (int i = 0; i < data.length; i++)
                        along += data[i] * ((i * 7919L % 101 - 50) / 50.0);
                    double expected = given.slopes().get(name).number().orElseThrow();
                    assertThat(along).as(name).isCloseTo(expected, within(1e-9));
                });
    }

    private static void close(Tensor scores, double[] expected, double tolerance) {
        var own = scores.cast(DType.F64).toDoubles();
        assertThat(own).hasSameSizeAs(expected);
        for (int i = 0; i < own.length; i++)
            assertThat(own[i]).as("score %d", i).isCloseTo(expected[i], within(tolerance));
    }
}
