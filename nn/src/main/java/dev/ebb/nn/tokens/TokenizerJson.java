package dev.ebb.nn.tokens;

import dev.ebb.nn.file.ConfigKeys;
import dev.ebb.nn.file.FileFormatException;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Reads the elements of tokenizer.json that several of its components have in common. */
final class TokenizerJson {
    private TokenizerJson() {}

    static String kind(ConfigKeys keys) throws FileFormatException {
        return required(keys, "type");
    }

    static String required(ConfigKeys keys, String key) throws FileFormatException {
        var text = keys.text(key);
        if (text.isPresent()) return text.get();
        throw keys.missing(key);
    }

    /** The objects in a list. */
    static List<ConfigKeys> list(ConfigKeys keys, String key) throws FileFormatException {
        var value = keys.value(key);
        if (value.isEmpty()) throw keys.missing(key);
        var all = new ArrayList<ConfigKeys>();
        var items = value.get().elements();
        for (int i = 0; i < items.size(); i++) all.add(keys.item(key, i, items.get(i)));
        return all;
    }

    /**
     * A regular expression, or a text to search for literally. Character classes such as white
     * space are Unicode's.
     */
    static Pattern pattern(ConfigKeys keys, String key) throws FileFormatException {
        var inside = keys.inside(key);
        if (inside.isEmpty()) throw keys.missing(key);
        var literal = inside.get().text("String");
        var regex = inside.get().text("Regex");
        if (literal.isPresent()) return Pattern.compile(Pattern.quote(literal.get()));
        if (regex.isEmpty()) throw keys.unknown(key, "a String or a Regex is expected");
        try {
            return Pattern.compile(regex.get(), Pattern.UNICODE_CHARACTER_CLASS);
        } catch (PatternSyntaxException e) {
            throw keys.unknown(key, "this regular expression is not known: " + e.getDescription());
        }
    }

    /** A text of at least one character. */
    static String sign(ConfigKeys keys, String key) throws FileFormatException {
        var text = required(keys, key);
        if (text.isEmpty()) throw keys.unknown(key, "a character at least is expected");
        return text;
    }
}
