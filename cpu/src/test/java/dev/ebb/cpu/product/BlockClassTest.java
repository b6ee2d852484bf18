package dev.ebb.cpu.product;

import static org.assertj.core.api.Assertions.assertThat;

import jdk.incubator.vector.VectorSpecies;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.classfile.ClassFile;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.InvokeInstruction;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Blocks of every height and type have the bits of plain loops, on vectors of any width. */
class BlockClassTest {
    /** C2's FreqInlineSize: a hot method with more bytes is compiled separately, not inlined. */
    private static final int INLINED = 325;

    private static final Blocks<float[]> F32 = BlockClass.generate(F32Blocks.SPECIES, 12, 8, 4);
    private static final Blocks<double[]> F64 = BlockClass.generate(F64Blocks.SPECIES, 12, 8, 4);

    /**
     * Elements before and after the memory that a block may access, and between the rows of its
     * result.
     */
    private static final int GAP = 3;

    @ParameterizedTest
    @CsvSource({"4, 0", "4, 1", "4, 7", "4, 256", "8, 1", "8, 64", "12, 1", "12, 7", "12, 256"})
    void blocksOfF32AreChainsOfMultiplyAdds(int height, int depth) {
        int lanes = F32Blocks.LANES;
        int row = lanes + GAP;
        var random = new SplittableRandom(depth);
        for (boolean along : new boolean[] {true, false}) {
            int stride = along ? depth + GAP : 1;
            int step = along ? 1 : height + GAP;
            var left = floats(random, GAP + height * stride + depth * step);
            var right = floats(random, GAP + depth * lanes);
            for (boolean add : new boolean[] {true, false}) {
                var expected = floats(random, GAP + height * row);
                var made = expected.clone();
                for (int i = 0; i < height; i++) {
                    for (int j = 0; j < lanes; j++) {
                        float sum = 0;
                        for (int k = 0; k < depth; k++) {
                            float x = left[GAP + i * stride + k * step];
                            sum = Math.fma(x, right[GAP + k * lanes + j], sum);
                        }
                        int at = GAP + i * row + j;
                        expected[at] = add ? sum + expected[at] : sum;
                    }
                }
                if (along)
                    F32.rows(height, depth, left, GAP, stride, right, GAP, made, GAP, row, add);
                else F32.columns(height, depth, left, GAP, step, right, GAP, made, GAP, row, add);
                assertThat(bits(made)).isEqualTo(bits(expected));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"4, 0", "4, 1", "4, 7", "4, 256", "8, 1", "8, 64", "12, 1", "12, 7", "12, 256"})
    void blocksOfF64AreChainsOfMultiplyAdds(int height, int depth) {
        int lanes = F64Blocks.LANES;
        int row = lanes + GAP;
        var random = new SplittableRandom(depth);
        for (boolean along : new boolean[] {true, false}) {
            int stride = along ? depth + GAP : 1;
            int step = along ? 1 : height + GAP;
            var left = doubles(random, GAP + height * stride + depth * step);
            var right = doubles(random, GAP + depth * lanes);
            for (boolean add : new boolean[] {true, false}) {
                var expected = doubles(random, GAP + height * row);
                var made = expected.clone();
                for (int i = 0; i < height; i++) {
                    for (int j = 0; j < lanes; j++) {
                        double sum = 0;
                        for (int k = 0; k < depth; k++) {
                            double x = left[GAP + i * stride + k * step];
                            sum = Math.fma(x, right[GAP + k * lanes + j], sum);
                        }
                        int at = GAP + i * row + j;
                        expected[at] = add ? sum + expected[at] : sum;
                    }
                }
                if (along)
                    F64.rows(height, depth, left, GAP, stride, right, GAP, made, GAP, row, add);
                else F64.columns(height, depth, left, GAP, step, right, GAP, made, GAP, row, add);
                assertThat(bits(made)).isEqualTo(bits(expected));
            }
        }
    }

    @Test
    void areTooLargeToBeInlined() {
        for (VectorSpecies<?> species : List.of(F32Blocks.SPECIES, F64Blocks.SPECIES)) {
            for (var block : blocks(species)) {
                var code = (CodeAttribute) block.code().orElseThrow();
                assertThat(code.codeLength())
                        .as(block.methodName().stringValue())
                        .isGreaterThan(INLINED);
            }
        }
    }

    @Test
    void tellTheClassOfEverySumTheyStore() {
        for (VectorSpecies<?> species : List.of(F32Blocks.SPECIES, F64Blocks.SPECIES)) {
            for (var block : blocks(species)) {
                var name = block.methodName().stringValue();
                int height = Integer.parseInt(name.replaceAll("[^0-9]", ""));
                assertThat(calls(block, "intoArray")).as(name).isEqualTo(2 * height);
                assertThat(calls(block, "cast")).as(name).isEqualTo(2 * height);
            }
        }
    }

    private static long calls(MethodModel block, String method) {
        return block.code()
                .orElseThrow()
                .elementStream()
                .filter(e -> e instanceof InvokeInstruction i && i.name().equalsString(method))
                .count();
    }

    private static List<MethodModel> blocks(VectorSpecies<?> species) {
        var written = new BlockClass(species, 12, 8, 4);
        var blocks =
                ClassFile.of()
                        .parse(ClassFile.of().build(BlockClass.SELF, written::write))
                        .methods()
                        .stream()
                        .filter(m -> m.methodTypeSymbol().equals(BlockCode.type(species)))
                        .toList();
        assertThat(blocks).hasSize(12);
        return blocks;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4, 7, 8, 11, 12, 13, 16, 20, 23, 24, 64, 100})
    void aTallBlockTakesNoMoreRowsThanAreLeft(int rows) {
        for (int left = rows; left > 0; left -= F32Blocks.height(left)) {
            assertThat(F32Blocks.height(left))
                    .isIn(4, 8, 12)
                    .isLessThanOrEqualTo(Math.max(left, 4));
        }
    }

    private static int[] bits(float[] x) {
        var bits = new int[x.length];
        Arrays.setAll(bits, i -> Float.floatToRawIntBits(x[i]));
        return bits;
    }

    private static long[] bits(double[] x) {
        return Arrays.stream(x).mapToLong(Double::doubleToRawLongBits).toArray();
    }

    private static float[] floats(SplittableRandom random, int count) {
        var x = new float[count];
        for (int i = 0; i < count; i++) x[i] = (float) (random.nextDouble() - 0.5);
        return x;
    }

    private static double[] doubles(SplittableRandom random, int count) {
        return random.doubles(count, -0.5, 0.5).toArray();
    }
}
