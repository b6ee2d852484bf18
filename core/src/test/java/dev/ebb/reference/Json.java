package dev.ebb.reference;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON as data. Asking for what is not there is an error that names it. */
public sealed interface Json {

    record Members(Map<String, Json> members) implements Json {}

    record Items(List<Json> items) implements Json {}

    record Text(String value) implements Json {}

    record Numeral(double value) implements Json {}

    record Truth(boolean value) implements Json {}

    record Nothing() implements Json {}

    static Json parse(String text) {
        return new Parser(text).whole();
    }

    default Map<String, Json> members() {
        if (this instanceof Members(var m)) return m;
        throw new IllegalArgumentException("no object: " + this);
    }

    default Json at(String name) {
        var member = members().get(name);
        if (member == null) throw new IllegalArgumentException("no " + name + " in " + this);
        return member;
    }

    default List<Json> items() {
        if (this instanceof Items(var i)) return i;
        throw new IllegalArgumentException("no list: " + this);
    }

    default String text() {
        if (this instanceof Text(var t)) return t;
        throw new IllegalArgumentException("no text: " + this);
    }

    default double number() {
        if (this instanceof Numeral(var n)) return n;
        throw new IllegalArgumentException("no number: " + this);
    }

    default boolean truth() {
        if (this instanceof Truth(var t)) return t;
        throw new IllegalArgumentException("no truth value: " + this);
    }

    /** Recursive descent over well-formed text; it does not check what no writer gets wrong. */
    final class Parser {
        private final String text;
        private int at;

        private Parser(String text) {
            this.text = text;
        }

        Json whole() {
            var value = value();
            if (peek() != '\0') throw fault("nothing more");
            return value;
        }

        private Json value() {
            return switch (peek()) {
                case '{' -> object();
                case '[' -> list();
                case '"' -> new Text(string());
                case 't' -> word("true", new Truth(true));
                case 'f' -> word("false", new Truth(false));
                case 'n' -> word("null", new Nothing());
                default -> number();
            };
        }

        private Json object() {
            var members = new LinkedHashMap<String, Json>();
            take('{');
            while (peek() != '}') {
                if (!members.isEmpty()) take(',');
                var name = string();
                take(':');
                members.put(name, value());
            }
            take('}');
            return new Members(members);
        }

        private Json list() {
            var items = new ArrayList<Json>();
            take('[');
            while (peek() != ']') {
                if (!items.isEmpty()) take(',');
                items.add(value());
            }
            take(']');
            return new Items(items);
        }

        private String string() {
            take('"');
            var out = new StringBuilder();
            for (char c = text.charAt(at++); c != '"'; c = text.charAt(at++)) {
                out.append(c == '\\' ? escaped() : c);
            }
            return out.toString();
        }

        private char escaped() {
            char c = text.charAt(at++);
            return switch (c) {
                case 'n' -> '\n';
                case 't' -> '\t';
                case 'r' -> '\r';
                case 'b' -> '\b';
                case 'f' -> '\f';
                case 'u' -> (char) Integer.parseInt(text.substring(at, at += 4), 16);
                default -> c;
            };
        }

        private Json number() {
            int from = at;
            while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) at++;
            if (at == from) throw fault("a value");
            return new Numeral(Double.parseDouble(text.substring(from, at)));
        }

        private Json word(String word, Json meaning) {
            if (!text.startsWith(word, at)) throw fault(word);
            at += word.length();
            return meaning;
        }

        /** The next character that is no space, or zero at the end. */
        private char peek() {
            while (at < text.length() && Character.isWhitespace(text.charAt(at))) at++;
            return at < text.length() ? text.charAt(at) : '\0';
        }

        private void take(char expected) {
            if (peek() != expected) throw fault("'" + expected + "'");
            at++;
        }

        private IllegalArgumentException fault(String expected) {
            return new IllegalArgumentException("expected " + expected + " at character " + at);
        }
    }
}
