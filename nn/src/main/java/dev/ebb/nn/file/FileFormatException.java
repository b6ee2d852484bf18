package dev.ebb.nn.file;

import java.io.IOException;
import java.nio.file.Path;

/** A file is not what it should be: says which, what is wrong with it and what was expected. */
public final class FileFormatException extends IOException {
    private static final long serialVersionUID = 1;

    public FileFormatException(Path file, String fault) {
        super(file + ": " + fault);
    }

    public FileFormatException(String message) {
        super(message);
    }

    public FileFormatException(Path file, String fault, Throwable cause) {
        super(file + ": " + fault, cause);
    }
}
