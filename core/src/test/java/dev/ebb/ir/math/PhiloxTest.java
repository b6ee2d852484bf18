package dev.ebb.ir.math;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The known answers that the authors of Random123 publish for philox4x32-10. */
class PhiloxTest {

    private static int[] words(long... values) {
        int[] out = new int[values.length];
        for (int i = 0; i < out.length; i++) out[i] = (int) values[i];
        return out;
    }

    @Test
    void knownAnswers() {
        assertThat(Philox.block(words(0, 0, 0, 0), words(0, 0)))
                .containsExactly(words(0x6627e8d5L, 0xe169c58dL, 0xbc57ac4cL, 0x9b00dbd8L));
        long f = 0xffffffffL;
        assertThat(Philox.block(words(f, f, f, f), words(f, f)))
                .containsExactly(words(0x408f276dL, 0x41c83b0eL, 0xa20bc7c6L, 0x6d5451fdL));
        assertThat(
                        Philox.block(
                                words(0x243f6a88L, 0x85a308d3L, 0x13198a2eL, 0x03707344L),
                                words(0xa4093822L, 0x299f31d0L)))
                .containsExactly(words(0xd16cfe09L, 0x94fdccebL, 0x5001e420L, 0x24126ea1L));
    }

    @Test
    void aDrawIsOneWordOfItsBlock() {
        long key = 0x299f31d0a4093822L;
        long counter = 4 * 0x123456789L;
        int[] block = Philox.block(words(0x23456789L, 1, 0, 0), words(0xa4093822L, 0x299f31d0L));
        for (int i = 0; i < 4; i++) {
            assertThat(Philox.draw(key, counter + i)).isEqualTo(block[i]);
        }
    }

    @Test
    void manyDrawsAreTheSameAsOneAfterTheOther() {
        long key = 0xa4093822299f31d0L;
        for (long first : new long[] {0, 1, 2, 3, 1L << 33, (1L << 34) + 7}) {
            for (int count : new int[] {0, 1, 2, 3, 4, 5, 9, 64}) {
                var draws = new int[count];
                Philox.draws(key, first, draws);
                for (int i = 0; i < count; i++)
                    assertThat(draws[i]).isEqualTo(Philox.draw(key, first + i));
            }
        }
    }
}
