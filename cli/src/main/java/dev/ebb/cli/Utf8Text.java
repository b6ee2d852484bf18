package dev.ebb.cli;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Decodes UTF-8 text byte by byte; invalid bytes become replacement characters. */
final class Utf8Text {
    private final CharsetDecoder decoder =
            StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPLACE)
                    .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private final ByteBuffer bytes = ByteBuffer.allocate(8);

    /** The characters that this byte completes; none within a character. */
    String add(byte next) {
        bytes.put(next);
        return decoded(false);
    }

    /** The replacement characters for an incomplete character at the end. */
    String end() {
        return decoded(true);
    }

    private String decoded(boolean last) {
        var chars = CharBuffer.allocate(16);
        bytes.flip();
        decoder.decode(bytes, chars, last);
        if (last) decoder.flush(chars);
        bytes.compact();
        return chars.flip().toString();
    }
}
