package dev.ebb.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;

/** The page of what was measured, in which each program's lines stand between its markers. */
final class Page {
    private Page() {}

    /** Prints, and writes into the page that the property {@code ebb.page} names, if it does. */
    static void write(String name, String text) throws IOException {
        System.out.println(text);
        var file = System.getProperty("ebb.page");
        if (file == null) return;
        var page = Files.readString(Path.of(file));
        var begin = "<!-- " + name + " -->\n";
        var end = "<!-- end of " + name + " -->\n";
        var dated =
                text.stripTrailing()
                        + "\n\n"
                        + LocalDate.now(ZoneOffset.UTC)
                        + ", "
                        + Runtime.getRuntime().availableProcessors()
                        + " cores.\n";
        int from = page.indexOf(begin);
        int to = page.indexOf(end);
        if (from < 0 || to < from) {
            page = page.stripTrailing() + "\n\n" + begin + dated + end;
        } else {
            page = page.substring(0, from + begin.length()) + dated + page.substring(to);
        }
        Files.writeString(Path.of(file), page);
    }
}
