package dev.ebb.spark;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Objects;

/** The page of measurements, in which each program's lines are between its markers. */
final class Page {
    /** The load average of the minute before, which shows whether the machine was idle. */
    private final double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();

    private final String bench;

    /** Created before anything is measured. */
    Page(String bench) {
        this.bench = bench;
    }

    /**
     * Prints the text, and writes it into the page named by the property {@code ebb.page}, if it is
     * set.
     */
    void write(String name, String text) throws IOException {
        System.out.println(text);
        var property = System.getProperty("ebb.page");
        if (property == null) return;
        var file = Path.of(property);
        var page = Files.readString(file);
        var begin = "<!-- " + name + " -->\n";
        var end = "<!-- end of " + name + " -->\n";
        int from = page.indexOf(begin);
        int to = page.indexOf(end);
        if (from < 0 || to < from)
            throw new IOException(file + " has no markers of " + name + "; put them where it goes");
        var block = heading(file) + "\n\n" + text.strip() + "\n";
        Files.writeString(
                file, page.substring(0, from + begin.length()) + block + page.substring(to));
    }

    private String heading(Path file) throws IOException {
        return String.format(
                Locale.ROOT,
                "`./ebb bench spark %s`, %s, commit %s, %s, %d processors, load average %.1f before"
                        + " it.",
                bench,
                LocalDate.now(ZoneOffset.UTC),
                commit(file),
                processor(),
                Runtime.getRuntime().availableProcessors(),
                load);
    }

    private static String commit(Path file) throws IOException {
        var git =
                new ProcessBuilder("git", "describe", "--always", "--dirty", "--exclude=*")
                        .directory(
                                Objects.requireNonNull(file.toAbsolutePath().getParent()).toFile())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        var text = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        return text.isEmpty() ? "unknown" : text;
    }

    private static String processor() throws IOException {
        var file = Path.of("/proc/cpuinfo");
        if (!Files.isReadable(file)) return System.getProperty("os.arch");
        try (var lines = Files.lines(file)) {
            return lines.filter(l -> l.startsWith("model name"))
                    .map(l -> l.substring(l.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        }
    }
}
