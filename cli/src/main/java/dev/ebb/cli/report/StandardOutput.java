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
 * The program's standard output, which remembers why something could not be written: {@link
 * PrintStream} goes on without a word, and a file on a full disk would end in the middle.
 */
public final class StandardOutput extends FilterOutputStream {
    private @Nullable IOException failed;

    StandardOutput(OutputStream to) {
        super(to);
    }

    /** Takes the place of {@link System#out}. */
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
     * Whether all that was printed has been written; if not, {@code err} is told. A reader that has
     * seen enough, such as {@code head}, loses nothing.
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
