package dev.ebb.nn.onnx;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A simple reader of whole protobuf messages, independent of the reader under test. */
record Message(List<Field> fields) {
    record Field(int number, long value, byte[] bytes) {
        Message message() {
            return of(bytes);
        }

        String text() {
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    static Message of(byte[] all) {
        var in = ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN);
        var fields = new ArrayList<Field>();
        while (in.hasRemaining()) {
            long tag = varint(in);
            long value = 0;
            var bytes = new byte[0];
            switch ((int) (tag & 7)) {
                case 0 -> value = varint(in);
                case 1 -> value = in.getLong();
                case 2 -> {
                    bytes = new byte[(int) varint(in)];
                    in.get(bytes);
                }
                case 5 -> value = in.getInt();
                default -> throw new AssertionError("wire type " + (tag & 7));
            }
            fields.add(new Field((int) (tag >> 3), value, bytes));
        }
        return new Message(fields);
    }

    private static long varint(ByteBuffer in) {
        long result = 0;
        int shift = 0;
        while (true) {
            byte b = in.get();
            result |= (b & 127L) << shift;
            if (b >= 0) return result;
            shift += 7;
        }
    }

    List<Field> all(int number) {
        return fields.stream().filter(f -> f.number() == number).toList();
    }

    Optional<Field> first(int number) {
        return all(number).stream().findFirst();
    }

    /** Whole numbers of a repeated field, packed or not. */
    long[] wholes(int number) {
        var out = new ArrayList<Long>();
        for (var field : all(number)) {
            if (field.bytes().length == 0) {
                out.add(field.value());
                continue;
            }
            var in = ByteBuffer.wrap(field.bytes());
            while (in.hasRemaining()) out.add(varint(in));
        }
        return out.stream().mapToLong(Long::longValue).toArray();
    }

    /** The elements of a TensorProto of ONNX's type {@code kind} as doubles; empty for others. */
    Optional<double[]> numbers(int kind) {
        var raw = first(9);
        if (raw.isPresent()) return raw(kind, raw.get().bytes());
        return switch (kind) {
            case 1 -> floats(4);
            case 11 -> doubles(10);
            case 2, 6, 9 -> Optional.of(Arrays.stream(wholes(5)).mapToDouble(n -> n).toArray());
            case 7 -> Optional.of(Arrays.stream(wholes(7)).mapToDouble(n -> n).toArray());
            case 10, 16 -> {
                var bits = wholes(5);
                var out = new double[bits.length];
                for (int i = 0; i < out.length; i++) out[i] = narrow(kind, (short) bits[i]);
                yield Optional.of(out);
            }
            default -> Optional.empty();
        };
    }

    private static double narrow(int kind, short bits) {
        return kind == 10 ? Float.float16ToFloat(bits) : Float.intBitsToFloat(bits << 16);
    }

    private static Optional<double[]> raw(int kind, byte[] bytes) {
        var in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int width =
                switch (kind) {
                    case 1, 6 -> 4;
                    case 2, 9 -> 1;
                    case 7, 11 -> 8;
                    case 10, 16 -> 2;
                    default -> 0;
                };
        if (width == 0) return Optional.empty();
        var out = new double[bytes.length / width];
        for (int i = 0; i < out.length; i++)
            out[i] =
                    switch (kind) {
                        case 1 -> in.getFloat();
                        case 2, 9 -> in.get() & 255;
                        case 6 -> in.getInt();
                        case 7 -> in.getLong();
                        case 11 -> in.getDouble();
                        default -> narrow(kind, in.getShort());
                    };
        return Optional.of(out);
    }

    private Optional<double[]> floats(int number) {
        var out = new ArrayList<Double>();
        for (var field : all(number)) {
            var in = ByteBuffer.wrap(field.bytes()).order(ByteOrder.LITTLE_ENDIAN);
            if (!in.hasRemaining()) out.add((double) Float.intBitsToFloat((int) field.value()));
            while (in.hasRemaining()) out.add((double) in.getFloat());
        }
        return Optional.of(out.stream().mapToDouble(x -> x).toArray());
    }

    private Optional<double[]> doubles(int number) {
        var out = new ArrayList<Double>();
        for (var field : all(number)) {
            var in = ByteBuffer.wrap(field.bytes()).order(ByteOrder.LITTLE_ENDIAN);
            if (!in.hasRemaining()) out.add(Double.longBitsToDouble(field.value()));
            while (in.hasRemaining()) out.add(in.getDouble());
        }
        return Optional.of(out.stream().mapToDouble(x -> x).toArray());
    }
}
