package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.Fn2;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.List;

/**
 * Products of few rows, whose right factor is not packed, have the bits that these rows have in a
 * product of many rows.
 */
class FewRowsTest {
    private static final int MANY = 24;

    private static Cpu cpu;

    @BeforeAll
    static void begin() {
        cpu = new Cpu(2);
    }

    @AfterAll
    static void end() {
        cpu.close();
    }

    private static Array random(long seed, int... dims) {
        return (Array) Key.of(seed).normal(Type.of(DType.F32, dims));
    }

    private static float[] run(Fn2<Tensor, Tensor, Tensor> f, Tensor x, Array weight) {
        try (var compiled = Ebb.compile(f).on(cpu)) {
            return compiled.apply(x, weight).toFloats();
        }
    }

    @ParameterizedTest
    @CsvSource({"7, 5", "100, 300", "513, 257"})
    void haveTheSameBitsAsAmongMany(int columns, int depth) {
        var x = random(columns, MANY, depth);
        var across = random(columns + 1, depth, columns);
        var along = random(columns + 2, columns, depth);
        Fn2<Tensor, Tensor, Tensor> plain = Tensor::matmul;
        Fn2<Tensor, Tensor, Tensor> transposed = (a, w) -> a.matmul(w.transpose());
        Fn2<Tensor, Tensor, Tensor> continued = (a, w) -> a.matmul(w).add(1).relu();
        same(plain, x, across);
        same(transposed, x, along);
        same(continued, x, across);
    }

    private static void same(Fn2<Tensor, Tensor, Tensor> f, Array x, Array weight) {
        var whole = run(f, x, weight);
        int columns = whole.length / MANY;
        int depth = x.shape().dim(1);
        var numbers = x.toFloats();
        for (int rows : List.of(1, 3, 4)) {
            int first = 8 - rows;
            var cut = Arrays.copyOfRange(numbers, first * depth, 8 * depth);
            var some = run(f, Array.of(Shape.of(rows, depth), cut), weight);
            assertThat(some)
                    .as("%d rows of %d and %s", rows, MANY, weight.type())
                    .isEqualTo(Arrays.copyOfRange(whole, first * columns, 8 * columns));
        }
    }
}
