package dev.ebb.nn.file;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/**
 * A safetensors file, memory-mapped: opening reads only the header, and a tensor's bytes are read
 * when the tensor is. Everything in the header is checked against the file before it is used.
 */
public final class Safetensors implements TensorSource {
    private final Path file;
    private final SafetensorsHeader header;
    private final MemorySegment data;
    private final Arena arena;

    private Safetensors(Path file, SafetensorsHeader header, MemorySegment data, Arena arena) {
        this.file = file;
        this.header = header;
        this.data = data;
        this.arena = arena;
    }

    public static Safetensors open(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new FileFormatException(
                    file, "this is a folder; name the .safetensors file in it");
        }
        var arena = Arena.ofShared();
        try (var channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            var all =
                    size == 0
                            ? MemorySegment.NULL
                            : channel.map(FileChannel.MapMode.READ_ONLY, 0, size, arena);
            var header = SafetensorsHeader.read(file, all, size);
            return new Safetensors(file, header, all.asSlice(header.start()), arena);
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    /** Writes tensors in the order of the map, atomically. */
    public static void write(
            Path file, SequencedMap<String, Array> tensors, Map<String, String> metadata)
            throws IOException {
        write(file, LazyTensor.of(tensors), metadata);
    }

    /** Writes tensors in the order of the list, one after the other, atomically. */
    public static void write(Path file, List<LazyTensor> tensors, Map<String, String> metadata)
            throws IOException {
        SafetensorsWriter.write(file, tensors, metadata);
    }

    /** Writes tensors to a stream, in the order of the list, one after the other. */
    public static void write(
            OutputStream out, List<LazyTensor> tensors, Map<String, String> metadata)
            throws IOException {
        SafetensorsWriter.write(out, tensors, metadata);
    }

    /** All tensors as stored, each read when its data is requested. */
    public List<LazyTensor> supplies() throws FileFormatException {
        var all = new ArrayList<LazyTensor>();
        for (var stored : header.entries().entrySet()) {
            var type = stored.getValue().type(file, stored.getKey());
            long from = stored.getValue().from();
            all.add(new LazyTensor(stored.getKey(), type, () -> copy(from, type)));
        }
        return all;
    }

    private Array copy(long from, Type type) {
        var bytes = data.asSlice(from, type.bytes());
        return Array.copy(type.shape(), new Buffer(type.dtype(), type.size(), bytes));
    }

    @Override
    public Path file() {
        return file;
    }

    @Override
    public Set<String> names() {
        return header.entries().keySet();
    }

    @Override
    public Map<String, String> metadata() {
        return header.metadata();
    }

    @Override
    public Optional<Type> type(String name) throws FileFormatException {
        var entry = header.entries().get(name);
        return entry == null ? Optional.empty() : Optional.of(entry.type(file, name));
    }

    @Override
    public Array read(String name) throws FileFormatException {
        var entry = header.entries().get(name);
        if (entry == null) {
            throw new FileFormatException(
                    file, "there is no tensor " + name + "; it has " + NameList.sample(names()));
        }
        return copy(entry.from(), entry.type(file, name));
    }

    @Override
    public void close() {
        arena.close();
    }

    /**
     * The name of an element type in the format; empty for a type that the format does not have.
     */
    static Optional<String> label(DType dtype) {
        return switch (dtype) {
            case F32 -> Optional.of("F32");
            case F64 -> Optional.of("F64");
            case BF16 -> Optional.of("BF16");
            case F16 -> Optional.of("F16");
            case I32 -> Optional.of("I32");
            case I64 -> Optional.of("I64");
            case U8 -> Optional.of("U8");
            case BOOL -> Optional.of("BOOL");
            case BIT -> Optional.empty();
        };
    }
}
