package dev.ebb.nn.data;

import dev.ebb.ir.Shape;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.TextFile;
import dev.ebb.tensor.Array;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;

/**
 * A table of text with a header, read completely: fields are separated by commas and quoted if they
 * contain commas, quotes or line breaks (RFC 4180); UTF-8.
 */
public final class Csv {
    private final Path file;
    private final List<String> names;
    private final List<CsvParser.Line> lines;

    private Csv(Path file, List<String> names, List<CsvParser.Line> lines) {
        this.file = file;
        this.names = names;
        this.lines = lines;
    }

    /** Reads a file whose first line names the columns. */
    public static Csv read(Path file) throws IOException {
        var lines = new CsvParser(file, TextFile.read(file)).lines();
        if (lines.isEmpty())
            throw new FileFormatException(file, "an empty file; its first line names the columns");
        var names = lines.getFirst().fields();
        for (var line : lines) {
            if (line.fields().size() != names.size()) {
                throw new FileFormatException(
                        file,
                        "line %s has %s fields where the header has %s"
                                .formatted(line.number(), line.fields().size(), names.size()));
            }
        }
        return new Csv(file, names, lines.subList(1, lines.size()));
    }

    public List<String> names() {
        return names;
    }

    public int rows() {
        return lines.size();
    }

    /** The texts of a column. */
    public List<String> column(String name) throws FileFormatException {
        int at = place(name);
        return lines.stream().map(l -> l.fields().get(at)).toList();
    }

    /** Columns of numbers as f32, [rows, columns]. */
    public Array numbers(String... columns) throws FileFormatException {
        var values = new float[rows() * columns.length];
        for (int j = 0; j < columns.length; j++) {
            int at = place(columns[j]);
            for (int i = 0; i < rows(); i++)
                values[i * columns.length + j] = (float) number(lines.get(i), at);
        }
        return Array.of(Shape.of(rows(), columns.length), values);
    }

    private double number(CsvParser.Line line, int at) throws FileFormatException {
        var field = line.fields().get(at).strip();
        try {
            return Double.parseDouble(field);
        } catch (NumberFormatException e) {
            throw new FileFormatException(
                    file,
                    ("line %s, column %s: \"%s\" is no number; columns of words are read by"
                                    + " classes()")
                            .formatted(line.number(), names.get(at), field));
        }
    }

    /**
     * A column of words, each a class.
     *
     * @param names the words, sorted
     * @param numbers the index of each row's word among them, i64
     */
    public record Classes(List<String> names, Array numbers) {}

    /** The words of a column as classes, numbered in alphabetical order. */
    public Classes classes(String column) throws FileFormatException {
        var words = column(column);
        var sorted = List.copyOf(new TreeSet<>(words));
        var numbers = words.stream().mapToLong(w -> Collections.binarySearch(sorted, w)).toArray();
        return new Classes(sorted, Array.of(numbers));
    }

    /**
     * The words of a column as classes, with the numbers of another table, such as that of the
     * training rows.
     */
    public Classes classes(String column, List<String> known) throws FileFormatException {
        int at = place(column);
        var numbers = new long[rows()];
        for (int i = 0; i < rows(); i++) {
            var word = lines.get(i).fields().get(at);
            numbers[i] = known.indexOf(word);
            if (numbers[i] < 0)
                throw new FileFormatException(
                        file,
                        "line %s, column %s: \"%s\" is none of the classes %s"
                                .formatted(lines.get(i).number(), column, word, known));
        }
        return new Classes(List.copyOf(known), Array.of(numbers));
    }

    private int place(String name) throws FileFormatException {
        int at = names.indexOf(name);
        if (at < 0)
            throw new FileFormatException(file, "there is no column " + name + "; it has " + names);
        if (names.lastIndexOf(name) != at)
            throw new FileFormatException(file, "there are two columns " + name + "; rename one");
        return at;
    }
}
