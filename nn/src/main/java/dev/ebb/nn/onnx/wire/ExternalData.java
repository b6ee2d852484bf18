package dev.ebb.nn.onnx.wire;

import dev.ebb.nn.file.FileFormatException;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

/**
 * The elements of a tensor that are stored outside the model's file: in another file, which must be
 * inside the model's folder, also after links are followed.
 *
 * @param model the model's file
 * @param tensor the tensor's name
 * @param entries the entries in the model's file: location, offset, length
 */
public record ExternalData(Path model, String tensor, Map<String, String> entries) {
    public ExternalData {
        entries = Map.copyOf(entries);
    }

    /** Reads a key and its value into {@code to}. */
    public static void entry(Protobuf in, Map<String, String> to) throws FileFormatException {
        var pair = new HashMap<Integer, String>();
        for (int field = in.next(); field != 0; field = in.next())
            if (field == 1 || field == 2) pair.put(field, in.text());
        to.put(pair.getOrDefault(1, ""), pair.getOrDefault(2, ""));
    }

    /** The bytes, mapped as long as the arena is open. */
    public MemorySegment bytes(Arena arena, long expected) throws FileFormatException {
        var file = file();
        long offset = number("offset", 0);
        try (var channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long length = number("length", Math.max(0, channel.size() - offset));
            if (length != expected)
                throw refused("has " + length + " bytes there, and its type takes " + expected);
            if (offset > channel.size() - length)
                throw refused(
                        "should lie at bytes "
                                + offset
                                + " to "
                                + (offset + length)
                                + " of "
                                + file.getFileName()
                                + ", which has "
                                + channel.size()
                                + "; fetch it again");
            if (length == 0) return MemorySegment.NULL;
            return channel.map(FileChannel.MapMode.READ_ONLY, offset, length, arena);
        } catch (FileFormatException e) {
            throw e;
        } catch (IOException e) {
            throw refused("lies in " + file + ", which cannot be read: " + e);
        }
    }

    private long number(String key, long otherwise) throws FileFormatException {
        var text = entries.get(key);
        if (text == null) return otherwise;
        try {
            long number = Long.parseLong(text);
            if (number >= 0) return number;
        } catch (NumberFormatException _) {
            // reported below
        }
        throw refused("has the " + key + " \"" + text + "\", which is no size");
    }

    private Path file() throws FileFormatException {
        var location = entries.getOrDefault("location", "");
        var folder = model.toAbsolutePath().resolveSibling(".").normalize();
        try {
            var file = folder.resolve(location).normalize();
            boolean within = !location.isEmpty() && file.startsWith(folder);
            if (within && !Path.of(location).isAbsolute() && isWithin(folder, file)) return file;
        } catch (InvalidPathException _) {
            // reported below
        }
        throw refused("lies in \"" + location + "\", which is not a file in the model's folder");
    }

    /**
     * A link may lead to the folder to which the model's own link leads, as in a download cache.
     */
    private boolean isWithin(Path folder, Path file) throws FileFormatException {
        try {
            var real = file.toRealPath();
            return real.startsWith(folder.toRealPath())
                    || real.startsWith(model.toRealPath().resolveSibling(".").normalize());
        } catch (IOException e) {
            throw refused("lies in " + file + ", which is missing or cannot be read");
        }
    }

    private FileFormatException refused(String why) {
        return new FileFormatException(model, "the tensor " + tensor + " " + why);
    }
}
