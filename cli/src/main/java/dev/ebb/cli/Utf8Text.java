package dev.ebb.cli;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Text in UTF-8 that comes byte by byte; bytes that are none become replacement characters. */
final class Utf8Text {
    private final CharsetDecoder decoder =
            StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPLACE)
                    .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private final ByteBuffer bytes = ByteBuffer.allocate(8);

    /** The characters that this byte completes: often one, none within a character. */
    String after(byte next) {
        bytes.put(next);
        return decoded(false);
    }

    /** What an unfinished character becomes. */
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
