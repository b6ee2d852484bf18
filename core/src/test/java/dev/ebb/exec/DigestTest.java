package dev.ebb.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.exec.reference.Reference;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;

import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;

class DigestTest {
    private static long digest(DType dtype, long... words) {
        try (var queue = new Reference().open()) {
            var buffer =
                    new Buffer(
                            dtype,
                            8L * words.length / dtype.bytes(1),
                            MemorySegment.ofArray(words));
            return Digest.of(buffer, queue);
        }
    }

    @Test
    void every_nan_is_the_same_and_no_other_bit_is_lost() {
        long quiet = 0x7ff8000000000000L;
        long negative = 0xfff8000000000001L;
        assertThat(digest(DType.F64, 1, negative)).isEqualTo(digest(DType.F64, 1, quiet));
        assertThat(digest(DType.F32, 0x7fc00000_ffc00007L))
                .isEqualTo(digest(DType.F32, 0xffc00001_7fc00000L));
        assertThat(digest(DType.BF16, 0x7fc0_ffc1_3f80_0000L))
                .isEqualTo(digest(DType.BF16, 0xffc0_7fc1_3f80_0000L));
        assertThat(digest(DType.F16, 0x7e00_fe01_3c00_0000L))
                .isEqualTo(digest(DType.F16, 0xfe00_7e01_3c00_0000L));
        assertThat(digest(DType.I64, negative)).isNotEqualTo(digest(DType.I64, quiet));
        assertThat(digest(DType.F64, 1L << 63)).as("-0").isNotEqualTo(digest(DType.F64, 0));
        assertThat(digest(DType.F64, 2)).isNotEqualTo(digest(DType.F64, 1));
    }
}
