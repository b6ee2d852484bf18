package dev.ebb.nn.tokens;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Maps bytes to printable characters, as in GPT-2. */
final class ByteLevel {
    private static final char[] SHOWN = new char[256];
    private static final int[] BYTES = new int[512];

    static {
        Arrays.fill(BYTES, -1);
        int other = 256;
        for (int b = 0; b < 256; b++) {
            boolean seen = (b > 32 && b < 127) || (b > 160 && b != 173);
            SHOWN[b] = (char) (seen ? b : other++);
            BYTES[SHOWN[b]] = b;
        }
    }

    private ByteLevel() {}

    static String shown(String text) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        var out = new char[bytes.length];
        for (int i = 0; i < out.length; i++) out[i] = SHOWN[bytes[i] & 0xff];
        return new String(out);
    }

    /** The text of tokens; a token with a character outside this mapping is taken literally. */
    static String text(List<String> tokens) {
        var bytes = new ByteArrayOutputStream();
        for (var token : tokens) bytes.writeBytes(bytes(token));
        return Utf8.lossy(bytes.toByteArray());
    }

    private static byte[] bytes(String token) {
        var bytes = new byte[token.length()];
        for (int i = 0; i < bytes.length; i++) {
            int c = token.charAt(i);
            int b = c < BYTES.length ? BYTES[c] : -1;
            if (b < 0) return token.getBytes(StandardCharsets.UTF_8);
            bytes[i] = (byte) b;
        }
        return bytes;
    }
}
