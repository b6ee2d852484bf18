package dev.ebb.nn.model;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Broken versions of a file: truncated, with other bytes, with other numbers and kinds of values.
 */
public final class Mutations {
    private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?([eE][-+]?\\d+)?");
    private static final Pattern VALUE =
            Pattern.compile("\"[^\"]*\"(?!\\s*:)|-?\\d[\\d.eE+-]*|true|false|null");
    private static final Pattern MEMBER =
            Pattern.compile("\"[^\"]*\"\\s*:\\s*(\"[^\"]*\"|-?\\d[\\d.eE+-]*|true|false|null)");
    private static final List<String> NUMBERS =
            List.of(
                    "0",
                    "-1",
                    "1.5",
                    "1e400",
                    "-1e-400",
                    "1000000",
                    "2147483647",
                    "2147483648",
                    "4294967297",
                    "9223372036854775807",
                    "99999999999999999999999");
    private static final List<String> KINDS =
            List.of(
                    "null",
                    "true",
                    "[]",
                    "{}",
                    "\"\"",
                    "\"x\"",
                    "-3",
                    "[null]",
                    "[[], 1]",
                    "{\"a\": {}}",
                    "\"../x\"",
                    "\"\\u0000\"",
                    "\"\\ud800\"");

    private final Random random;
    private final byte[] good;
    private final String text;
    private final Map<Pattern, List<MatchResult>> places = new HashMap<>();

    public Mutations(byte[] good, long seed) {
        this.good = good;
        text = new String(good, StandardCharsets.ISO_8859_1);
        random = new Random(seed);
    }

    public byte[] next() {
        return switch (random.nextInt(10)) {
            case 0 -> Arrays.copyOf(good, random.nextInt(good.length));
            case 1 -> overwritten(1 + random.nextInt(4), random::nextInt);
            case 2 ->
                    overwritten(
                            1 + random.nextInt(3),
                            () -> "09[]{},:\"-e\\".charAt(random.nextInt(12)));
            case 3 -> replaced(NUMBER, NUMBERS.get(random.nextInt(NUMBERS.size())));
            case 4 -> replaced(VALUE, KINDS.get(random.nextInt(KINDS.size())));
            case 5 -> replaced(MEMBER, "$0, $0");
            case 6 -> replaced(VALUE, "[".repeat(20_000));
            case 7 -> slice(2);
            case 8 -> slice(0);
            default -> extreme();
        };
    }

    /** Half of the places are near the start, where headers are. */
    private int place() {
        return random.nextInt(random.nextBoolean() ? Math.min(good.length, 400) : good.length);
    }

    private interface Bytes {
        int next();
    }

    private byte[] overwritten(int times, Bytes with) {
        var bytes = good.clone();
        for (int i = 0; i < times; i++) bytes[place()] = (byte) with.next();
        return bytes;
    }

    private byte[] replaced(Pattern what, String by) {
        var found = places.computeIfAbsent(what, p -> p.matcher(text).results().toList());
        if (found.isEmpty()) return overwritten(1, random::nextInt);
        MatchResult one =
                found.get(
                        random.nextInt(
                                random.nextBoolean() ? Math.min(found.size(), 40) : found.size()));
        var with = by.replace("$0", one.group());
        return (text.substring(0, one.start()) + with + text.substring(one.end()))
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    /** A part of the file left out, or written twice. */
    private byte[] slice(int times) {
        int from = place();
        int to = Math.min(good.length, from + 1 + random.nextInt(60));
        var out = new ByteArrayOutputStream();
        out.write(good, 0, from);
        for (int i = 0; i < times; i++) out.write(good, from, to - from);
        out.write(good, to, good.length - to);
        return out.toByteArray();
    }

    /** Eight bytes that are a very large number, or a negative one, in any order of bytes. */
    private byte[] extreme() {
        var bytes = good.clone();
        int from = place();
        int to = Math.min(bytes.length, from + 1 + random.nextInt(8));
        Arrays.fill(bytes, from, to, (byte) (random.nextBoolean() ? 0xff : 0x7f));
        return bytes;
    }
}
