package dev.ebb.nn.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.Tensorwise;
import dev.ebb.ir.DType;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The published layout, through the loader, gives the published figures. */
final class Gpt2ReferenceTest {
    private static final Path FILE = Resources.path("gpt2-tiny.safetensors");

    @Test
    void lossAndEveryGradientAgree() throws IOException {
        var model = (Gpt2) Pretrained.load(FILE, "weight/");
        assertThat(model.config()).isEqualTo(Gpt2.Config.of(257, 64, 64, 3, 4));
        try (var file = Safetensors.open(FILE)) {
            var ids = batch(file);
            int time = ids.dim(1);
            var loss =
                    Ebb.compile(
                            Ebb.valueAndGrad(
                                    (Gpt2 m) ->
                                            m.loss(
                                                    ids.slice(1, 0, time - 1),
                                                    ids.slice(1, 1, time))));
            var result = loss.apply(model);
            double expected = description().at("loss").flatMap(Json::number).orElseThrow();
            assertThat(result.value().item()).isCloseTo(expected, within(1e-5));
            var grad = Weights.load(file, model, Naming.gpt2().behind("grad/transformer."));
            var names = Tensorwise.names(model);
            for (int i = 0; i < names.size(); i++) {
                close(
                        names.get(i),
                        Tensorwise.list(result.grad()).get(i),
                        Tensorwise.list(grad).get(i));
            }
            loss.close();
        }
    }

    private static Json description() throws IOException {
        return Json.parse(Files.readString(Resources.path("gpt2-tiny.json")));
    }

    private static Array batch(Safetensors file) throws IOException {
        var name =
                file.names().stream()
                        .filter(n -> !n.startsWith("weight/") && !n.startsWith("grad/"))
                        .findFirst()
                        .orElseThrow();
        var stored = file.read(name);
        return Array.of(stored.type().with(DType.I32), stored.toDoubles());
    }

    private static void close(String name, Tensor actual, Tensor expected) {
        var a = actual.toDoubles();
        var e = expected.toDoubles();
        double largest = 1e-8;
        for (double x : e) largest = Math.max(largest, Math.abs(x));
        for (int i = 0; i < a.length; i++)
            assertThat(a[i]).as("%s at %d", name, i).isCloseTo(e[i], within(1e-4 * largest));
    }
}
