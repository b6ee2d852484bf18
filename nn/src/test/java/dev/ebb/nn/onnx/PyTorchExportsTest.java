package dev.ebb.nn.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.Next;
import dev.ebb.Tensorwise;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.DType;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * Networks as PyTorch 1.13 exports them ({@code src/test/scripts/models/export.py}), against the
 * values, gradients and one step of training that PyTorch computes of them in f64.
 */
class PyTorchExportsTest {
    private static final double RATE = 0.02;

    @TempDir Path folder;

    private Path file(String name) throws IOException {
        var to = folder.resolve(name);
        try (var in =
                Objects.requireNonNull(
                        PyTorchExportsTest.class.getResourceAsStream("/exports/" + name))) {
            Files.copy(in, to, StandardCopyOption.REPLACE_EXISTING);
        }
        return to;
    }

    private Map<String, Array> reference(String name) throws IOException {
        try (var tensors = Safetensors.open(file(name + ".safetensors"))) {
            var all = new TreeMap<String, Array>();
            for (var one : tensors.names()) all.put(one, tensors.read(one));
            return all;
        }
    }

    private record State(SequencedMap<String, Tensor> weights, List<Tensor> fed) {}

    private static Tensor loss(OnnxModel model, State state, Tensor targets) {
        var scores = model.apply(state.weights(), state.fed()).getFirst();
        return scores.reshape(-1, scores.dim(-1)).crossEntropy(targets.reshape(-1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"resnet", "bert", "gpt", "vit"})
    void valuesGradientsAndAStepAreThoseOfPyTorch(String name) throws IOException {
        var model = OnnxModel.load(file(name + ".onnx"));
        var reference = reference(name);
        var fed = new ArrayList<Tensor>();
        for (var input : model.inputs()) fed.add(reference.get(input));
        var targets = reference.get("targets");

        close(model.apply(fed).getFirst(), reference.get("scores"), name);

        var start = new State(model.weights(), fed);
        var slopes =
                Ebb.valueAndGrad(
                                (SequencedMap<String, Tensor> w) ->
                                        loss(model, new State(w, fed), targets))
                        .apply(start.weights());
        assertThat(slopes.value().item()).isCloseTo(reference.get("loss").get(0), within(1e-5));
        var names = parameters(model, reference);
        assertThat(names).hasSameSizeAs(start.weights());
        names.forEach(
                (weight, parameter) -> {
                    var own = slopes.grad().get(weight);
                    var wanted = reference.get("grad." + parameter);
                    boolean turned = !weight.equals(parameter);
                    close(turned ? own.transpose() : own, wanted, name + " " + parameter);
                });
        step(model, start, reference);
    }

    /** Plain descent; the peak of its plan is the measured one. */
    private static void step(OnnxModel model, State start, Map<String, Array> reference) {
        var targets = reference.get("targets");
        var stepper =
                Ebb.stepper(
                                (State s, Tensor rate) -> {
                                    var slopes =
                                            Ebb.valueAndGrad(
                                                            (SequencedMap<String, Tensor> w) ->
                                                                    loss(
                                                                            model,
                                                                            new State(w, s.fed()),
                                                                            targets))
                                                    .apply(s.weights());
                                    var moved =
                                            Tensorwise.map(
                                                    s.weights(),
                                                    slopes.grad(),
                                                    (w, g) -> w.sub(g.mul(rate)));
                                    return new Next<>(new State(moved, s.fed()), slopes.value());
                                })
                        .on(new Cpu(1));
        var rate = Array.scalar((float) RATE);
        try (var training = stepper.start(start, rate)) {
            double first = training.step(rate).item();
            double second = training.step(rate).item();
            assertThat(first).isCloseTo(reference.get("loss").get(0), within(1e-5));
            assertThat(second).isCloseTo(reference.get("after").get(0), within(1e-5));
            assertThat(second).isLessThan(first);
            assertThat(training.report().measuredBytes())
                    .isEqualTo(training.report().promisedBytes());
        }
    }

    /** The parameter of each weight; those that the exporter renamed are found by their sums. */
    private static SequencedMap<String, String> parameters(
            OnnxModel model, Map<String, Array> reference) {
        var sums = new TreeMap<Double, String>();
        reference.forEach(
                (name, sum) -> {
                    if (name.startsWith("sum.")) sums.put(sum.get(0), name.substring(4));
                });
        var all = new LinkedHashMap<String, String>();
        model.weights()
                .forEach(
                        (name, weight) -> {
                            double sum = weight.cast(DType.F64).sum().item();
                            var near = sums.subMap(sum - 1e-9, sum + 1e-9);
                            assertThat(near).as(name).hasSize(1);
                            all.put(name, near.firstEntry().getValue());
                        });
        return all;
    }

    private static void close(Tensor own, Array wanted, String what) {
        assertThat(own.shape()).as(what).isEqualTo(wanted.shape());
        var a = own.cast(DType.F64).toDoubles();
        var b = wanted.cast(DType.F64).toDoubles();
        for (int i = 0; i < a.length; i++)
            assertThat(a[i])
                    .as("%s[%d]", what, i)
                    .isCloseTo(b[i], within(1e-5 * Math.max(1, Math.abs(b[i]))));
    }
}
