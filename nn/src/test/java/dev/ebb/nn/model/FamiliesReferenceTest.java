package dev.ebb.nn.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.Tensorwise;
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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntToDoubleFunction;

/**
 * Tiny checkpoints of each family in the published layout, in f32, bf16 and f16 files. Scores, loss
 * and the derivative along a direction of every tensor are those of a reading in numpy ({@code
 * src/test/scripts/models/make.py}); loss, and every gradient along four directions, are those of
 * another in PyTorch ({@code families.py} there). In f32 and bf16 scores are as near to exact ones
 * as PyTorch's.
 */
class FamiliesReferenceTest {
    @TempDir Path folder;

    /** A checkpoint and its expected results. */
    private record Case(Path file, Json reference, Json torch) {
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

        double torch(String key) {
            return torch.at(key).flatMap(Json::number).orElseThrow();
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
        Files.write(file, resource(name + ".safetensors"));
        var reference = json(name + ".json");
        Files.writeString(
                folder.resolve("config.json"), reference.at("config").orElseThrow().toString());
        return new Case(file, reference, json(name + ".torch.json"));
    }

    private static byte[] resource(String name) throws IOException {
        try (var in = FamiliesReferenceTest.class.getResourceAsStream("/models/" + name)) {
            return Objects.requireNonNull(in, name).readAllBytes();
        }
    }

    private static Json json(String name) throws IOException {
        return Json.parse(new String(resource(name), StandardCharsets.UTF_8));
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
        losses(given, loss.value().item());
        slopes(given, Weights.named(loss.grad(), Pretrained.naming(model).orElseThrow()));
        near(given, model, DType.F32, m -> m.logits(ids));
        near(given, model, DType.BF16, m -> m.logits(ids));
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
        losses(given, loss.value().item());
        slopes(given, Weights.named(loss.grad(), EncoderNames.bert("bert.", false)));
        near(given, model, DType.F32, m -> m.scores(m.states(ids)));
        near(given, model, DType.BF16, m -> m.scores(m.states(ids)));
        // padded rows of one text give their tokens the same states
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
        losses(given, loss.value().item());
        slopes(given, Weights.named(loss.grad(), naming));
        for (var type : List.of(DType.F32, DType.BF16))
            near(given, model, type, m -> scores.apply(m, fitting(m, pixels.cast(type))));
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

    private static void losses(Case given, double own) {
        assertThat(own).isCloseTo(given.loss(), within(1e-9));
        assertThat(own).isCloseTo(given.torch("loss"), within(1e-9));
    }

    private static void slopes(Case given, Map<String, Array> gradients) {
        assertThat(gradients.keySet()).isEqualTo(given.slopes().keySet());
        gradients.forEach(
                (name, gradient) -> {
                    var data = gradient.toDoubles();
                    double expected = given.slopes().get(name).number().orElseThrow();
                    assertThat(along(data, i -> (i * 7919L % 101 - 50) / 50.0))
                            .as(name)
                            .isCloseTo(expected, within(1e-9));
                    var others = given.torch().at("slopes").flatMap(s -> s.at(name)).orElseThrow();
                    for (int k = 0; k < 4; k++) {
                        int n = k;
                        assertThat(along(data, i -> Math.cos(0.7 * (n + 1) * i + n)))
                                .as("%s %d", name, k)
                                .isCloseTo(
                                        others.elements().get(k).number().orElseThrow(),
                                        within(1e-9));
                    }
                });
    }

    private static double along(double[] gradient, IntToDoubleFunction direction) {
        double sum = 0;
        for (int i = 0; i < gradient.length; i++) sum += gradient[i] * direction.applyAsDouble(i);
        return sum;
    }

    /** Pixels of the type of the model's weights. */
    private static Tensor fitting(Object model, Tensor pixels) {
        return pixels.cast(Tensorwise.list(model).getFirst().dtype());
    }

    /**
     * Scores computed in a type differ from those computed in f64 with the same rounded weights by
     * at most three times as much as PyTorch's do: terms are added, and results rounded, in another
     * order.
     */
    private static <M> void near(Case given, M model, DType type, Function<M, Tensor> scores) {
        var rounded = Precision.rounded(model, type);
        var exact = scores.apply(Precision.rounded(rounded, DType.F64)).toDoubles();
        close(scores.apply(rounded), exact, 3 * given.torch(type.toString()));
    }

    private static void close(Tensor scores, double[] expected, double tolerance) {
        var own = scores.cast(DType.F64).toDoubles();
        assertThat(own).hasSameSizeAs(expected);
        for (int i = 0; i < own.length; i++)
            assertThat(own[i]).as("score %d", i).isCloseTo(expected[i], within(tolerance));
    }
}
