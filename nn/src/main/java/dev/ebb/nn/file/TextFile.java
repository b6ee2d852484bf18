package dev.ebb.nn.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads whole files of UTF-8; invalid bytes are refused with their position. */
public final class TextFile {
    /** The largest file that is read; a Java string can hold twice as much. */
    private static final long LARGEST = 1L << 30;

    private TextFile() {}

    public static String read(Path file) throws IOException {
        return read(file, LARGEST);
    }

    /** The text of a file of at most {@code most} bytes. */
    static String read(Path file, long most) throws IOException {
        if (Files.isDirectory(file))
            throw new FileFormatException(file, "this is a folder; name a file in it");
        long size = Files.size(file);
        if (size > most)
            throw new FileFormatException(
                    file, "it has " + size + " bytes, more than the " + most + " read at once");
        return decoded(file, Files.readAllBytes(file));
    }

    /** The text of a file's bytes. */
    public static String decoded(Path file, byte[] bytes) throws FileFormatException {
        var in = ByteBuffer.wrap(bytes);
        var out = CharBuffer.allocate(bytes.length);
        if (StandardCharsets.UTF_8.newDecoder().decode(in, out, true).isError())
            throw new FileFormatException(file, "not UTF-8: see the byte " + in.position());
        return out.flip().toString();
    }
}
