package dev.ebb.nn.tokens;

import dev.ebb.nn.file.ConfigKeys;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.tokens.Split.Behaviour;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Spaces as a sign of their own, U+2581 as a rule, which may be put before a text too.
 *
 * @param sign what stands for a space
 */
record Metaspace(String sign, Scheme scheme, boolean split) implements PreTokeniser {

    /** Before which texts the sign is put. */
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

    /** Spaces for signs in one of the tokens; the first loses the sign that was put before it. */
    String spaces(String token, boolean first) {
        return token.replace(sign, first && scheme != Scheme.NEVER ? "" : " ");
    }
}
