package dev.ebb.nn.tokens;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Decodes UTF-8. */
final class Utf8 {
    private Utf8() {}

    /** Replaces each longest invalid sequence by a replacement character. */
    static String lossy(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** The text, if the bytes are valid UTF-8. */
    static Optional<String> strict(byte[] bytes) {
        try {
            return Optional.of(
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
        } catch (CharacterCodingException _) {
            return Optional.empty();
        }
    }
}
