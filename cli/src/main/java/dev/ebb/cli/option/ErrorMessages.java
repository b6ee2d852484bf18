package dev.ebb.cli.option;

import dev.ebb.exec.PlaceException;
import dev.ebb.ir.ShapeException;

import picocli.CommandLine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Formats the error message of a command that failed: a sentence instead of a stack trace. */
public final class ErrorMessages {
    public static final int CANNOT = 1;
    public static final int INTERNAL = 70;

    /**
     * The messages with which operating systems report a full disk, an exceeded quota, or an
     * exceeded file size.
     */
    private static final List<String> FULL =
            List.of("no space left", "quota exceeded", "file too large");

    private ErrorMessages() {}

    public static int report(Throwable e, CommandLine command, boolean trace) {
        var err = command.getErr();
        if (trace) e.printStackTrace(err);
        var message = message(e);
        err.println("ebb: " + message.orElseGet(() -> "internal error in Ebb: " + e));
        if (message.isEmpty() && !trace) err.println("ebb: --stack-trace shows where it happened");
        return message.isPresent() ? CANNOT : INTERNAL;
    }

    private static Optional<String> message(Throwable e) {
        return switch (e) {
            case Refusal r -> Optional.ofNullable(r.getMessage());
            case UncheckedIOException u ->
                    Optional.ofNullable(u.getCause()).flatMap(ErrorMessages::message);
            case FileSystemException f -> Optional.of(of(f));
            case IOException io -> Optional.of(of(io));
            case PlaceException d -> Optional.ofNullable(d.getMessage());
            case ShapeException s -> Optional.ofNullable(s.getMessage());
            case IllegalArgumentException i -> Optional.ofNullable(i.getMessage());
            case OutOfMemoryError _ ->
                    Optional.of(
                            "the Java heap is full; ask for less, or give Java more, such as by"
                                    + " JAVA_TOOL_OPTIONS=-Xmx8g");
            default -> Optional.empty();
        };
    }

    private static String of(FileSystemException e) {
        return switch (e) {
            case NoSuchFileException f -> f.getFile() + ": there is no such file or folder";
            case AccessDeniedException f ->
                    f.getFile() + ": no permission; choose a place you may write with --out";
            case FileAlreadyExistsException f -> f.getFile() + ": a file of that name exists there";
            case NotDirectoryException f -> f.getFile() + ": this is not a folder";
            default -> e.getFile() + ": " + of((IOException) e);
        };
    }

    private static String of(IOException e) {
        var message = Optional.ofNullable(e.getMessage()).orElse(e.toString());
        return FULL.stream().anyMatch(message.toLowerCase(Locale.ROOT)::contains)
                ? message + ": the disk is full; free some space, then go on with --resume"
                : message;
    }

    /** Why a file could not be read or written, without a remedy. */
    public static String why(IOException e) {
        var message = Optional.ofNullable(e.getMessage()).orElse(e.toString());
        return FULL.stream().anyMatch(message.toLowerCase(Locale.ROOT)::contains)
                ? message + ": the disk is full"
                : e instanceof FileSystemException f ? of(f) : message;
    }
}
