package dev.ebb.nn.tokens;

import dev.ebb.nn.file.ConfigKeys;
import dev.ebb.nn.file.FileFormatException;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Tokens that are found in a text before it is split into words. Some are searched in the original
 * text, the others in the normalised text, in normalised form.
 */
final class AddedTokens {
    private static final Pattern WORD = Pattern.compile("\\w", Pattern.UNICODE_CHARACTER_CLASS);

    /** A token, and how it is matched. */
    record Added(
            int id,
            String content,
            boolean word,
            boolean left,
            boolean right,
            boolean normalised,
            boolean special) {}

    /**
     * A part of the text, or a token that was found.
     *
     * @param id the token's number; -1 for text
     * @param first whether the whole text starts with this section
     */
    record Section(String text, int id, boolean first) {}

    private final List<Added> tokens;
    private final Normaliser normaliser;
    private final Map<Character, List<Found>> plain;
    private final Map<Character, List<Found>> normal;

    /** A text to search for, and its token. */
    private record Found(String text, Added token) {}

    AddedTokens(List<Added> tokens, Normaliser normaliser) {
        this.tokens = List.copyOf(tokens);
        this.normaliser = normaliser;
        plain = index(tokens.stream().filter(t -> !t.normalised), t -> t);
        normal = index(tokens.stream().filter(t -> t.normalised), normaliser);
    }

    private static Map<Character, List<Found>> index(Stream<Added> tokens, Normaliser form) {
        var all = new HashMap<Character, List<Found>>();
        tokens.forEach(
                t -> {
                    var text = form.apply(t.content);
                    if (text.isEmpty()) return;
                    all.computeIfAbsent(text.charAt(0), _ -> new ArrayList<>())
                            .add(new Found(text, t));
                });
        for (var list : all.values())
            list.sort(Comparator.comparingInt((Found f) -> f.text.length()).reversed());
        return all;
    }

    static Added read(ConfigKeys keys) throws FileFormatException {
        var id = keys.value("id").flatMap(n -> n.whole()).filter(n -> n >= 0 && n < 1 << 30);
        if (id.isEmpty()) throw keys.unknown("id", "a number from 0 on is expected");
        boolean special = keys.truth("special").orElse(false);
        var token =
                new Added(
                        id.get().intValue(),
                        TokenizerJson.required(keys, "content"),
                        keys.truth("single_word").orElse(false),
                        keys.truth("lstrip").orElse(false),
                        keys.truth("rstrip").orElse(false),
                        keys.truth("normalized").orElse(!special),
                        special);
        keys.refuseOthers(Set.of());
        return token;
    }

    List<Added> tokens() {
        return tokens;
    }

    /** The text split at these tokens, and normalised between them. */
    List<Section> sections(String text) {
        var out = new ArrayList<Section>();
        for (var raw : cut(text, plain, true)) {
            if (raw.id >= 0) out.add(raw);
            else
                out.addAll(
                        cut(normaliser.apply(raw.text), normal, raw.first && keepsStart(raw.text)));
        }
        return out;
    }

    /**
     * Whether the first character is not removed by normalisation; if it is, another one starts the
     * text.
     */
    private boolean keepsStart(String text) {
        return !normaliser.apply(Character.toString(text.codePointAt(0))).isEmpty();
    }

    private static List<Section> cut(
            String text, Map<Character, List<Found>> wanted, boolean first) {
        var out = new ArrayList<Section>();
        int done = 0;
        for (int at = 0; at < text.length(); ) {
            var here = at(text, at, wanted);
            if (here.isEmpty()) {
                at++;
                continue;
            }
            var found = here.get();
            int end = at + found.text.length();
            int from = at;
            at = end;
            if (found.token.word && !isAlone(text, from, end)) continue;
            if (found.token.left)
                while (from > done && Unicode.isWhite(text.charAt(from - 1))) from--;
            if (found.token.right)
                while (end < text.length() && Unicode.isWhite(text.charAt(end))) end++;
            if (from > done)
                out.add(new Section(text.substring(done, from), -1, first && done == 0));
            out.add(new Section(found.token.content, found.token.id, first && from == 0));
            done = end;
            at = Math.max(at, end);
        }
        if (done < text.length())
            out.add(new Section(text.substring(done), -1, first && done == 0));
        return out;
    }

    private static Optional<Found> at(String text, int at, Map<Character, List<Found>> wanted) {
        for (var found : wanted.getOrDefault(text.charAt(at), List.of()))
            if (text.startsWith(found.text, at)) return Optional.of(found);
        return Optional.empty();
    }

    private static boolean isAlone(String text, int from, int end) {
        return (from == 0 || !isWord(text.codePointBefore(from)))
                && (end == text.length() || !isWord(text.codePointAt(end)));
    }

    private static boolean isWord(int c) {
        return WORD.matcher(Character.toString(c)).matches();
    }
}
