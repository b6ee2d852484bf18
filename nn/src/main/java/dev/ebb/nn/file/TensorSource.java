package dev.ebb.nn.file;

import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Named tensors in one file, or in several files with an index. */
public sealed interface TensorSource extends AutoCloseable permits Safetensors, ShardedSafetensors {

    /** Opens a .safetensors file, or the .index.json that names the files of a sharded one. */
    static TensorSource open(Path file) throws IOException {
        return ShardedSafetensors.isIndex(file)
                ? ShardedSafetensors.open(file)
                : Safetensors.open(file);
    }

    /** The file that was opened. */
    Path file();

    /** The names of all tensors, in the order of the file or the index. */
    Set<String> names();

    default boolean has(String name) {
        return names().contains(name);
    }

    /** The metadata of the file. */
    Map<String, String> metadata();

    /** The stored type of a tensor; empty if there is no tensor of that name. */
    Optional<Type> type(String name) throws FileFormatException;

    /** A copy of a tensor in its stored type. */
    Array read(String name) throws FileFormatException;

    /** A tensor that must have the shape of {@code expected}; floats are converted to its type. */
    default Array read(String name, Type expected) throws FileFormatException {
        require(name, expected);
        var stored = read(name);
        if (stored.dtype() == expected.dtype()) return stored;
        return Array.make(
                expected,
                b -> {
                    for (long i = 0; i < expected.size(); i++) b.set(i, stored.data().get(i));
                });
    }

    /** Throws if a tensor cannot be read as {@code expected}; does not read its data. */
    default void require(String name, Type expected) throws FileFormatException {
        var stored =
                type(name)
                        .orElseThrow(
                                () ->
                                        new FileFormatException(
                                                file(),
                                                "the tensor %s is missing, expected as %s; the file has %s"
                                                        .formatted(
                                                                name,
                                                                expected,
                                                                NameList.sample(names()))));
        boolean alike = stored.dtype() == expected.dtype();
        boolean floats = stored.dtype().isFloat() && expected.dtype().isFloat();
        if (stored.shape().equals(expected.shape()) && (alike || floats)) return;
        throw new FileFormatException(
                file(),
                "the tensor %s is %s, but %s%s"
                        .formatted(
                                name,
                                stored,
                                expected,
                                stored.shape().equals(expected.shape())
                                        ? " is expected; save it as that type"
                                        : " is expected; was the file made for another model"
                                                + " size?"));
    }

    @Override
    void close();
}
