package dev.ebb.nn.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.Next;
import dev.ebb.Tensorwise;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Seed;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.zip.GZIPInputStream;

/**
 * Models op by op, and a ResNet, a GPT and a BERT as exporters write them: values are those of ONNX
 * Runtime ({@code src/test/scripts/onnx}).
 */
class OnnxReferenceTest {
    private static final Cpu CPU = new Cpu(2);
    private static Map<String, Json> cases = Map.of();

    @TempDir Path folder;

    @BeforeAll
    static void read() throws IOException {
        try (var in =
                new GZIPInputStream(
                        Objects.requireNonNull(
                                OnnxReferenceTest.class.getResourceAsStream(
                                        "/onnx/cases.json.gz")))) {
            var text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            cases = ((Json.Obj) Json.parse(text)).members();
        }
    }

    private static byte[] bytes(String name) {
        return Base64.getDecoder()
                .decode(cases.get(name).at("onnx").flatMap(Json::text).orElseThrow());
    }

    private OnnxModel model(String name) throws IOException {
        return load(bytes(name));
    }

    private OnnxModel load(byte[] bytes) throws IOException {
        return OnnxModel.load(Files.write(folder.resolve("model.onnx"), bytes));
    }

    private static List<Array> inputs(String name, OnnxModel model) {
        var all = new ArrayList<Array>();
        for (var input : model.inputs()) {
            var given = cases.get(name).at("inputs").flatMap(i -> i.at(input)).orElseThrow();
            var numbers = given.at("data").orElseThrow().elements();
            var shape = shape(given);
            all.add(
                    switch (given.at("type").flatMap(Json::text).orElseThrow()) {
                        case "int64" ->
                                Array.of(
                                        shape,
                                        numbers.stream()
                                                .mapToLong(n -> n.whole().orElseThrow())
                                                .toArray());
                        case "bool" -> truths(shape, numbers);
                        default -> {
                            var data = new float[numbers.size()];
                            for (int i = 0; i < data.length; i++)
                                data[i] = numbers.get(i).number().orElseThrow().floatValue();
                            yield Array.of(shape, data);
                        }
                    });
        }
        return all;
    }

    private static Array truths(Shape shape, List<Json> numbers) {
        var data = new boolean[numbers.size()];
        for (int i = 0; i < data.length; i++) data[i] = numbers.get(i).truth().orElseThrow();
        return Array.of(shape, data);
    }

    private static Shape shape(Json given) {
        return new Shape(
                given.at("dims").orElseThrow().elements().stream()
                        .map(d -> d.whole().orElseThrow().intValue())
                        .toList());
    }

    @Test
    void everyOpGivesTheRuntimesValues() throws IOException {
        assertThat(cases).hasSizeGreaterThan(120);
        for (var name : cases.keySet()) {
            var model = model(name);
            var made = model.apply(inputs(name, model));
            for (int i = 0; i < made.size(); i++) {
                var output = model.outputs().get(i);
                var wanted = cases.get(name).at("outputs").flatMap(o -> o.at(output)).orElseThrow();
                assertThat(made.get(i).shape()).as(name).isEqualTo(shape(wanted));
                var own = made.get(i).cast(DType.F64).toDoubles();
                var data = wanted.at("data").orElseThrow().elements();
                for (int j = 0; j < own.length; j++) {
                    double expected = data.get(j).number().orElseThrow();
                    assertThat(own[j])
                            .as("%s %s[%d]", name, output, j)
                            .isCloseTo(expected, within(1e-5 * Math.max(1, Math.abs(expected))));
                }
            }
        }
    }

    private record State(SequencedMap<String, Tensor> weights, List<Tensor> fed) {}

