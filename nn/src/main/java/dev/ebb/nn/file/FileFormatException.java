package dev.ebb.nn.file;

import java.io.IOException;
import java.nio.file.Path;

/** A file has the wrong format: the message names the file, the error and what was expected. */
public final class FileFormatException extends IOException {
    private static final long serialVersionUID = 1;

    /** The most characters of a message: it quotes the file, which may be long. */
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
