package dev.ebb.nn.data;

import dev.ebb.nn.file.FileFormatException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Parses text into lines of fields. */
final class CsvParser {
    private final Path file;
    private final String text;
    private int at;
    private int number = 1;

    /**
     * A line of the table.
     *
     * @param number the line of the file on which it begins, from one on
     */
    record Line(int number, List<String> fields) {}

    CsvParser(Path file, String text) {
        this.file = file;
        this.text = text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    /** All lines except empty ones. */
    List<Line> lines() throws FileFormatException {
        var lines = new ArrayList<Line>();
        while (at < text.length()) {
            int first = number;
            var fields = line();
            if (fields.size() > 1 || !fields.getFirst().isEmpty())
                lines.add(new Line(first, List.copyOf(fields)));
        }
        return lines;
    }

    private List<String> line() throws FileFormatException {
        var fields = new ArrayList<String>();
        fields.add(field());
        while (at < text.length() && text.charAt(at) == ',') {
            at++;
            fields.add(field());
        }
        if (at < text.length() && text.charAt(at) == '\r') at++;
        if (at < text.length() && text.charAt(at) == '\n') at++;
        number++;
        return fields;
    }

    private String field() throws FileFormatException {
        if (at < text.length() && text.charAt(at) == '"') return quoted();
        int from = at;
        while (at < text.length() && ",\r\n".indexOf(text.charAt(at)) < 0) at++;
        return text.substring(from, at);
    }

    private String quoted() throws FileFormatException {
        int first = number;
        var field = new StringBuilder();
        for (at++; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '\n') number++;
            if (c != '"') {
                field.append(c);
            } else if (at + 1 < text.length() && text.charAt(at + 1) == '"') {
                field.append('"');
                at++;
            } else {
                at++;
                if (at < text.length() && ",\r\n".indexOf(text.charAt(at)) < 0) {
                    throw new FileFormatException(
                            file,
                            "line "
                                    + number
                                    + ": text after a closing quote; a quote inside a field is"
                                    + " written twice");
                }
                return field.toString();
            }
        }
        throw new FileFormatException(
                file, "line " + first + ": a quote is opened and never closed");
    }
}
