package dev.ebb.reference;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** A safetensors file and the JSON file beside it, from this folder of the test resources. */
public final class Tensorfile {
    private final Json description;
    private final Json header;
    private final byte[] data;
    private final int start;

    private Tensorfile(Json description, byte[] data) {
        this.description = description;
        this.data = data;
        var bytes = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
        int length = Math.toIntExact(bytes.getLong());
        header = Json.parse(new String(data, 8, length, StandardCharsets.UTF_8));
        start = 8 + length;
    }

    /** The files called {@code name}. */
    public static Tensorfile of(String name) {
        var json = new String(read(name + ".json"), StandardCharsets.UTF_8);
        return new Tensorfile(Json.parse(json), read(name + ".safetensors"));
    }

    private static byte[] read(String file) {
        try (var in = Tensorfile.class.getResourceAsStream(file)) {
            if (in == null) throw new IllegalArgumentException("no test resource " + file);
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the JSON file says. */
    public Json description() {
        return description;
    }

    public Set<String> names() {
        return header.members().keySet();
    }

    public boolean has(String name) {
        return header.members().containsKey(name);
    }

    /** A tensor as it is stored. */
    public Array tensor(String name) {
        var entry = header.at(name);
        var type = new Type(dtype(entry.at("dtype").text()), shape(entry.at("shape")));
        int from = start + (int) entry.at("data_offsets").items().getFirst().number();
        var bytes = MemorySegment.ofArray(data).asSlice(from, type.bytes());
        return Array.copy(type.shape(), new Buffer(type.dtype(), type.size(), bytes));
    }

    /** A tensor with its floats rounded to {@code floats}; integers and truth values as stored. */
    public Array tensor(String name, DType floats) {
        var stored = tensor(name);
        if (!stored.dtype().isFloat() || stored.dtype() == floats) return stored;
        return Array.of(stored.type().with(floats), stored.toDoubles());
    }

    private static Shape shape(Json dims) {
        return new Shape(dims.items().stream().map(d -> (int) d.number()).toList());
    }

    private static DType dtype(String label) {
        return switch (label) {
            case "F64" -> DType.F64;
            case "F32" -> DType.F32;
            case "I64" -> DType.I64;
            case "BOOL" -> DType.BOOL;
            default -> throw new IllegalArgumentException("tensors of " + label);
        };
    }
}
