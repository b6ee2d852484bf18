package dev.ebb.nn.tokens;

import dev.ebb.nn.file.ConfigKeys;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.tokens.Split.Behaviour;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Replaces spaces by a sign, usually U+2581, which may also be prepended to a text.
 *
 * @param sign the replacement of a space
 */
record Metaspace(String sign, Scheme scheme, boolean split) implements PreTokeniser {

    /** The texts to which the sign is prepended. */
    enum Scheme {
        ALWAYS,
        FIRST,
        NEVER
    }

    static Metaspace read(ConfigKeys keys) throws FileFormatException {
        var sign = keys.text("replacement").orElse("\u2581");
        boolean prefix = keys.truth("add_prefix_space").orElse(true);
        var scheme =
                switch (keys.text("prepend_scheme").orElse(prefix ? "always" : "never")) {
                    case "always" -> Scheme.ALWAYS;
                    case "first" -> Scheme.FIRST;
                    case "never" -> Scheme.NEVER;
                    default ->
                            throw keys.unknown("prepend_scheme", "known are always, first, never");
                };
        keys.text("str_rep");
        return new Metaspace(sign, scheme, keys.truth("split").orElse(true));
    }

    @Override
    public List<String> split(String text, boolean first) {
        var signed = text.replace(" ", sign);
        boolean put = scheme == Scheme.ALWAYS || (scheme == Scheme.FIRST && first);
        if (put && !signed.startsWith(sign)) signed = sign + signed;
        if (!split) return List.of(signed);
        return Split.by(
                Pattern.compile(Pattern.quote(sign)), false, Behaviour.MERGED_WITH_NEXT, signed);
    }

    /** Replaces signs in one of the tokens by spaces; the first token loses the prepended sign. */
    String spaces(String token, boolean first) {
        return token.replace(sign, first && scheme != Scheme.NEVER ? "" : " ");
    }
}
