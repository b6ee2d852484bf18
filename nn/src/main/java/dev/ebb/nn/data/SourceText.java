package dev.ebb.nn.data;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Concatenates text files; those of Ebb itself in the same order on every machine. */
public final class SourceText {
    private static final List<String> SKIPPED = List.of("target", "build", "node_modules");

    private SourceText() {}

    /** The folder of Ebb's own sources, if this program was loaded from a build of them. */
    public static Optional<Path> home() {
        try {
            var source = SourceText.class.getProtectionDomain().getCodeSource();
            if (source == null) return Optional.empty();
            for (var at = Path.of(source.getLocation().toURI()); at != null; at = at.getParent()) {
                if (Files.isRegularFile(at.resolve("ebb"))
                        && Files.isRegularFile(at.resolve("pom.xml"))) return Optional.of(at);
            }
            return Optional.empty();
        } catch (URISyntaxException _) {
            return Optional.empty();
        }
    }

    /** All Java and Markdown files under {@code home}, sorted by name and concatenated. */
    public static byte[] read(Path home) throws IOException {
        var files = new ArrayList<Path>();
        collect(home, files);
        files.sort((a, b) -> name(home, a).compareTo(name(home, b)));
        return joined(files);
    }

    /** The contents of the files, concatenated. */
    public static byte[] joined(List<Path> files) throws IOException {
        var text = new ByteArrayOutputStream();
        for (var file : files) {
            if (Files.isDirectory(file))
                throw new IllegalArgumentException(file + " is a folder; name text files");
            text.write(Files.readAllBytes(file));
        }
        return text.toByteArray();
    }

    private static String name(Path home, Path file) {
        return home.relativize(file).toString().replace('\\', '/');
    }

    private static void collect(Path folder, List<Path> files) throws IOException {
        try (var entries = Files.newDirectoryStream(folder)) {
            for (var entry : entries) {
                var name = entry.getFileName().toString();
                if (name.startsWith(".") || SKIPPED.contains(name)) continue;
                if (Files.isDirectory(entry)) collect(entry, files);
                else if (name.endsWith(".java") || name.endsWith(".md")) files.add(entry);
            }
        }
    }
}
