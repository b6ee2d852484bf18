package dev.ebb.nn.file;

import java.util.ArrayList;
import java.util.LinkedHashMap;

/**
 * Parses JSON (RFC 8259) from an untrusted source: depth is bounded, a duplicate name is refused,
 * and every error gives its position.
 */
final class JsonParser {
    private static final int DEEPEST = 64;

    private final String text;
    private int at;

    JsonParser(String text) {
        this.text = text;
    }

    Json whole() throws FileFormatException {
        var value = value(0);
        blank();
        if (at < text.length()) throw fault("something follows the value");
        return value;
    }

    private Json value(int depth) throws FileFormatException {
        if (depth > DEEPEST) throw fault("values are nested more than " + DEEPEST + " deep");
        blank();
        if (at >= text.length()) throw fault("the text ends where a value should be");
        char c = text.charAt(at);
        return switch (c) {
            case '{' -> object(depth);
            case '[' -> array(depth);
            case '"' -> new Json.Text(string());
            case 't' -> word("true", new Json.Truth(true));
            case 'f' -> word("false", new Json.Truth(false));
            case 'n' -> word("null", new Json.Nothing());
            default -> number();
        };
    }

    private Json object(int depth) throws FileFormatException {
        var members = new LinkedHashMap<String, Json>();
        at++;
        blank();
        if (took('}')) return new Json.Obj(members);
        do {
            blank();
            if (at >= text.length() || text.charAt(at) != '"') throw fault("a name is missing");
            var name = string();
            blank();
            need(':');
            if (members.put(name, value(depth + 1)) != null)
                throw fault("the name \"" + name + "\" is given twice");
            blank();
        } while (took(','));
        need('}');
        return new Json.Obj(members);
    }

    private Json array(int depth) throws FileFormatException {
        var items = new ArrayList<Json>();
        at++;
        blank();
        if (took(']')) return new Json.Arr(items);
        do {
            items.add(value(depth + 1));
            blank();
        } while (took(','));
        need(']');
        return new Json.Arr(items);
    }

    private String string() throws FileFormatException {
        var out = new StringBuilder();
        at++;
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '"') return out.toString();
            if (c < 0x20) throw fault("a control character stands in a text");
            out.append(c == '\\' ? escaped() : c);
        }
        throw fault("a text does not end");
    }

    private char escaped() throws FileFormatException {
        if (at >= text.length()) throw fault("a text does not end");
        char c = text.charAt(at++);
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> {
                if (at + 4 > text.length()) throw fault("a text does not end");
                int code = 0;
                for (int i = 0; i < 4; i++) {
                    int digit = Character.digit(text.charAt(at++), 16);
                    if (digit < 0) throw fault("\\u is not followed by four hexadecimal digits");
                    code = code * 16 + digit;
                }
                yield (char) code;
            }
            default -> throw fault("\\" + c + " means nothing");
        };
    }

    private Json number() throws FileFormatException {
        int start = at;
        took('-');
        if (!took('0')) digits();
        if (took('.')) digits();
        if (took('e') || took('E')) {
            if (!took('+')) took('-');
            digits();
        }
        return new Json.Num(text.substring(start, at));
    }

    private void digits() throws FileFormatException {
        int start = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') at++;
        if (at == start) throw fault("no value starts like this");
    }

    private Json word(String word, Json value) throws FileFormatException {
        if (!text.startsWith(word, at)) throw fault("no value starts like this");
        at += word.length();
        return value;
    }

    private void blank() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    }

    private boolean took(char c) {
        if (at >= text.length() || text.charAt(at) != c) return false;
        at++;
        return true;
    }

    private void need(char c) throws FileFormatException {
        if (!took(c)) throw fault("'" + c + "' is missing");
    }

    private FileFormatException fault(String problem) {
        return new FileFormatException("not JSON, at character " + at + ": " + problem);
    }
}
