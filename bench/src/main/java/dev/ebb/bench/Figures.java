package dev.ebb.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** A page with the output of benchmarks between markers, one pair for each benchmark. */
record Figures(String page) {
    private static final Pattern NUMBER = Pattern.compile("\\d+(?:[.,]\\d+)*");

    private static String begin(String name) {
        return "<!-- " + name + " -->\n";
    }

    private static String end(String name) {
        return "<!-- end of " + name + " -->\n";
    }

    /** The text between the markers of a benchmark. */
    Optional<String> of(String name) {
        int from = page.indexOf(begin(name));
        int to = page.indexOf(end(name));
        return from < 0 || to < from
                ? Optional.empty()
                : Optional.of(page.substring(from + begin(name).length(), to));
    }

    /** The page with {@code text} between these markers, which are appended if they are missing. */
    Figures with(String name, String text) {
        int from = page.indexOf(begin(name));
        int to = page.indexOf(end(name));
        if (from < 0 || to < from)
            return new Figures(page.stripTrailing() + "\n\n" + begin(name) + text + end(name));
        return new Figures(
                page.substring(0, from + begin(name).length()) + text + page.substring(to));
    }

    /** The lines of {@code after}; a line that {@code before} has with other numbers shows both. */
    static List<String> beside(List<String> before, List<String> after) {
        var known = new HashMap<String, List<String>>();
        for (var line : before) known.computeIfAbsent(form(line), _ -> new ArrayList<>()).add(line);
        var lines = new ArrayList<String>();
        for (var line : after) {
            var same = known.getOrDefault(form(line), List.of());
            lines.add(same.isEmpty() ? line : beside(same.removeFirst(), line));
        }
        return lines;
    }

    private static String form(String line) {
        return NUMBER.matcher(line).replaceAll("#");
    }

    private static String beside(String before, String after) {
        var old = NUMBER.matcher(before).results().map(r -> r.group()).iterator();
        return NUMBER.matcher(after)
                .replaceAll(
                        now -> {
                            var was = old.next();
                            return was.equals(now.group()) ? was : was + " -> " + now.group();
                        });
    }
}
