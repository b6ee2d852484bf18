package dev.ebb.nn.file;

import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;

import java.io.EOFException;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/** Reads and writes NumPy's files: .npy for one array, .npz for several by name. */
public final class Npy {
    private static final String SUFFIX = ".npy";

    /** The most bytes that one compressed byte can expand to in a zip file. */
    private static final int MOST_UNPACKED = 1032;

    private Npy() {}

    public static Array read(Path file) throws IOException {
        if (Files.size(file) > Integer.MAX_VALUE - 8)
            throw new FileFormatException(file, "more than 2 GiB; save it as .safetensors");
        return parse(file.toString(), Files.readAllBytes(file));
    }

    public static void write(Path file, Array array) throws IOException {
        var header = NpyHeader.write(array.type());
        AtomicFile.write(
                file,
                out -> {
                    out.write(header);
                    SafetensorsWriter.bytes(array, out);
                });
    }

    /** All arrays of a .npz file, by name, in the order of the file. */
    public static SequencedMap<String, Array> readAll(Path file) throws IOException {
        var arrays = new LinkedHashMap<String, Array>();
        try (var zip = new ZipFile(file.toFile())) {
            for (var entry : zip.stream().toList()) {
                var name = entry.getName();
                if (!name.endsWith(SUFFIX)) continue;
                var array = parse(file + ": " + name, unpacked(file, zip, entry));
                if (arrays.put(name.substring(0, name.length() - SUFFIX.length()), array) != null)
                    throw new FileFormatException(file, name + " is there twice");
            }
        } catch (ZipException | EOFException e) {
            throw new FileFormatException(file, "not .npz, or truncated: " + e.getMessage(), e);
        }
        return arrays;
    }

    /**
     * The bytes of an entry: as many as it declares, and no more than its compressed bytes can
     * expand to.
     */
    private static byte[] unpacked(Path file, ZipFile zip, ZipEntry entry) throws IOException {
        long size = entry.getSize();
        long most = Math.min(Files.size(file), entry.getCompressedSize()) * MOST_UNPACKED;
        if (size < 0 || size > Math.min(most, Integer.MAX_VALUE - 8))
            throw new FileFormatException(
                    file,
                    "%s should have %s bytes, which %s packed ones cannot hold, or a Java array"
                            .formatted(entry.getName(), size, entry.getCompressedSize()));
        try (var in = zip.getInputStream(entry)) {
            var bytes = in.readNBytes((int) size);
            if (bytes.length == size && in.read() < 0) return bytes;
            throw new FileFormatException(
                    file, entry.getName() + " has not the " + size + " bytes that it should have");
        }
    }

    public static void writeAll(Path file, SequencedMap<String, Array> arrays) throws IOException {
        AtomicFile.write(
                file,
                out -> {
                    var zip = new ZipOutputStream(unclosed(out));
                    for (var e : arrays.entrySet()) {
                        var entry = new ZipEntry(e.getKey() + SUFFIX);
                        entry.setTime(0);
                        zip.putNextEntry(entry);
                        zip.write(NpyHeader.write(e.getValue().type()));
                        SafetensorsWriter.bytes(e.getValue(), zip);
                        zip.closeEntry();
                    }
                    zip.finish();
                });
    }

    private static OutputStream unclosed(OutputStream out) {
        return new FilterOutputStream(out) {
            @Override
            public void write(byte[] b, int from, int n) throws IOException {
                out.write(b, from, n);
            }

            @Override
            public void close() throws IOException {
                flush();
            }
        };
    }

    private static Array parse(String file, byte[] bytes) throws FileFormatException {
        var header = NpyHeader.read(file, ByteBuffer.wrap(bytes));
        var type = header.type();
        long left = (long) bytes.length - header.start();
        if (left != type.bytes()) {
            throw new FileFormatException(
                    file
                            + (left < type.bytes() ? ": truncated: " : ": ")
                            + type
                            + " takes "
                            + type.bytes()
                            + " bytes, but "
                            + left
                            + " follow the header");
        }
        if (header.swapped()) swap(bytes, header.start(), (int) type.dtype().bytes(1));
        var from = MemorySegment.ofArray(bytes).asSlice(header.start());
        if (!header.columns() || type.shape().rank() < 2)
            return Array.make(type, b -> MemorySegment.copy(from, 0, b.segment(), 0, type.bytes()));
        return byRows(type, from);
    }

    private static void swap(byte[] bytes, int start, int width) {
        for (int at = start; at < bytes.length; at += width) {
            for (int i = 0; i < width / 2; i++) {
                byte b = bytes[at + i];
                bytes[at + i] = bytes[at + width - 1 - i];
                bytes[at + width - 1 - i] = b;
            }
        }
    }

    /** Converts an array in column-major order (first index fastest) to row-major order. */
    private static Array byRows(Type type, MemorySegment from) {
        long width = type.dtype().bytes(1);
        return Array.make(
                type,
                b -> {
                    for (long i = 0; i < type.size(); i++) {
                        long source = columnMajor(type.shape(), i);
                        MemorySegment.copy(from, source * width, b.segment(), i * width, width);
                    }
                });
    }

    private static long columnMajor(Shape shape, long rowMajor) {
        long left = rowMajor;
        long stride = shape.size();
        long at = 0;
        for (int axis = shape.rank() - 1; axis >= 0; axis--) {
            int dim = shape.dim(axis);
            stride /= dim;
            at += left % dim * stride;
            left /= dim;
        }
        return at;
    }
}
