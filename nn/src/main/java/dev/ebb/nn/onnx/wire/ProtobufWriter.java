package dev.ebb.nn.onnx.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds a protobuf message field by field. Tensors and nested messages are not copied; they are
 * written when the message is.
 */
public final class ProtobufWriter {
    private final List<MemorySegment> chunks = new ArrayList<>();
    private ByteArrayOutputStream open = new ByteArrayOutputStream();
    private long size;

    public ProtobufWriter whole(int field, long value) {
        varint((long) field << 3);
        varint(value);
        return this;
    }

    public ProtobufWriter text(int field, String text) {
        return raw(field, MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8)));
    }

    public ProtobufWriter raw(int field, MemorySegment bytes) {
        begin(field, bytes.byteSize());
        append(bytes);
        return this;
    }

    public ProtobufWriter inside(int field, ProtobufWriter message) {
        message.close();
        begin(field, message.size);
        message.chunks.forEach(this::append);
        return this;
    }

    private void begin(int field, long length) {
        varint((long) field << 3 | 2);
        varint(length);
    }

    private void append(MemorySegment bytes) {
        close();
        chunks.add(bytes);
        size += bytes.byteSize();
    }

    private void close() {
        if (open.size() == 0) return;
        chunks.add(MemorySegment.ofArray(open.toByteArray()));
        open = new ByteArrayOutputStream();
    }

    private void put(int b) {
        open.write(b);
        size++;
    }

    private void varint(long value) {
        long rest = value;
        while ((rest & ~127L) != 0) {
            put((int) (rest & 127 | 128));
            rest >>>= 7;
        }
        put((int) rest);
    }

    public long size() {
        return size;
    }

    public void writeTo(OutputStream out) throws IOException {
        close();
        var block = new byte[1 << 16];
        for (var chunk : chunks) {
            for (long at = 0; at < chunk.byteSize(); at += block.length) {
                int count = (int) Math.min(block.length, chunk.byteSize() - at);
                MemorySegment.copy(chunk, ValueLayout.JAVA_BYTE, at, block, 0, count);
                out.write(block, 0, count);
            }
        }
    }

    // ---- attributes of ONNX ------------------------------------------------------------------

    public static ProtobufWriter attribute(String name, long value) {
        return new ProtobufWriter().text(1, name).whole(3, value).whole(20, 2);
    }

    public static ProtobufWriter attribute(String name, List<Integer> values) {
        var attribute = new ProtobufWriter().text(1, name);
        for (int value : values) attribute.whole(8, value);
        return attribute.whole(20, 7);
    }
}
