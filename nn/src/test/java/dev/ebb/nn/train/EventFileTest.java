package dev.ebb.nn.train;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Event files read by an independent reader, with checksums computed bit by bit. */
class EventFileTest {
    @TempDir Path folder;

    record Scalar(String tag, long step, float value) {}

    /** CRC-32C by its polynomial, then masked. */
    private static int masked(byte[] bytes) {
        int crc = -1;
        for (byte b : bytes) {
            crc ^= b & 0xff;
            for (int i = 0; i < 8; i++) crc = (crc & 1) == 0 ? crc >>> 1 : crc >>> 1 ^ 0x82f63b78;
        }
        crc = ~crc;
        return (crc >>> 15 | crc << 17) + 0xa282ead8;
    }

    static List<Scalar> read(Path file) throws IOException {
        var in = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        var all = new ArrayList<Scalar>();
        boolean first = true;
        while (in.hasRemaining()) {
            var length = new byte[8];
            in.get(length);
            assertThat(in.getInt()).isEqualTo(masked(length));
            var message =
                    new byte
                            [(int)
                                    ByteBuffer.wrap(length)
                                            .order(ByteOrder.LITTLE_ENDIAN)
                                            .getLong()];
            in.get(message);
            assertThat(in.getInt()).isEqualTo(masked(message));
            if (first) {
                assertThat(new String(message, StandardCharsets.UTF_8)).endsWith("brain.Event:2");
            } else {
                all.add(scalar(message));
            }
            first = false;
        }
        return all;
    }

    private static Scalar scalar(byte[] bytes) {
        var in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(in.get()).isEqualTo((byte) 0x09);
        in.getDouble();
        assertThat(in.get()).isEqualTo((byte) 0x10);
        long step = varint(in);
        assertThat(in.get()).isEqualTo((byte) 0x2a);
        assertThat(varint(in)).isEqualTo(in.remaining());
        assertThat(in.get()).isEqualTo((byte) 0x0a);
        assertThat(varint(in)).isEqualTo(in.remaining());
        assertThat(in.get()).isEqualTo((byte) 0x0a);
        var tag = new byte[(int) varint(in)];
        in.get(tag);
        assertThat(in.get()).isEqualTo((byte) 0x15);
        float value = in.getFloat();
        assertThat(in.hasRemaining()).isFalse();
        return new Scalar(new String(tag, StandardCharsets.UTF_8), step, value);
    }

    private static long varint(ByteBuffer in) {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            byte b = in.get();
            value |= (long) (b & 0x7f) << shift;
            if (b >= 0) return value;
        }
    }

    @Test
    void whatIsWrittenIsRead() throws IOException {
        var clock = Clock.fixed(Instant.ofEpochSecond(1_000_000_000L), ZoneOffset.UTC);
        try (var log = EventFile.in(folder, clock)) {
            log.scalar("train/loss", 1, 0.5);
            log.scalar("größe", 300, -2);
            log.scalar("z", 1L << 40, Double.NaN);
        }
        try (var files = Files.list(folder)) {
            var file = files.findFirst().orElseThrow();
            assertThat(file.getFileName().toString())
                    .isEqualTo("events.out.tfevents.1000000000.0.ebb");
            assertThat(read(file))
                    .containsExactly(
                            new Scalar("train/loss", 1, 0.5f),
                            new Scalar("größe", 300, -2f),
                            new Scalar("z", 1L << 40, Float.NaN));
        }
    }

    /** The check value of CRC-32C: that of "123456789". */
    @Test
    void theReadersChecksumIsTheKnownOne() {
        int crc = masked("123456789".getBytes(StandardCharsets.US_ASCII)) - 0xa282ead8;
        assertThat(HexFormat.of().toHexDigits(crc << 15 | crc >>> 17)).isEqualTo("e3069283");
    }
}
