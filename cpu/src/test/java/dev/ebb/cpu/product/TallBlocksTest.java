package dev.ebb.cpu.product;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.SplittableRandom;

/** Twelve and eight rows at once have the bits of four at a time, on vectors of any width. */
class TallBlocksTest {
    private static final int LANES = F32Blocks.LANES;

    @ParameterizedTest
    @CsvSource({
        "12, 1, false",
        "12, 7, true",
        "12, 64, false",
        "12, 256, true",
        "8, 1, true",
        "8, 7, false",
        "8, 64, true",
        "8, 256, false"
    })
    void manyRowsHaveTheBitsOfFourAtATime(int rows, int depth, boolean add) {
        var random = new SplittableRandom(depth);
        float[] left = numbers(random, (rows + LANES) * depth);
        float[] right = numbers(random, depth * LANES);
        float[] before = numbers(random, rows * LANES);
        var expected = before.clone();
        for (int i = 0; i < rows; i += 4)
            F32Blocks.rows(
                    depth, left, i * depth, depth, right, 0, expected, i * LANES, LANES, add);
        var made = before.clone();
        F32Rows.rows(rows, depth, left, 0, depth, right, 0, made, 0, LANES, add);
        assertThat(made).isEqualTo(expected);
        expected = before.clone();
        for (int i = 0; i < rows; i += 4)
            F32Blocks.columns(depth, left, i, LANES, right, 0, expected, i * LANES, LANES, add);
        made = before.clone();
        F32Rows.columns(rows, depth, left, 0, LANES, right, 0, made, 0, LANES, add);
        assertThat(made).isEqualTo(expected);
    }

    private static float[] numbers(SplittableRandom random, int count) {
        var x = new float[count];
        for (int i = 0; i < count; i++) x[i] = (float) (random.nextDouble() - 0.5);
        return x;
    }
}
