package dev.ebb.nn.train;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.zip.CRC32C;

/**
 * Writes a log for TensorBoard: records of a length, a checksum of the length, a message and a
 * checksum of the message. A message is a protocol buffer: time (field 1), step (field 2), and a
 * file version (field 3) or a summary (field 5) of values (field 1), each a tag (field 1) and a
 * number (field 2).
 */
public final class EventFile implements AutoCloseable {
    private static final int DOUBLE = 1;
    private static final int BYTES = 2;
    private static final int FLOAT = 5;
    private static final int MASK = 0xa282ead8;

    private final Clock clock;
    private final OutputStream out;

    private EventFile(OutputStream out, Clock clock) {
        this.out = out;
        this.clock = clock;
    }

    /** Creates a new file in {@code folder}, which is created if necessary. */
    public static EventFile in(Path folder) throws IOException {
        return in(folder, Clock.systemUTC());
    }

    static EventFile in(Path folder, Clock clock) throws IOException {
        Files.createDirectories(folder);
        var now = clock.instant();
        long stamp = now.getEpochSecond();
        Path file;
        int n = 0;
        do {
            file = folder.resolve("events.out.tfevents." + stamp + "." + n++ + ".ebb");
        } while (Files.exists(file));
        var log = new EventFile(Files.newOutputStream(file), clock);
        var message = new ByteArrayOutputStream();
        log.time(message);
        bytes(message, 3, "brain.Event:2".getBytes(StandardCharsets.UTF_8));
        log.record(message.toByteArray());
        return log;
    }

    /** Logs one number at a step. */
    public void scalar(String tag, long step, double value) throws IOException {
        var number = new ByteArrayOutputStream();
        bytes(number, 1, tag.getBytes(StandardCharsets.UTF_8));
        number.write(2 << 3 | FLOAT);
        number.writeBytes(little(4).putFloat((float) value).array());
        var summary = new ByteArrayOutputStream();
        bytes(summary, 1, number.toByteArray());
        var message = new ByteArrayOutputStream();
        time(message);
        message.write(2 << 3);
        varint(message, step);
        bytes(message, 5, summary.toByteArray());
        record(message.toByteArray());
    }

    private void time(ByteArrayOutputStream message) {
        var now = clock.instant();
        message.write(1 << 3 | DOUBLE);
        message.writeBytes(little(8).putDouble(now.getEpochSecond() + now.getNano() / 1e9).array());
    }

    private static void bytes(ByteArrayOutputStream message, int field, byte[] content) {
        message.write(field << 3 | BYTES);
        varint(message, content.length);
        message.writeBytes(content);
    }

    /** Seven bits per byte, the lowest first; the highest bit says that more follow. */
    private static void varint(ByteArrayOutputStream message, long value) {
        long rest = value;
        for (; (rest & ~0x7fL) != 0; rest >>>= 7) message.write((int) (rest & 0x7f | 0x80));
        message.write((int) rest);
    }

    private void record(byte[] message) throws IOException {
        var length = little(8).putLong(message.length).array();
        out.write(length);
        out.write(little(4).putInt(checksum(length)).array());
        out.write(message);
        out.write(little(4).putInt(checksum(message)).array());
        out.flush();
    }

    /** CRC-32C, rotated by fifteen bits, plus a constant. */
    private static int checksum(byte[] bytes) {
        var crc = new CRC32C();
        crc.update(bytes);
        int value = (int) crc.getValue();
        return Integer.rotateRight(value, 15) + MASK;
    }

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
