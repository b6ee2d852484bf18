package dev.ebb.nn.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads whole files of UTF-8; invalid bytes are refused with their position. */
public final class TextFile {
    /** The largest file that is read; a Java string can hold twice as much. */
    private static final long LARGEST = 1L << 30;

    private static final int CHUNK = 1 << 13;

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

    /**
     * Throws if the bytes of several files, concatenated, are not UTF-8; the error names the file.
     */
    public static void require(List<Path> files, byte[] bytes) throws IOException {
        long at = wrong(bytes);
        if (at < 0) return;
        for (var file : files) {
            long size = Files.size(file);
            if (at < size) throw notUtf8(file, at);
            at -= size;
        }
    }

    /** The text of a file's bytes. */
    public static String decoded(Path file, byte[] bytes) throws FileFormatException {
        long at = wrong(bytes);
        if (at >= 0) throw notUtf8(file, at);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** The position of the first byte that is not UTF-8, or -1. */
    private static long wrong(byte[] bytes) {
        var decoder = StandardCharsets.UTF_8.newDecoder();
        var in = ByteBuffer.wrap(bytes);
        var out = CharBuffer.allocate(CHUNK);
        while (true) {
            var result = decoder.decode(in, out.clear(), true);
            if (result.isUnderflow()) return -1;
            if (result.isError()) return in.position();
        }
    }

    private static FileFormatException notUtf8(Path file, long at) {
        return new FileFormatException(file, "not UTF-8: see the byte " + at);
    }
}
