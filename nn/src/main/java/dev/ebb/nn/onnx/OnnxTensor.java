package dev.ebb.nn.onnx;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.onnx.wire.ElementKind;
import dev.ebb.nn.onnx.wire.ExternalData;
import dev.ebb.nn.onnx.wire.Protobuf;
import dev.ebb.nn.onnx.wire.Protobuf.Longs;
import dev.ebb.tensor.Array;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Optional;

/**
 * A tensor in a model: an initialiser, or the value of an attribute.
 *
 * @param data a copy of its elements
 */
record OnnxTensor(String name, Array data) {
    /** Signed bytes, which Ebb does not support: they become i32. */
    private static final int SIGNED_BYTE = 3;

    static OnnxTensor read(Path file, Protobuf in) throws FileFormatException {
        var dims = new Longs();
        var words = new Longs();
        Optional<MemorySegment> raw = Optional.empty();
        long kind = 0;
        var name = "";
        var entries = new HashMap<String, String>();
        boolean external = false;
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1 -> in.wholes(dims);
                case 2 -> kind = in.whole();
                case 4 -> in.floats(words);
                case 5, 7, 11 -> in.wholes(words);
                case 8 -> name = in.text();
                case 9 -> raw = Optional.of(in.bytes());
                case 10 -> in.doubles(words);
                case 13 -> ExternalData.entry(in.inside(), entries);
                case 14 -> external |= in.whole() == 1;
                default -> {}
            }
        }
        boolean signedByte = kind == SIGNED_BYTE;
        var type =
                new Type(signedByte ? DType.I32 : held(file, name, kind), shape(file, name, dims));
        if (external) {
            try (var arena = Arena.ofConfined()) {
                long bytes = signedByte ? type.size() : type.bytes();
                var beside = new ExternalData(file, name, entries).bytes(arena, bytes);
                return new OnnxTensor(name, raw(file, name, type, signedByte, beside));
            }
        }
        return new OnnxTensor(
                name,
                raw.isEmpty()
                        ? made(file, name, type, words)
                        : raw(file, name, type, signedByte, raw.get()));
    }

    private static Array raw(
            Path file, String name, Type type, boolean signedByte, MemorySegment bytes)
            throws FileFormatException {
        return signedByte ? widened(file, name, type, bytes) : copied(file, name, type, bytes);
    }

    private static DType held(Path file, String name, long kind) throws FileFormatException {
        var dtype = ElementKind.dtype(kind);
        if (dtype.isPresent()) return dtype.get();
        throw new FileFormatException(
                file,
                "the tensor %s is of ONNX's element type %s, which Ebb does not hold"
                        .formatted(name, kind));
    }

    private static Shape shape(Path file, String name, Longs dims) throws FileFormatException {
        var all = new ArrayList<Integer>();
        for (int i = 0; i < dims.size(); i++) {
            long d = dims.get(i);
            if (d < 0 || d > Integer.MAX_VALUE)
                throw new FileFormatException(file, "the tensor " + name + " has an axis of " + d);
            all.add((int) d);
        }
        try {
            return new Shape(all);
        } catch (ShapeException e) {
            throw new FileFormatException(file, "the tensor " + name + ": " + e.getMessage(), e);
        }
    }

    private static Array widened(Path file, String name, Type type, MemorySegment raw)
            throws FileFormatException {
        requireBytes(file, name, type, raw, type.size());
        return Array.make(
                type,
                b -> {
                    for (long i = 0; i < type.size(); i++)
                        b.setLong(i, raw.get(ValueLayout.JAVA_BYTE, i));
                });
    }

    private static void requireBytes(
            Path file, String name, Type type, MemorySegment raw, long bytes)
            throws FileFormatException {
        if (raw.byteSize() == bytes) return;
        throw new FileFormatException(
                file,
                "the tensor %s has %s bytes, but %s takes %s"
                        .formatted(name, raw.byteSize(), type, bytes));
    }

    private static Array copied(Path file, String name, Type type, MemorySegment raw)
            throws FileFormatException {
        requireBytes(file, name, type, raw, type.bytes());
        return Array.make(type, b -> MemorySegment.copy(raw, 0, b.segment(), 0, type.bytes()));
    }

    private static Array made(Path file, String name, Type type, Longs words)
            throws FileFormatException {
        if (words.size() != type.size()) {
            throw new FileFormatException(
                    file,
                    "the tensor %s has %s elements, but %s has %s"
                            .formatted(name, words.size(), type, type.size()));
        }
        return Array.make(
                type,
                b -> {
                    for (int i = 0; i < words.size(); i++) {
                        switch (type.dtype()) {
                            case F32 -> b.set(i, Float.intBitsToFloat((int) words.get(i)));
                            case F64 -> b.set(i, Double.longBitsToDouble(words.get(i)));
                            case F16 -> b.set(i, Float.float16ToFloat((short) words.get(i)));
                            case BF16 -> b.set(i, Float.intBitsToFloat((int) words.get(i) << 16));
                            case I32, I64, U8, BOOL, BIT -> b.setLong(i, words.get(i));
                        }
                    }
                });
    }
}
