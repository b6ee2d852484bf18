package dev.ebb.nn.tokens;

import dev.ebb.nn.file.ConfigKeys;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.tokens.Split.Behaviour;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Splits a text into words; no token spans two words: {@code pre_tokenizer}. */
@FunctionalInterface
interface PreTokeniser {
    /** The pattern of GPT-2: contractions, words, numbers, other characters, white space. */
    Pattern GPT2 =
            Pattern.compile(
                    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+|"
                            + " ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
                    Pattern.UNICODE_CHARACTER_CLASS);

    Pattern WORDS = Pattern.compile("\\w+|[^\\w\\s]+", Pattern.UNICODE_CHARACTER_CLASS);

    /**
     * The words of a text.
     *
     * @param first whether the whole text starts with {@code text}
     */
    List<String> split(String text, boolean first);

    static PreTokeniser read(ConfigKeys keys) throws FileFormatException {
        var kind = TokenizerJson.kind(keys);
        PreTokeniser made =
                switch (kind) {
                    case "Sequence" -> {
                        var all = new ArrayList<PreTokeniser>();
                        for (var part : TokenizerJson.list(keys, "pretokenizers"))
                            all.add(read(part));
                        yield (text, first) -> sequence(all, text, first);
                    }
                    case "ByteLevel" -> byteLevel(keys);
                    case "Split" -> {
                        var pattern = TokenizerJson.pattern(keys, "pattern");
                        var behaviour = behaviour(keys, "Isolated");
                        boolean invert = keys.truth("invert").orElse(false);
                        yield (text, _) -> Split.by(pattern, invert, behaviour, text);
                    }
                    case "Whitespace" ->
                            (text, _) -> Split.by(WORDS, true, Behaviour.REMOVED, text);
                    case "WhitespaceSplit" ->
                            (text, _) -> Split.by(Unicode::isWhite, Behaviour.REMOVED, text);
                    case "BertPreTokenizer" ->
                            (text, _) ->
                                    Split.by(Unicode::isWhite, Behaviour.REMOVED, text).stream()
                                            .flatMap(
                                                    word ->
                                                            Split.by(
                                                                    Unicode::isPunctuation,
                                                                    Behaviour.ISOLATED,
                                                                    word)
                                                                    .stream())
                                            .toList();
                    case "Punctuation" -> {
                        var behaviour = behaviour(keys, "Isolated");
                        yield (text, _) -> Split.by(Unicode::isPunctuation, behaviour, text);
                    }
                    case "Digits" -> {
                        boolean single = keys.truth("individual_digits").orElse(false);
                        var how = single ? Behaviour.ISOLATED : Behaviour.CONTIGUOUS;
                        yield (text, _) -> Split.by(Unicode::isNumber, how, text);
                    }
                    case "CharDelimiterSplit" -> {
                        int delimiter = TokenizerJson.sign(keys, "delimiter").codePointAt(0);
                        yield (text, _) -> Split.by(c -> c == delimiter, Behaviour.REMOVED, text);
                    }
                    case "Metaspace" -> Metaspace.read(keys);
                    default ->
                            throw keys.unknown(
                                    "type",
                                    "known are Sequence, ByteLevel, Split, Whitespace,"
                                            + " WhitespaceSplit, BertPreTokenizer, Punctuation,"
                                            + " Digits, CharDelimiterSplit and Metaspace");
                };
        // offsets do not change the tokens
        keys.refuseOthers(Set.of("trim_offsets"));
        return made;
    }

    private static PreTokeniser byteLevel(ConfigKeys keys) throws FileFormatException {
        boolean space = keys.truth("add_prefix_space").orElse(true);
        boolean regex = keys.truth("use_regex").orElse(true);
        return (text, _) -> {
            var whole = space && !text.startsWith(" ") ? " " + text : text;
            var words = regex ? Split.by(GPT2, false, Behaviour.ISOLATED, whole) : List.of(whole);
            return words.stream().map(ByteLevel::shown).toList();
        };
    }

    private static List<String> sequence(List<PreTokeniser> all, String text, boolean first) {
        var pieces = List.of(text);
        for (var one : all) {
            var next = new ArrayList<String>();
            for (int i = 0; i < pieces.size(); i++) {
                for (var piece : one.split(pieces.get(i), first && i == 0))
                    if (!piece.isEmpty()) next.add(piece);
            }
            pieces = next;
        }
        return pieces;
    }

    private static Behaviour behaviour(ConfigKeys keys, String otherwise)
            throws FileFormatException {
        return switch (keys.text("behavior").orElse(otherwise)) {
            case "Removed" -> Behaviour.REMOVED;
            case "Isolated" -> Behaviour.ISOLATED;
            case "MergedWithPrevious" -> Behaviour.MERGED_WITH_PREVIOUS;
            case "MergedWithNext" -> Behaviour.MERGED_WITH_NEXT;
            case "Contiguous" -> Behaviour.CONTIGUOUS;
            default -> throw keys.unknown("behavior", "no such behaviour of a split is known");
        };
    }
}
