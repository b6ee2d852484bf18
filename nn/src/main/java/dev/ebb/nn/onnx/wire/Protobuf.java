package dev.ebb.nn.onnx.wire;

import dev.ebb.nn.file.FileFormatException;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Reads the fields of one protobuf message, one after the other, in place. A length is checked
 * against the message before memory is allocated.
 */
public final class Protobuf {
    /**
     * The deepest nesting of messages; a model has three levels, and three more for each nested
     * body.
     */
    private static final int DEEPEST = 100;

    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Path file;
    private final MemorySegment data;
    private final long base;
    private final int depth;
    private long at;
    private int wire;
    private long value;
    private MemorySegment bytes = MemorySegment.NULL;

    private Protobuf(Path file, MemorySegment data, long base, int depth) {
        this.depth = depth;
        this.file = file;
        this.data = data;
        this.base = base;
    }

    public static Protobuf of(Path file, MemorySegment data) {
        return new Protobuf(file, data, 0, 0);
    }

    /** Moves to the next field and returns its number, or zero at the end. */
    public int next() throws FileFormatException {
        if (at >= data.byteSize()) return 0;
        long tag = varint();
        wire = (int) (tag & 7);
        switch (wire) {
            case 0 -> value = varint();
            case 1 -> {
                require(8);
                value = data.get(LONG, at);
                at += 8;
            }
            case 2 -> {
                long length = varint();
                require(length);
                bytes = data.asSlice(at, length);
                at += length;
            }
            case 5 -> {
                require(4);
                value = data.get(INT, at);
                at += 4;
            }
            default -> throw broken("a field of kind " + wire + ", which protobuf has not");
        }
        long number = tag >>> 3;
        if (number < 1 || number > 1 << 29) throw broken("a field of number " + number);
        return (int) number;
    }

    private void require(long length) throws FileFormatException {
        if (length < 0 || length > data.byteSize() - at)
            throw broken("a field of " + length + " bytes that ends after its message; truncated?");
    }

    private long varint() throws FileFormatException {
        long result = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            require(1);
            byte b = data.get(ValueLayout.JAVA_BYTE, at++);
            result |= (long) (b & 0x7f) << shift;
            if (b >= 0) return result;
        }
        throw broken("a number of more than 64 bits");
    }

    private FileFormatException broken(String problem) {
        return new FileFormatException(file, "not ONNX: at byte " + (base + at) + " is " + problem);
    }

    public long whole() throws FileFormatException {
        if (wire == 2) throw broken("bytes where a number is expected");
        return value;
    }

    public float number() throws FileFormatException {
        if (wire != 5) throw broken("no float where one is expected");
        return Float.intBitsToFloat((int) value);
    }

    public MemorySegment bytes() throws FileFormatException {
        if (wire != 2) throw broken("a number where bytes are expected");
        return bytes;
    }

    public String text() throws FileFormatException {
        var all = bytes();
        if (all.byteSize() > 1 << 20) throw broken("a text of " + all.byteSize() + " bytes");
        return new String(all.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    /** The message in this field. */
    public Protobuf inside() throws FileFormatException {
        if (depth == DEEPEST) throw broken("a message inside " + DEEPEST + " others");
        return new Protobuf(file, bytes(), base + at - bytes.byteSize(), depth + 1);
    }

    /** Adds the numbers of a repeated field, packed or single. */
    public void wholes(Longs to) throws FileFormatException {
        if (wire != 2) {
            to.add(value);
            return;
        }
        var inner = inside();
        while (inner.at < inner.data.byteSize()) to.add(inner.varint());
    }

    /** Adds the floats of a repeated field, packed or single, as their bits. */
    public void floats(Longs to) throws FileFormatException {
        if (wire != 2) {
            to.add(value);
            return;
        }
        if (bytes.byteSize() % 4 != 0) throw broken("floats of " + bytes.byteSize() + " bytes");
        for (long i = 0; i < bytes.byteSize(); i += 4) to.add(bytes.get(INT, i));
    }

    /** Adds the doubles of a repeated field, packed or single, as their bits. */
    public void doubles(Longs to) throws FileFormatException {
        if (wire != 2) {
            to.add(value);
            return;
        }
        if (bytes.byteSize() % 8 != 0) throw broken("doubles of " + bytes.byteSize() + " bytes");
        for (long i = 0; i < bytes.byteSize(); i += 8) to.add(bytes.get(LONG, i));
    }

    /** A growing list of longs. */
    public static final class Longs {
        private long[] all = new long[8];
        private int size;

        void add(long one) {
            if (size == all.length) all = Arrays.copyOf(all, Math.multiplyExact(2, size));
            all[size++] = one;
        }

        public int size() {
            return size;
        }

        public long get(int i) {
            return all[i];
        }

        public long[] toArray() {
            return Arrays.copyOf(all, size);
        }
    }
}
