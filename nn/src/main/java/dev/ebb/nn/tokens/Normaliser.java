package dev.ebb.nn.tokens;

import dev.ebb.nn.file.ConfigKeys;
import dev.ebb.nn.file.FileFormatException;

import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;

/** Normalises a text before it is split: {@code normalizer} in tokenizer.json. */
@FunctionalInterface
interface Normaliser {
    String apply(String text);

    static Normaliser read(ConfigKeys keys) throws FileFormatException {
        var kind = TokenizerJson.kind(keys);
        Normaliser made =
                switch (kind) {
                    case "Sequence" -> {
                        var all = new ArrayList<Normaliser>();
                        for (var part : TokenizerJson.list(keys, "normalizers"))
                            all.add(read(part));
                        yield text -> {
                            var now = text;
                            for (var one : all) now = one.apply(now);
                            return now;
                        };
                    }
                    case "NFC" -> text -> Normalizer.normalize(text, Normalizer.Form.NFC);
                    case "NFD" -> text -> Normalizer.normalize(text, Normalizer.Form.NFD);
                    case "NFKC" -> text -> Normalizer.normalize(text, Normalizer.Form.NFKC);
                    case "NFKD" -> text -> Normalizer.normalize(text, Normalizer.Form.NFKD);
                    case "Lowercase" -> Normaliser::lower;
                    case "StripAccents" -> text -> without(text, Unicode::isMark);
                    case "Strip" -> {
                        boolean left = keys.truth("strip_left").orElse(true);
                        boolean right = keys.truth("strip_right").orElse(true);
                        yield text -> Unicode.stripped(text, left, right);
                    }
                    case "Prepend" -> {
                        var start = TokenizerJson.required(keys, "prepend");
                        yield text -> text.isEmpty() ? text : start + text;
                    }
                    case "Replace" -> {
                        var pattern = TokenizerJson.pattern(keys, "pattern");
                        var by = TokenizerJson.required(keys, "content");
                        yield text ->
                                pattern.matcher(text).replaceAll(Matcher.quoteReplacement(by));
                    }
                    case "BertNormalizer" -> bert(keys);
                    default ->
                            throw keys.unknown(
                                    "type",
                                    "known are Sequence, NFC, NFD, NFKC, NFKD, Lowercase,"
                                            + " StripAccents, Strip, Prepend, Replace and"
                                            + " BertNormalizer");
                };
        keys.refuseOthers(Set.of());
        return made;
    }

    private static Normaliser bert(ConfigKeys keys) throws FileFormatException {
        boolean clean = keys.truth("clean_text").orElse(true);
        boolean chinese = keys.truth("handle_chinese_chars").orElse(true);
        boolean lower = keys.truth("lowercase").orElse(true);
        boolean accents = keys.truth("strip_accents").orElse(lower);
        return text -> {
            var now = clean ? cleaned(text) : text;
            if (chinese) now = apart(now);
            if (accents) {
                now =
                        without(
                                Normalizer.normalize(now, Normalizer.Form.NFD),
                                c -> Character.getType(c) == Character.NON_SPACING_MARK);
            }
            return lower ? lower(now) : now;
        };
    }

    /**
     * Lower case, character by character: a capital sigma is treated alike everywhere, also at the
     * end of a word.
     */
    private static String lower(String text) {
        var out = new StringBuilder(text.length());
        text.codePoints().forEach(c -> out.append(Character.toString(c).toLowerCase(Locale.ROOT)));
        return out.toString();
    }

    private static String without(String text, IntPredicate unwanted) {
        return text.codePoints()
                .filter(unwanted.negate())
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static String cleaned(String text) {
        var out = new StringBuilder(text.length());
        text.codePoints()
                .filter(c -> c != 0 && c != 0xfffd && !Unicode.isControl(c))
                .forEach(c -> out.appendCodePoint(Unicode.isWhite(c) ? ' ' : c));
        return out.toString();
    }

    private static String apart(String text) {
        var out = new StringBuilder(text.length());
        text.codePoints()
                .forEach(
                        c -> {
                            if (Unicode.isIdeograph(c))
                                out.append(' ').appendCodePoint(c).append(' ');
                            else out.appendCodePoint(c);
                        });
        return out.toString();
    }
}
