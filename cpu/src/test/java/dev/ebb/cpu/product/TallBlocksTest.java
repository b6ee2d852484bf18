package dev.ebb.cpu.product;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.SplittableRandom;

/** Twelve rows at once have the bits of four at a time, on vectors of any width. */
class TallBlocksTest {
    private static final int LANES = F32Blocks.LANES;
    private static final int ROWS = F32TallBlocks.ROWS;

    @ParameterizedTest
    @CsvSource({"1, false", "7, true", "64, false", "256, true"})
    void twelveRowsHaveTheBitsOfFourAtATime(int depth, boolean add) {
        var random = new SplittableRandom(depth);
        float[] left = numbers(random, (ROWS + LANES) * depth);
        float[] right = numbers(random, depth * LANES);
        float[] before = numbers(random, ROWS * LANES);
        var expected = before.clone();
        for (int i = 0; i < ROWS; i += 4)
            F32Blocks.rows(
                    depth, left, i * depth, depth, right, 0, expected, i * LANES, LANES, add);
        var made = before.clone();
        F32TallBlocks.rows(depth, left, 0, depth, right, 0, made, 0, LANES, add);
        assertThat(made).isEqualTo(expected);
        expected = before.clone();
        for (int i = 0; i < ROWS; i += 4)
            F32Blocks.columns(depth, left, i, LANES, right, 0, expected, i * LANES, LANES, add);
        made = before.clone();
        F32TallBlocks.columns(depth, left, 0, LANES, right, 0, made, 0, LANES, add);
        assertThat(made).isEqualTo(expected);
    }

    private static float[] numbers(SplittableRandom random, int count) {
        var x = new float[count];
        for (int i = 0; i < count; i++) x[i] = (float) (random.nextDouble() - 0.5);
        return x;
    }
}
