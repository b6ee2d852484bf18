package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.exec.Device;
import dev.ebb.ir.Shape;
import dev.ebb.reference.WideSums;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.util.List;

class CpuWideSumsTest extends WideSums {
    private static final Cpu CPU = new Cpu(2);

    @Override
    protected Device device() {
        return CPU;
    }

    /**
     * Rows and columns of f32 with more than 2^24 elements, beyond which adding ones one by one
     * stops growing; the ones are computed where they are added, so none is in memory.
     */
    @Test
    void forty_million_ones_are_forty_million() {
        int many = 40_000_000;
        try (var sums =
                Ebb.compile(
                                (Tensor one) ->
                                        Tensors.concat(
                                                List.of(
                                                        one.broadcastTo(Shape.of(many))
                                                                .sum()
                                                                .reshape(1),
                                                        one.broadcastTo(Shape.of(many / 2, 2))
                                                                .sum(0)),
                                                0))
                        .on(CPU)) {
            var found = sums.apply(Array.of(1f)).toDoubles();
            assertThat(found).containsExactly(many, many / 2, many / 2);
        }
    }
}
