package dev.ebb.cli.report;

import org.jspecify.annotations.Nullable;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Locale;

/**
 * The program's standard output, with the first write error recorded. {@link PrintStream} swallows
 * write errors, so output to a full disk would be truncated silently.
 */
public final class StandardOutput extends FilterOutputStream {
    private @Nullable IOException failed;

    StandardOutput(OutputStream to) {
        super(to);
    }

    /** Replaces {@link System#out}. */
    public static StandardOutput install() {
        var out = new StandardOutput(new FileOutputStream(FileDescriptor.out));
        var lines = new BufferedOutputStream(out, 1 << 13);
        System.setOut(new PrintStream(lines, true, System.out.charset()));
        return out;
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        try {
            out.write(bytes, from, length);
        } catch (IOException e) {
            if (failed == null) failed = e;
            throw e;
        }
    }

    /**
     * Whether everything printed was written; if not, reports the error to {@code err}. A reader
     * that closes the pipe early, such as {@code head}, is not an error.
     */
    public boolean isWhole(PrintStream err) {
        System.out.flush();
        if (failed == null) return true;
        var why = String.valueOf(failed.getMessage());
        if (why.toLowerCase(Locale.ROOT).contains("broken pipe")) return true;
        err.println("ebb: the output is cut short, as it could not be written: " + why);
        return false;
    }
}
