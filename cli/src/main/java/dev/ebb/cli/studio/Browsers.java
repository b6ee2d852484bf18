package dev.ebb.cli.studio;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Opens a page in the user's browser. */
public final class Browsers {
    private Browsers() {}

    /** Opens {@code address}; does nothing without a browser or a display. */
    public static void open(URI address) {
        opener().ifPresent(
                        command -> {
                            try {
                                new ProcessBuilder(command, address.toString())
                                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                                        .start();
                            } catch (IOException _) {
                                // the address is printed, so the user can open it
                            }
                        });
    }

    private static Optional<String> opener() {
        var system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        if (system.contains("mac")) return Optional.of("open");
        boolean screen =
                List.of("DISPLAY", "WAYLAND_DISPLAY").stream()
                        .anyMatch(name -> System.getenv(name) != null);
        return screen ? found("xdg-open") : Optional.empty();
    }

    private static Optional<String> found(String program) {
        var folders =
                Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator, -1);
        return Arrays.stream(folders)
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
    }
}
