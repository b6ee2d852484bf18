package dev.ebb.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.exec.Device;
import dev.ebb.ir.DType;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.LinkedHashMap;

/**
 * Holds a device to the loss and to every gradient of three small networks, as PyTorch computed
 * them. Bounds are relative to the largest magnitude of the tensor in question.
 */
public abstract class ModelsReference {

    protected ModelsReference() {}

    protected abstract Device device();

    /** A network's loss as a function of its weights. */
    private interface Model {
        Tensor loss(Models.Weights weights, Tensorfile file, DType floats);
    }

    @Test
    void gpt2() {
        check("gpt2-tiny", Models::gpt2);
    }

    @Test
    void resnet() {
        check("resnet-tiny", Models::resnet);
    }

    @Test
    void lstm() {
        check("lstm-tiny", Models::lstm);
    }

    private void check(String name, Model model) {
        var file = Tensorfile.of(name);
        check(file, model, DType.F64, 1e-9);
        check(file, model, DType.F32, 1e-4);
    }

    private void check(Tensorfile file, Model model, DType floats, double bound) {
        var weights = new LinkedHashMap<String, Tensor>();
        for (String name : file.names()) {
            if (!name.startsWith("weight/")) continue;
            weights.put(name.substring("weight/".length()), file.tensor(name, floats));
        }
        Fn<Models.Weights, Tensor> loss = w -> model.loss(w, file, floats);
        try (var compiled = Ebb.compile(Ebb.valueAndGrad(loss)).on(device())) {
            var found = compiled.apply(new Models.Weights(weights));
            double expected = file.description().at("loss").number();
            assertThat(Math.abs(found.value().item() - expected))
                    .as("loss in " + floats)
                    .isLessThanOrEqualTo(bound * Math.abs(expected));
            found.grad()
                    .all()
                    .forEach(
                            (name, grad) -> {
                                var reference = file.tensor("grad/" + name, DType.F64);
                                close((Array) grad, reference, bound, name + " in " + floats);
                            });
        }
    }

    private static void close(Array found, Array expected, double bound, String what) {
        assertThat(found.shape()).as(what).isEqualTo(expected.shape());
        double largest = 0;
        double error = 0;
        for (int i = 0; i < expected.type().size(); i++) {
            largest = Math.max(largest, Math.abs(expected.data().get(i)));
            error = Math.max(error, Math.abs(found.data().get(i) - expected.data().get(i)));
        }
        assertThat(error)
                .as("largest error of the gradient of " + what)
                .isLessThanOrEqualTo(bound * largest);
    }
}
