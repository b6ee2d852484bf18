package dev.ebb.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A JSON value, as read. Numbers keep their text, so that no digit of a long is lost. */
sealed interface Json {

    record Text(String value) implements Json {}

    record Numeral(String digits) implements Json {}

    record Truth(boolean value) implements Json {}

    record Nothing() implements Json {}

    record Array(List<Json> items) implements Json {
        public Array {
            items = List.copyOf(items);
        }
    }

    record Fields(Map<String, Json> byName) implements Json {}

    static Json parse(String text) {
        return new Reader(text).document();
    }

    default Optional<Json> field(String name) {
        return this instanceof Fields(var byName)
                ? Optional.ofNullable(byName.get(name))
                : Optional.empty();
    }

    default List<Json> items(String what) {
        if (this instanceof Array(var items)) return items;
        throw new IllegalArgumentException(what + " should be a JSON array");
    }

    default long asLong(String what) {
        if (this instanceof Numeral(var digits)) {
            try {
                return Long.parseLong(digits);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        what + " should be a whole number, not " + digits, e);
            }
        }
        throw new IllegalArgumentException(what + " should be a number");
    }

    default double asDouble(String what) {
        if (this instanceof Numeral(var digits)) return Double.parseDouble(digits);
        throw new IllegalArgumentException(what + " should be a number");
    }

    /** Recursive descent over RFC 8259. */
    final class Reader {
        private static final int DEEPEST = 200;
        private final String text;
        private int at;
        private int depth;

        Reader(String text) {
            this.text = text;
        }

        Json document() {
            var value = value();
            blank();
            if (at < text.length()) throw fault("nothing more");
            return value;
        }

        private Json value() {
            blank();
            if (at == text.length()) throw fault("a value");
            if (++depth > DEEPEST) throw fault("at most " + DEEPEST + " levels of nesting");
            var value =
                    switch (text.charAt(at)) {
                        case '{' -> fields();
                        case '[' -> array();
                        case '"' -> new Text(string());
                        case 't' -> word("true", new Truth(true));
                        case 'f' -> word("false", new Truth(false));
                        case 'n' -> word("null", new Nothing());
                        default -> number();
                    };
            depth--;
            return value;
        }

        private Json fields() {
            at++;
            var byName = new LinkedHashMap<String, Json>();
            if (accept('}')) return new Fields(byName);
            do {
                blank();
                if (at == text.length() || text.charAt(at) != '"') throw fault("a name in quotes");
                var name = string();
                expect(':');
                byName.put(name, value());
            } while (accept(','));
            expect('}');
            return new Fields(byName);
        }

        private Json array() {
            at++;
            var items = new ArrayList<Json>();
            if (accept(']')) return new Array(items);
            do items.add(value());
            while (accept(','));
            expect(']');
            return new Array(items);
        }

        private String string() {
            at++;
            var out = new StringBuilder();
            while (at < text.length() && text.charAt(at) != '"') {
                char c = text.charAt(at++);
                out.append(c == '\\' ? escape() : c);
            }
            if (at == text.length()) throw fault("a closing quote");
            at++;
            return out.toString();
        }

        private char escape() {
            if (at == text.length()) throw fault("the rest of an escape");
            char c = text.charAt(at++);
            return switch (c) {
                case '"', '\\', '/' -> c;
                case 'b' -> '\b';
                case 'f' -> '\f';
                case 'n' -> '\n';
                case 'r' -> '\r';
                case 't' -> '\t';
                case 'u' -> {
                    if (at + 4 > text.length()) throw fault("four hexadecimal digits");
                    at += 4;
                    yield (char) Integer.parseInt(text, at - 4, at, 16);
                }
                default -> throw fault("a known escape");
            };
        }

        private Json number() {
            int from = at;
            while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) at++;
            var digits = text.substring(from, at);
            if (!digits.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?"))
                throw fault("a value");
            return new Numeral(digits);
        }

        private Json word(String word, Json value) {
            if (!text.startsWith(word, at)) throw fault("a value");
            at += word.length();
            return value;
        }

        private boolean accept(char c) {
            blank();
            if (at < text.length() && text.charAt(at) == c) {
                at++;
                return true;
            }
            return false;
        }

        private void expect(char c) {
            if (!accept(c)) throw fault("'" + c + "'");
        }

        private void blank() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
        }

        private IllegalArgumentException fault(String expected) {
            var found = at < text.length() ? "'" + text.charAt(at) + "'" : "the end";
            return new IllegalArgumentException(
                    "not JSON: expected " + expected + " at character " + at + ", found " + found);
        }
    }
}
