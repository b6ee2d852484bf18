package dev.ebb.cuda;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;

/** The table of a GPU's benchmark in a text, between two markers. */
final class CardSection {
    static final String BEGIN = "<!-- cuda -->";
    static final String END = "<!-- end of cuda -->";
    private static final String HEAD =
            "| | ms | peak GiB | | PyTorch ms @ peak GiB | ratio | measured |\n"
                    + "|---|---|---|---|---|---|---|\n";

    private CardSection() {}

    /**
     * A row of the table.
     *
     * @param name of the measurement; a later row with that name replaces it
     */
    record Row(String name, List<String> columns) {
        String text() {
            return "| " + name + " | " + String.join(" | ", columns) + " |";
        }
    }

    static void write(Path file, String device, List<Row> rows) throws IOException {
        Files.writeString(file, in(Files.readString(file), device, rows));
    }

    /** The text with these rows in its table; rows of other names stay. */
    static String in(String text, String device, List<Row> rows) {
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IllegalArgumentException(
                    "the table of a card goes between '"
                            + BEGIN
                            + "' and '"
                            + END
                            + "', which are not both there: put these lines back");
        }
        var all = new LinkedHashMap<String, String>();
        for (var line : text.substring(begin, end).lines().toList()) {
            if (!line.startsWith("| ") || line.startsWith("| |")) continue;
            all.put(line.substring(2, line.indexOf(" |")), line);
        }
        for (var row : rows) all.put(row.name(), row.text());
        return text.substring(0, begin)
                + BEGIN
                + "\n\nOn "
                + device
                + ":\n\n"
                + HEAD
                + String.join("\n", all.values())
                + "\n\n"
                + text.substring(end);
    }
}
