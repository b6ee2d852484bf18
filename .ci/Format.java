import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Holds every Java file of the project to one format, or brings it there. */
final class Format {
    private Format() {}

    static void main(String[] args) throws IOException {
        var root = Path.of(args[1]);
        switch (args[0]) {
            case "check" -> check(root);
            case "apply" -> format(root, "--replace");
            default -> refuse("format is either check or apply, got " + args[0]);
        }
    }

    private static void check(Path root) throws IOException {
        var files =
                format(root, "--dry-run")
                        .lines()
                        .map(f -> "  " + root.relativize(Path.of(f)))
                        .toList();
        if (!files.isEmpty()) {
            refuse(
                    "These files are not in the project's format:\n"
                            + String.join("\n", files)
                            + "\nTo bring them there, run: ./ebb format\n");
        }
    }

    private static String format(Path root, String mode) throws IOException {
        var arguments = Stream.concat(Stream.of("--aosp", mode), sources(root).stream());
        var changed = new StringWriter();
        int failure =
                ToolProvider.findFirst("google-java-format")
                        .orElseThrow()
                        .run(
                                new PrintWriter(changed, true),
                                new PrintWriter(System.err, true),
                                arguments.toArray(String[]::new));
        if (failure != 0) System.exit(failure);
        return changed.toString();
    }

    private static List<String> sources(Path root) throws IOException {
        try (var files = Files.walk(root)) {
            return files.filter(f -> f.toString().endsWith(".java"))
                    .filter(f -> !isBuilt(root.relativize(f)))
                    .map(Path::toString)
                    .sorted()
                    .toList();
        }
    }

    private static boolean isBuilt(Path file) {
        return StreamSupport.stream(file.spliterator(), false).anyMatch(Path.of("target")::equals);
    }

    private static void refuse(String reason) {
        System.err.println(reason);
        System.exit(1);
    }
}
