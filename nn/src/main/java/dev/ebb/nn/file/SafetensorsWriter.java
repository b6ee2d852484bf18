package dev.ebb.nn.file;

import dev.ebb.tensor.Array;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes safetensors: the header, padded to a multiple of eight bytes, then the data. */
final class SafetensorsWriter {
    private static final int CHUNK = 1 << 16;

    private SafetensorsWriter() {}

    static void write(Path file, List<LazyTensor> tensors, Map<String, String> metadata)
            throws IOException {
        AtomicFile.write(file, out -> write(out, tensors, metadata));
    }

    static void write(OutputStream out, List<LazyTensor> tensors, Map<String, String> metadata)
            throws IOException {
        var header = header(tensors, metadata);
        var length = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        out.write(length.putLong(header.length).array());
        out.write(header);
        for (var tensor : tensors) bytes(data(tensor), out);
    }

    private static Array data(LazyTensor tensor) {
        var data = tensor.data().get();
        if (data.type().equals(tensor.type())) return data;
        throw new IllegalArgumentException(
                tensor.name() + " was to be " + tensor.type() + " and came as " + data.type());
    }

    private static byte[] header(List<LazyTensor> tensors, Map<String, String> metadata) {
        var members = new LinkedHashMap<String, Json>();
        if (!metadata.isEmpty()) {
            var notes = new LinkedHashMap<String, Json>();
            metadata.forEach((k, v) -> notes.put(k, Json.of(v)));
            members.put("__metadata__", Json.of(notes));
        }
        long at = 0;
        for (var tensor : tensors) {
            var type = tensor.type();
            var label =
                    Safetensors.label(type.dtype())
                            .orElseThrow(
                                    () ->
                                            new IllegalArgumentException(
                                                    "%s is %s, which safetensors cannot hold; cast it"
                                                            .formatted(tensor.name(), type)));
            long end = Math.addExact(at, type.bytes());
            var entry = new LinkedHashMap<String, Json>();
            entry.put("dtype", Json.of(label));
            var dims = type.shape().dims().stream().map(d -> Json.of((long) d)).toList();
            entry.put("shape", Json.of(dims));
            entry.put("data_offsets", Json.of(List.of(Json.of(at), Json.of(end))));
            if (members.put(tensor.name(), Json.of(entry)) != null)
                throw new IllegalArgumentException("two tensors are called " + tensor.name());
            at = end;
        }
        var text = Json.of(members).toString();
        int length = text.getBytes(StandardCharsets.UTF_8).length;
        return (text + " ".repeat(Math.floorMod(-length, 8))).getBytes(StandardCharsets.UTF_8);
    }

    /** Writes the bytes of the elements, little-endian as in memory, through a small buffer. */
    static void bytes(Array tensor, OutputStream out) throws IOException {
        var from = tensor.data().segment();
        var chunk = new byte[CHUNK];
        long size = tensor.type().bytes();
        for (long at = 0; at < size; at += CHUNK) {
            int n = (int) Math.min(CHUNK, size - at);
            MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at, chunk, 0, n);
            out.write(chunk, 0, n);
        }
    }
}
