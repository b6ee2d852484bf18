package dev.ebb.bench.adbench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Runs PyTorch on the same problems, timed by {@code adbench.py} in a separate process.
 *
 * @param command the command line of {@code adbench.py}
 */
record PyTorch(List<String> command) {
    /** Uses the {@code python3} on the path. */
    static final PyTorch INSTALLED = new PyTorch(List.of("python3", "src/peers/python/adbench.py"));

    private static final int THREADS = 1;

    /** The last line that a process printed, and whether its exit status was zero. */
    private record Said(boolean well, String text) {}

    /** Whether PyTorch is installed; prints the answer. */
    boolean isThere() {
        var output = run(List.of());
        System.out.println(
                output.well
                        ? "beside PyTorch " + output.text + " on " + THREADS + " thread, by medians"
                        : "without PyTorch: " + output.text);
        return output.well;
    }

    /** The text to print next to Ebb's time; {@code millis} is Ebb's median. */
    String beside(Path file, double millis) {
        var output = run(List.of(Integer.toString(THREADS), file.toString()));
        var columns = output.text.split("\t", -1);
        if (!output.well || columns.length != 4)
            return "; PyTorch FAILED: " + output.text.replace('\t', ' ');
        double median = Double.parseDouble(columns[1]);
        return String.format(
                Locale.ROOT,
                "; PyTorch %.3f ms, Ebb %.3f ms, %.3f times; largest difference %s",
                median,
                millis,
                millis / median,
                columns[3]);
    }

    private Said run(List<String> arguments) {
        var all = new ArrayList<>(command);
        all.addAll(arguments);
        try {
            var process = new ProcessBuilder(all).redirectErrorStream(true).start();
            var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            var last = text.lines().filter(l -> !l.isBlank()).reduce("", (_, line) -> line);
            return new Said(process.waitFor() == 0, last);
        } catch (IOException e) {
            return new Said(false, e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Said(false, "interrupted");
        }
    }
}
