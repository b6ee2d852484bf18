package dev.ebb.nn.file;

import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/**
 * Tensors in several safetensors files with an index, {@code model.safetensors.index.json}, whose
 * {@code weight_map} names the file of each tensor. Index and files must agree on every tensor.
 */
public final class ShardedSafetensors implements TensorSource {
    private static final String SUFFIX = ".safetensors.index.json";
    private static final String MAP = "weight_map";

    private final Path index;
    private final SequencedMap<String, Safetensors> places;

    private ShardedSafetensors(Path index, SequencedMap<String, Safetensors> places) {
        this.index = index;
        this.places = Collections.unmodifiableSequencedMap(places);
    }

    /** Whether a file is such an index, judging by its name. */
    public static boolean isIndex(Path file) {
        return file.toString().endsWith(SUFFIX);
    }

    public static ShardedSafetensors open(Path index) throws IOException {
        var files = new LinkedHashMap<String, Safetensors>();
        try {
            var places = new LinkedHashMap<String, Safetensors>();
            for (var row : map(index).entrySet()) {
                var name = row.getKey();
                var shard = row.getValue().text().orElseThrow(() -> misplaced(index, name));
                if (!files.containsKey(shard)) files.put(shard, shard(index, name, shard));
                places.put(name, Optional.ofNullable(files.get(shard)).orElseThrow());
            }
            for (var place : places.entrySet()) {
                if (place.getValue().has(place.getKey())) continue;
                throw new FileFormatException(
                        place.getValue().file(),
                        "there is no tensor " + place.getKey() + ", which " + index + " has here");
            }
            for (var file : files.values()) requireMapped(index, file, places);
            return new ShardedSafetensors(index, places);
        } catch (IOException | RuntimeException e) {
            files.values().forEach(Safetensors::close);
            throw e;
        }
    }

    private static SequencedMap<String, Json> map(Path index) throws IOException {
        if (Json.read(index).at(MAP).orElse(new Json.Nothing()) instanceof Json.Obj(var members))
            return members;
        throw new FileFormatException(
                index, "an index has a " + MAP + " of tensors to files; this one has none");
    }

    /** Opens a shard, which must be a plain file name: an index must not lead to other folders. */
    private static Safetensors shard(Path index, String tensor, String shard) throws IOException {
        var file = beside(index, tensor, shard);
        try {
            return Safetensors.open(file);
        } catch (FileSystemException e) {
            throw new FileFormatException(
                    index,
                    "%s: this shard is missing or cannot be opened; it should hold the tensor %s"
                            .formatted(file.getFileName(), tensor),
                    e);
        }
    }

    private static Path beside(Path index, String tensor, String shard) throws FileFormatException {
        if (!shard.endsWith(".safetensors") || shard.contains("/") || shard.contains("\\"))
            throw misplaced(index, tensor);
        try {
            return index.resolveSibling(shard);
        } catch (InvalidPathException _) {
            throw misplaced(index, tensor);
        }
    }

    private static void requireMapped(Path index, Safetensors file, Map<String, Safetensors> places)
            throws FileFormatException {
        for (var name : file.names()) {
            if (places.get(name) == file) continue;
            throw new FileFormatException(
                    file.file(),
                    "the tensor " + name + " is here, but " + index + " does not say so");
        }
    }

    private static FileFormatException misplaced(Path index, String tensor) {
        return new FileFormatException(
                index, MAP + " should name a .safetensors file beside it for the tensor " + tensor);
    }

    @Override
    public Path file() {
        return index;
    }

    @Override
    public Set<String> names() {
        return places.keySet();
    }

    /** Empty: each shard has its own metadata. */
    @Override
    public Map<String, String> metadata() {
        return Map.of();
    }

    @Override
    public Optional<Type> type(String name) throws FileFormatException {
        var file = places.get(name);
        return file == null ? Optional.empty() : file.type(name);
    }

    @Override
    public Array read(String name) throws FileFormatException {
        var file = places.get(name);
        if (file == null) {
            throw new FileFormatException(
                    index, "there is no tensor " + name + "; it has " + NameList.sample(names()));
        }
        return file.read(name);
    }

    @Override
    public void close() {
        places.values().stream().distinct().forEach(Safetensors::close);
    }
}
