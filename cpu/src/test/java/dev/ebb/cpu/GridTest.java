package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Compiled;
import dev.ebb.Devices;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.grid.Grid;
import dev.ebb.tensor.grid.GridException;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Random;

/**
 * Sums on a grid have the same bits as on the Reference device, before and after JIT compilation,
 * and can be inverted.
 */
class GridTest {
    private static final Cpu CPU = new Cpu(2);
    private static final Grid GRID = new Grid(16);

    record Pair(Tensor x, Tensor f) {}

    record Passed(Tensor entered, Tensor sum, Tensor back) {}

    private static final Fn<Pair, Passed> PASSING =
            p -> {
                var x = GRID.enter(p.x());
                var y = GRID.add(x, p.f());
                return new Passed(x, y, GRID.sub(y, p.f()));
            };

    private static Array noise(Random random, Type type) {
        double reach = 0.99 * GRID.reach(type.dtype());
        return Array.of(
                type, random.doubles(type.size(), -1, 1).map(u -> reach * u * u * u).toArray());
    }

    @Test
    void theBitsOfTheReference() {
        for (var dtype : List.of(DType.F32, DType.F64)) {
            for (int size : new int[] {0, 1, 13, 4098, 70_001}) {
                var type = new Type(dtype, Shape.of(size));
                var random = new Random(size);
                var pair = new Pair(noise(random, type), noise(random, type));
                try (var slow = Ebb.compile(PASSING).on(Devices.reference());
                        var fast = Ebb.compile(PASSING).on(CPU)) {
                    var expected = slow.apply(pair);
                    for (int round = 0; round < 12; round++) {
                        var found = fast.apply(pair);
                        same(found.entered(), expected.entered());
                        same(found.sum(), expected.sum());
                        same(found.back(), expected.entered());
                    }
                }
            }
        }
    }

    private static void same(Tensor a, Tensor b) {
        assertThat(a.sameBits((Array) b)).as("%s", a.type()).isTrue();
    }

    /**
     * A wrong element is found anywhere: in the first vector, in the last, in a tail, in another
     * thread's part.
     */
    @Test
    void oneWrongElementIsFound() {
        int size = 70_001;
        var type = Type.of(DType.F32, size);
        try (Compiled<Pair, Passed> fast = Ebb.compile(PASSING).on(CPU)) {
            for (int at : new int[] {0, 7, 8, 1000, 35_000, 69_999, 70_000}) {
                for (float wrong : new float[] {Float.NaN, Float.NEGATIVE_INFINITY, 200}) {
                    var data = new float[size];
                    data[at] = wrong;
                    var zeros = Array.make(type, _ -> {});
                    var pair = new Pair(zeros, Array.of(Shape.of(size), data));
                    assertThatThrownBy(() -> fast.apply(pair))
                            .isInstanceOf(GridException.class)
                            .hasMessageContaining(" at [" + at + "]");
                }
            }
        }
    }
}
