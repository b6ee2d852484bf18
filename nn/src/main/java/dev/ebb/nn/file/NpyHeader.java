package dev.ebb.nn.file;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.regex.Pattern;

/**
 * The header of a .npy file: a magic number, a length, and a Python dictionary of which only the
 * three keys that NumPy writes are supported.
 *
 * @param swapped whether the elements are big-endian
 * @param columns whether the first index runs fastest
 * @param start of the data
 */
record NpyHeader(Type type, boolean swapped, boolean columns, int start) {
    private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
    private static final Pattern DESCR = Pattern.compile("'descr'\\s*:\\s*'([<>|=])(\\w+)'");
    private static final Pattern ORDER = Pattern.compile("'fortran_order'\\s*:\\s*(True|False)");
    private static final Pattern SHAPE = Pattern.compile("'shape'\\s*:\\s*\\(([\\d,\\s]*)\\)");

    static NpyHeader read(String file, ByteBuffer bytes) throws FileFormatException {
        var in = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        if (in.remaining() < 10) throw new FileFormatException(file + ": truncated .npy header");
        for (byte m : MAGIC) {
            if (in.get() != m)
                throw new FileFormatException(file + ": not .npy: the magic number is missing");
        }
        int version = in.get();
        in.get();
        if (version < 1 || version > 3) {
            throw new FileFormatException(
                    file + ": .npy version " + version + " is unknown; 1 to 3 are known");
        }
        long length = version == 1 ? in.getShort() & 0xffff : remainingLength(file, in);
        if (length > in.remaining()) {
            throw new FileFormatException(
                    "%s: truncated: the header should have %s bytes, but %s are left"
                            .formatted(file, length, in.remaining()));
        }
        var text = new byte[(int) length];
        in.get(text);
        return parsed(file, new String(text, StandardCharsets.UTF_8), in.position());
    }

    private static long remainingLength(String file, ByteBuffer in) throws FileFormatException {
        if (in.remaining() < 4) throw new FileFormatException(file + ": truncated .npy header");
        return in.getInt() & 0xffffffffL;
    }

    private static NpyHeader parsed(String file, String text, int start)
            throws FileFormatException {
        var descr = DESCR.matcher(text);
        var order = ORDER.matcher(text);
        var shape = SHAPE.matcher(text);
        if (!descr.find() || !order.find() || !shape.find()) {
            throw new FileFormatException(
                    ("%s: the .npy header needs descr (a plain element type), fortran_order and"
                                    + " shape, but says %s")
                            .formatted(file, text.strip()));
        }
        var dtype = dtype(file, descr.group(2));
        boolean swapped = descr.group(1).equals(">") && dtype.bytes(1) > 1;
        var type = new Type(dtype, shape(file, shape.group(1)));
        return new NpyHeader(type, swapped, order.group(1).equals("True"), start);
    }

    private static Shape shape(String file, String text) throws FileFormatException {
        var dims = new ArrayList<Integer>();
        try {
            for (var part : text.split(",", -1))
                if (!part.isBlank()) dims.add(Integer.parseInt(part.strip()));
            return new Shape(dims);
        } catch (NumberFormatException | ShapeException e) {
            throw new FileFormatException(file + ": the shape (" + text + ") is too large");
        }
    }

    private static DType dtype(String file, String code) throws FileFormatException {
        return switch (code) {
            case "f4" -> DType.F32;
            case "f8" -> DType.F64;
            case "f2" -> DType.F16;
            case "i4" -> DType.I32;
            case "i8" -> DType.I64;
            case "u1" -> DType.U8;
            case "b1" -> DType.BOOL;
            default ->
                    throw new FileFormatException(
                            ("%s: elements of type %s are not held by Ebb; save them as f4, f8, f2,"
                                            + " i4, i8, u1 or b1")
                                    .formatted(file, code));
        };
    }

    /** The header of version 1 that NumPy writes for {@code type}. */
    static byte[] write(Type type) {
        var code =
                switch (type.dtype()) {
                    case F32 -> "<f4";
                    case F64 -> "<f8";
                    case F16 -> "<f2";
                    case I32 -> "<i4";
                    case I64 -> "<i8";
                    case U8 -> "|u1";
                    case BOOL -> "|b1";
                    case BF16, BIT ->
                            throw new IllegalArgumentException(
                                    "NumPy has no " + type.dtype() + "; cast it to f32 first");
                };
        var dims = new StringBuilder("(");
        for (int d : type.shape().dims()) dims.append(d).append(", ");
        if (type.shape().rank() == 1) dims.setLength(dims.length() - 1);
        else if (type.shape().rank() > 1) dims.setLength(dims.length() - 2);
        var text = "{'descr': '" + code + "', 'fortran_order': False, 'shape': " + dims + "), }";
        int padding = Math.floorMod(-(MAGIC.length + 4 + text.length() + 1), 64);
        var line = (text + " ".repeat(padding) + "\n").getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(MAGIC.length + 4 + line.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(MAGIC)
                .put((byte) 1)
                .put((byte) 0)
                .putShort((short) line.length)
                .put(line)
                .array();
    }
}
