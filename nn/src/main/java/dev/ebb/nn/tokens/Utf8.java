package dev.ebb.nn.tokens;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Bytes as text. */
final class Utf8 {
    private Utf8() {}

    /** With a replacement character for each longest stretch that is no character. */
    static String lossy(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** The text, if the bytes are one. */
    static Optional<String> strict(byte[] bytes) {
        try {
            return Optional.of(
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
        } catch (CharacterCodingException _) {
            return Optional.empty();
        }
    }
}