    /**
     * Plain gradient descent on a model's weights within a budget: the measured peak is the
     * promised one, and the loss falls.
     */
    @ParameterizedTest
    @ValueSource(strings = {"network resnet", "network gpt", "network bert"})
    void networksAreTrained(String name) throws IOException {
        var model = model(name);
        var fed = List.<Tensor>copyOf(inputs(name, model));
        var start = new State(model.weights(), fed);
        try (var training =
                Ebb.stepper(
                                (State s, Tensor rate) -> {
                                    var loss =
                                            Ebb.valueAndGrad(
                                                            (SequencedMap<String, Tensor> w) ->
                                                                    loss(model, w, s.fed()))
                                                    .apply(s.weights());
                                    var moved =
                                            Tensorwise.map(
                                                    s.weights(),
                                                    loss.grad(),
                                                    (w, g) -> w.sub(g.mul(rate)));
                                    return new Next<>(new State(moved, s.fed()), loss.value());
                                })
                        .on(CPU)
                        .start(start, Array.scalar(1e-3f))) {
            double first = training.step(Array.scalar(1e-3f)).item();
            double second = training.step(Array.scalar(1e-3f)).item();
            assertThat(second).isLessThan(first);
            assertThat(training.report().measuredBytes())
                    .isEqualTo(training.report().promisedBytes());
        }
    }

    private static Tensor loss(
            OnnxModel model, SequencedMap<String, Tensor> weights, List<Tensor> fed) {
        var scores = model.apply(weights, fed).getFirst();
        var rows = scores.reshape(-1, scores.dim(-1));
        var targets = new int[rows.dim(0)];
        Arrays.fill(targets, 1);
        return rows.crossEntropy(Array.of(targets));
    }

    @Test
    void whatIsNotKnownIsRefusedWithItsPlace() throws IOException {
        var bytes = new String(bytes("Trilu"), StandardCharsets.ISO_8859_1);
        var other = bytes.replace("Trilu", "Twist").getBytes(StandardCharsets.ISO_8859_1);
        assertThatThrownBy(() -> load(other))
                .isInstanceOf(FileFormatException.class)
                .hasMessageContaining("node 0, Twist_y, is Twist: this op is not implemented");
        var unmade = bytes.replaceFirst("\n\002x0\022", "\n\002x9\022");
        assertThatThrownBy(() -> load(unmade.getBytes(StandardCharsets.ISO_8859_1)))
                .hasMessageContaining("nothing before it makes its input x9");
        var model = model("Add");
        assertThatThrownBy(() -> model.apply(List.of()))
                .hasMessage("0 inputs; the model takes 2: [x0, x1]");
        var wrong = List.of(Array.of(1f, 2f), Array.of(1f, 2f, 3f));
        assertThatThrownBy(() -> model.apply(wrong))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("node 0, Add_y, is Add");
    }

    /** A broken file that can be read is computed, or refused with a position. */
    private static void run(String name, OnnxModel model) {
        var known = cases.get(name).at("inputs").orElseThrow();
        if (model.inputs().stream().anyMatch(input -> known.at(input).isEmpty())) return;
        try {
            model.apply(inputs(name, model));
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageContaining("model.onnx: ");
        }
    }

    /** A truncated or changed file is refused with a message, or is read as another model. */
    @Test
    void brokenFilesAreRefusedInWords() {
        var seed = new Seed(11);
        var refusals = new LinkedHashMap<String, Integer>();
        for (var name : List.of("network gpt", "Conv", "Reshape")) {
            var whole = bytes(name);
            for (int i = 0; i < 150; i++) {
                var own = seed.of(name).of(i);
                var bytes =
                        i % 2 == 0
                                ? Arrays.copyOf(whole, (int) own.below(whole.length, 0))
                                : whole.clone();
                for (int j = 1; i % 2 == 1 && j < 4; j++)
                    bytes[(int) own.below(bytes.length, j)] = (byte) own.bits(j);
                try {
                    run(name, load(bytes));
                } catch (FileFormatException e) {
                    assertThat(e).hasMessageContaining("model.onnx: ");
                    refusals.merge(name, 1, Integer::sum);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }
            assertThat(refusals.get(name)).isGreaterThan(60);
        }
    }
}
