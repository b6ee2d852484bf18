package dev.ebb.nn.tokens;

import dev.ebb.nn.file.ConfigKeys;
import dev.ebb.nn.file.FileFormatException;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Converts the texts of tokens to the text that they represent: {@code decoder}. */
@FunctionalInterface
interface Decoder {
    Pattern BYTE = Pattern.compile("<0x([0-9A-Fa-f]{2})>");

    List<String> apply(List<String> tokens);

    static Decoder read(ConfigKeys keys) throws FileFormatException {
        var kind = TokenizerJson.kind(keys);
        Decoder made =
                switch (kind) {
                    case "Sequence" -> {
                        var all = new ArrayList<Decoder>();
                        for (var part : TokenizerJson.list(keys, "decoders")) all.add(read(part));
                        yield tokens -> {
                            var now = tokens;
                            for (var one : all) now = one.apply(now);
                            return now;
                        };
                    }
                    case "ByteLevel" -> {
                        keys.truth("add_prefix_space");
                        keys.truth("use_regex");
                        yield tokens -> List.of(ByteLevel.text(tokens));
                    }
                    case "ByteFallback" -> Decoder::bytes;
                    case "Fuse" -> tokens -> List.of(String.join("", tokens));
                    case "Metaspace" -> {
                        var signs = Metaspace.read(keys);
                        yield tokens ->
                                IntStream.range(0, tokens.size())
                                        .mapToObj(i -> signs.spaces(tokens.get(i), i == 0))
                                        .toList();
                    }
                    case "WordPiece" -> wordPiece(keys);
                    case "BPEDecoder" -> {
                        var suffix = keys.text("suffix").orElse("</w>");
                        yield tokens ->
                                IntStream.range(0, tokens.size())
                                        .mapToObj(
                                                i ->
                                                        tokens.get(i)
                                                                .replace(
                                                                        suffix,
                                                                        i == tokens.size() - 1
                                                                                ? ""
                                                                                : " "))
                                        .toList();
                    }
                    case "Strip" -> {
                        var sign = TokenizerJson.sign(keys, "content");
                        int start = count(keys, "start");
                        int stop = count(keys, "stop");
                        yield tokens ->
                                tokens.stream().map(t -> stripped(t, sign, start, stop)).toList();
                    }
                    case "Replace" -> {
                        var pattern = TokenizerJson.pattern(keys, "pattern");
                        var by = Matcher.quoteReplacement(TokenizerJson.required(keys, "content"));
                        yield tokens ->
                                tokens.stream()
                                        .map(t -> pattern.matcher(t).replaceAll(by))
                                        .toList();
                    }
                    default ->
                            throw keys.unknown(
                                    "type",
                                    "known are Sequence, ByteLevel, ByteFallback, Fuse, Metaspace,"
                                            + " WordPiece, BPEDecoder, Strip and Replace");
                };
        keys.refuseOthers(Set.of("trim_offsets"));
        return made;
    }

    private static int count(ConfigKeys keys, String key) throws FileFormatException {
        var n = keys.number(key).orElse(0.0);
        if (n >= 0 && n <= Integer.MAX_VALUE) return n.intValue();
        throw keys.unknown(key, "a number from 0 on is expected");
    }

    private static String stripped(String token, String sign, int start, int stop) {
        var text = token;
        for (int i = 0; i < start && text.startsWith(sign); i++)
            text = text.substring(sign.length());
        for (int i = 0; i < stop && text.endsWith(sign); i++)
            text = text.substring(0, text.length() - sign.length());
        return text;
    }

    /**
     * Consecutive byte tokens are decoded together; if they are invalid, each becomes a replacement
     * character.
     */
    private static List<String> bytes(List<String> tokens) {
        var out = new ArrayList<String>();
        var some = new ByteArrayOutputStream();
        for (var token : tokens) {
            var one = BYTE.matcher(token);
            if (one.matches()) {
                some.write(Integer.parseInt(one.group(1), 16));
            } else {
                flush(some, out);
                out.add(token);
            }
        }
        flush(some, out);
        return out;
    }

    private static void flush(ByteArrayOutputStream some, List<String> out) {
        if (some.size() == 0) return;
        out.add(Utf8.strict(some.toByteArray()).orElse("\ufffd".repeat(some.size())));
        some.reset();
    }

    private static Decoder wordPiece(ConfigKeys keys) throws FileFormatException {
        var prefix = keys.text("prefix").orElse("##");
        boolean tidy = keys.truth("cleanup").orElse(true);
        return tokens -> {
            var out = new ArrayList<String>();
            for (int i = 0; i < tokens.size(); i++) {
                var token = tokens.get(i);
                if (i > 0)
                    token =
                            token.startsWith(prefix)
                                    ? token.substring(prefix.length())
                                    : " " + token;
                out.add(tidy ? tidied(token) : token);
            }
            return out;
        };
    }

    /** Removes spaces before punctuation and English contractions. */
    private static String tidied(String text) {
        return text.replace(" .", ".")
                .replace(" ?", "?")
                .replace(" !", "!")
                .replace(" ,", ",")
                .replace(" ' ", "'")
                .replace(" n't", "n't")
                .replace(" 'm", "'m")
                .replace(" do not", " don't")
                .replace(" 's", "'s")
                .replace(" 've", "'ve")
                .replace(" 're", "'re");
    }
}
