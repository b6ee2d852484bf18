package dev.ebb.cli;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;

/** Cuts and changes texts and files at random: other bytes, other numbers and types of values. */
public final class Changes {
    private static final Pattern VALUE =
            Pattern.compile("\"[^\"]*\"(?!\\s*:)|-?\\d[\\d.eE+-]*|true|false|null");
    private static final List<String> OTHERS =
            List.of(
                    "null",
                    "[]",
                    "{}",
                    "\"x\"",
                    "-1",
                    "0",
                    "1.5",
                    "1e400",
                    "2147483648",
                    "9223372036854775807",
                    "99999999999999999999",
                    "[".repeat(5000));

    private final Random random;

    public Changes(Random random) {
        this.random = random;
    }

    /** JSON with one change. */
    public String of(String text) {
        return switch (random.nextInt(4)) {
            case 0 -> text.substring(0, random.nextInt(text.length()));
            case 1 -> {
                var bytes = text.getBytes(StandardCharsets.ISO_8859_1);
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                yield new String(bytes, StandardCharsets.ISO_8859_1);
            }
            default -> {
                var places = VALUE.matcher(text).results().toList();
                var one = places.get(random.nextInt(places.size()));
                var by = OTHERS.get(random.nextInt(OTHERS.size()));
                yield text.substring(0, one.start()) + by + text.substring(one.end());
            }
        };
    }

    /** A file that is cut, or has one bit changed. */
    public byte[] of(byte[] good) {
        if (random.nextBoolean()) return Arrays.copyOf(good, random.nextInt(good.length));
        var bytes = good.clone();
        bytes[random.nextInt(good.length)] ^= (byte) (1 << random.nextInt(8));
        return bytes;
    }
}
