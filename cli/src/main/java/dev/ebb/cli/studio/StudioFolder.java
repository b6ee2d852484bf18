package dev.ebb.cli.studio;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/**
 * The folder in which the studio was started. The page can access files and runs in it and nothing
 * else.
 */
public final class StudioFolder {
    private static final int MOST_LISTED = 200;

    private final Path root;

    public StudioFolder(Path root) throws IOException {
        this.root = root.toRealPath();
    }

    Path root() {
        return root;
    }

    /** A file in the folder, by a name that the page sent. */
    public Path file(String name) {
        try {
            var file = root.resolve(name).toRealPath();
            if (file.startsWith(root) && Files.isRegularFile(file)) return file;
        } catch (IOException | InvalidPathException _) {
            // reported below
        }
        throw RequestError.wrong(
                "'" + name + "' is no file in the folder the studio was started in");
    }

    /** The first entries of the folder, in order of their names. */
    List<Path> entries() throws IOException {
        try (var entries = Files.list(root)) {
            return entries.sorted().limit(MOST_LISTED).toList();
        }
    }

    /** The files whose names have this ending. */
    List<String> files(String end) throws IOException {
        return entries().stream()
                .filter(Files::isRegularFile)
                .map(file -> file.getFileName().toString())
                .filter(name -> name.endsWith(end))
                .toList();
    }
}
