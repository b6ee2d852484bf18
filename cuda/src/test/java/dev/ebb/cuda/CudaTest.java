package dev.ebb.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.ebb.Devices;
import dev.ebb.Ebb;
import dev.ebb.exec.DeviceProvider;
import dev.ebb.ir.Shape;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** The device's descriptions, and plans with its costs, without a GPU. */
class CudaTest {
    @TempDir private Path folder;

    private static boolean isCard() {
        return new CudaProvider().find() instanceof DeviceProvider.Here;
    }

    @Test
    void without_a_card_a_sentence_says_what_is_missing() {
        assumeFalse(isCard(), "this machine has a card");
        assertThatThrownBy(() -> new Cuda(0)).isInstanceOf(CudaException.class);
        assertThat(Devices.all())
                .filteredOn(kind -> kind.name().equals("cuda"))
                .singleElement()
                .satisfies(kind -> assertThat(kind.device()).isEmpty());
        assertThatThrownBy(() -> Devices.named("cuda"))
                .hasMessageStartingWith("no device 'cuda': ")
                .hasMessageMatching("(?s).*(install|CUDA_VISIBLE_DEVICES|failed).*");
        assertThat(Devices.best().name()).isNotEqualTo("cuda");
    }

    @Test
    void an_unknown_device_is_refused_with_those_there_are() {
        assertThatThrownBy(() -> Devices.named("tpu")).hasMessageContaining("there are: cuda");
    }

    @Test
    void precision_is_a_value_and_stated() {
        var cuda = new Cuda(new SimulatedGpu(folder), Precision.F32);
        assertThat(cuda.precision()).isEqualTo(Precision.F32);
        assertThat(cuda.signature()).contains("F32");
        var rounded = cuda.with(Precision.TF32);
        assertThat(rounded.signature()).contains("TF32");
        assertThat(cuda.precision()).isEqualTo(Precision.F32);
        assertThat(rounded.cost()).isNotEqualTo(cuda.cost());
    }

    @Test
    void plans_need_no_card_and_keep_to_their_budgets() {
        var cuda = new Cuda(new SimulatedGpu(folder), Precision.TF32);
        var x = Array.of(Shape.of(256, 256), new float[256 * 256]);
        try (var gradient =
                Ebb.compile(
                                Ebb.grad(
                                        (Tensor t) -> {
                                            Tensor h = t;
                                            for (int i = 0; i < 8; i++) h = h.matmul(t).tanh();
                                            return h.sum();
                                        }))
                        .on(cuda)) {
            var full = gradient.plan(x);
            assertThat(full.leastBytes()).isLessThan(full.peakBytes());
            try (var small =
                    Ebb.compile(
                                    Ebb.grad(
                                            (Tensor t) -> {
                                                Tensor h = t;
                                                for (int i = 0; i < 8; i++) h = h.matmul(t).tanh();
                                                return h.sum();
                                            }))
                            .within(Budget.bytes(full.leastBytes()))
                            .on(cuda)) {
                assertThat(small.plan(x).peakBytes()).isLessThanOrEqualTo(full.leastBytes());
            }
        }
    }
}
