package dev.ebb.bench.adbench;

import dev.ebb.bench.PythonPeer;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Runs PyTorch on the same problems, timed by {@code adbench.py} in a separate process.
 *
 * @param program {@code adbench.py}
 */
record PyTorch(PythonPeer program) {
    /** By the {@code python3} on the path. */
    static final PyTorch INSTALLED = new PyTorch(PythonPeer.script("adbench.py"));

    private static final int THREADS = 1;

    /** Whether PyTorch is installed; its version is printed. */
    boolean isThere() {
        var output = program.run(List.of());
        System.out.println(
                output.succeeded()
                        ? "beside PyTorch "
                                + output.lastLine()
                                + " on "
                                + THREADS
                                + " thread, by medians"
                        : "without PyTorch: " + output.lastLine());
        return output.succeeded();
    }

    /** The end of a problem's line: PyTorch's median beside Ebb's, which is given. */
    String beside(Path file, double millis) {
        var output = program.run(List.of(Integer.toString(THREADS), file.toString()));
        var columns = output.lastLine().split("\t", -1);
        if (!output.succeeded() || columns.length != 4)
            return "; PyTorch FAILED: " + output.lastLine().replace('\t', ' ');
        double median = Double.parseDouble(columns[1]);
        return String.format(
                Locale.ROOT,
                "; PyTorch %.3f ms, Ebb %.3f ms, %.3f times; largest difference %s",
                median,
                millis,
                millis / median,
                columns[3]);
    }
}
