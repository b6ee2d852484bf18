package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.List;

class DonatingTest {
    private record State(Tensor a, Tensor b) {}

    private static Array ramp(int size) {
        return Array.make(
                new Type(DType.F32, Shape.of(size)),
                to -> {
                    for (int i = 0; i < size; i++) to.set(i, i);
                });
    }

    private static State turned(State s) {
        return new State(s.b().mul(2), s.a().add(s.b()));
    }

    @Test
    void resultsAreTheSameAndTheArgumentIsGone() {
        try (var plain = Ebb.compile(DonatingTest::turned).on(Devices.best());
                var f = Ebb.compile(DonatingTest::turned).donating().on(Devices.best())) {
            var kept = new State(ramp(10), ramp(10));
            var given = new State(ramp(10), ramp(10));
            for (int i = 0; i < 4; i++) {
                kept = plain.apply(kept);
                var before = given;
                given = f.apply(given);
                assertThat(given.a().sameBits(kept.a())).isTrue();
                assertThat(given.b().sameBits(kept.b())).isTrue();
                assertThatThrownBy(() -> before.a().toFloats())
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("was donated");
                assertThatThrownBy(() -> f.apply(before)).hasMessageContaining("was donated");
                assertThat(before.b()).hasToString("f32[10] (donated)");
            }
        }
    }

    @Test
    void onlyTheChosenPartIsGone() {
        try (var f =
                Ebb.compile((Tensor x, Tensor y) -> x.mul(y))
                        .donating(By.first())
                        .on(Devices.best())) {
            var x = ramp(4);
            var y = ramp(4);
            assertThat(f.apply(x, y).toFloats()).containsExactly(0, 1, 4, 9);
            assertThat(y.toFloats()).containsExactly(0, 1, 2, 3);
            assertThatThrownBy(x::toFloats).hasMessageContaining("was donated");
            // twice the same array, and one whose memory others share
            assertThat(f.apply(y, y).toFloats()).containsExactly(0, 1, 4, 9);
            var zeros = Array.zeros(List.of(y.type(), y.type()));
            assertThat(f.apply(zeros.get(0), ramp(4)).toFloats()).containsExactly(0, 0, 0, 0);
            assertThat(zeros.get(1).toFloats()).containsExactly(0, 0, 0, 0);
        }
    }
}
