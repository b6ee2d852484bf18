package dev.ebb.cli.studio;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/**
 * The folder that the studio was started in: the page names files and runs of it, and no others.
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

    /** A file of the folder that is given by the page. */
    public Path file(String name) {
        try {
            var file = root.resolve(name).toRealPath();
            if (file.startsWith(root) && Files.isRegularFile(file)) return file;
        } catch (IOException | InvalidPathException _) {
            // said below
        }
        throw Refused.wrong("'" + name + "' is no file in the folder the studio was started in");
    }

    /** What is in the folder, by name, as far as it is listed. */
    List<Path> entries() throws IOException {
        try (var entries = Files.list(root)) {
            return entries.sorted().limit(MOST_LISTED).toList();
        }
    }

    /** The files whose names end so. */
    List<String> files(String end) throws IOException {
        return entries().stream()
                .filter(Files::isRegularFile)
                .map(file -> file.getFileName().toString())
                .filter(name -> name.endsWith(end))
                .toList();
    }
}
