package dev.ebb.nn.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/** A JSON value. Numbers keep their original digits, so no integer loses a bit. */
public sealed interface Json {
    /**
     * The largest file that is read; a vocabulary of half a million tokens takes a tenth of this.
     */
    long LARGEST = 256L << 20;

    record Obj(SequencedMap<String, Json> members) implements Json {
        public Obj {
            members = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(members));
        }

        @Override
        public String toString() {
            return JsonText.of(this);
        }
    }

    record Arr(List<Json> items) implements Json {
        public Arr {
            items = List.copyOf(items);
        }

        @Override
        public String toString() {
            return JsonText.of(this);
        }
    }

    record Text(String value) implements Json {
        @Override
        public String toString() {
            return JsonText.of(this);
        }
    }

    record Num(String digits) implements Json {
        @Override
        public String toString() {
            return digits;
        }
    }

    record Truth(boolean value) implements Json {
        @Override
        public String toString() {
            return String.valueOf(value);
        }
    }

    record Nothing() implements Json {
        @Override
        public String toString() {
            return "null";
        }
    }

    /** Parses one value, which must be the whole text. */
    static Json parse(String text) throws FileFormatException {
        return new JsonParser(text).whole();
    }

    /** Reads the value in a file; an error names the file. */
    static Json read(Path file) throws IOException {
        return parse(file, TextFile.read(file, LARGEST));
    }

    /** Parses {@code text}, the content of {@code file}; an error names the file. */
    static Json parse(Path file, String text) throws FileFormatException {
        try {
            return parse(text);
        } catch (FileFormatException e) {
            throw new FileFormatException(file, String.valueOf(e.getMessage()), e);
        }
    }

    static Json of(String text) {
        return new Text(text);
    }

    static Json of(long number) {
        return new Num(Long.toString(number));
    }

    /** A number; infinities and NaN, which JSON cannot express, become null. */
    static Json of(double number) {
        return Double.isFinite(number) ? new Num(Double.toString(number)) : new Nothing();
    }

    static Json of(boolean value) {
        return new Truth(value);
    }

    static Json of(List<Json> items) {
        return new Arr(items);
    }

    static Json of(Map<String, Json> members) {
        return new Obj(new LinkedHashMap<>(members));
    }

    /** Member {@code name} of an object; empty if there is none or this is not an object. */
    default Optional<Json> at(String name) {
        return this instanceof Obj(var members)
                ? Optional.ofNullable(members.get(name))
                : Optional.empty();
    }

    /** This number as a long; empty if it is not an integer in the range of long. */
    default Optional<Long> whole() {
        if (!(this instanceof Num(var digits))) return Optional.empty();
        try {
            return Optional.of(Long.parseLong(digits));
        } catch (NumberFormatException _) {
            return Optional.empty();
        }
    }

    default Optional<Double> number() {
        return this instanceof Num(var digits)
                ? Optional.of(Double.parseDouble(digits))
                : Optional.empty();
    }

    default Optional<String> text() {
        return this instanceof Text(var value) ? Optional.of(value) : Optional.empty();
    }

    default Optional<Boolean> truth() {
        return this instanceof Truth(var value) ? Optional.of(value) : Optional.empty();
    }

    /** The items of an array; none if this is not an array. */
    default List<Json> elements() {
        return this instanceof Arr(var items) ? items : List.of();
    }
}
