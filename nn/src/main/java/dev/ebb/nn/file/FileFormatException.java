package dev.ebb.nn.file;

import java.io.IOException;
import java.nio.file.Path;

/** A file is not what it should be: says which, what is wrong with it and what was expected. */
public final class FileFormatException extends IOException {
    private static final long serialVersionUID = 1;

    /** What a file says is quoted, and may be as long as the file. */
    private static final int LONGEST = 2000;

    public FileFormatException(Path file, String fault) {
        super(file + ": " + shortened(fault));
    }

    public FileFormatException(String message) {
        super(shortened(message));
    }

    public FileFormatException(Path file, String fault, Throwable cause) {
        super(file + ": " + shortened(fault), cause);
    }

    private static String shortened(String text) {
        if (text.length() <= LONGEST) return text;
        int half = LONGEST / 2;
        return text.substring(0, half) + " ... " + text.substring(text.length() - half);
    }
}
