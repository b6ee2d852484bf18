package dev.ebb.cuda;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Programs that a test uses if they are installed. */
final class InstalledPrograms {
    private InstalledPrograms() {}

    static boolean has(String program) {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":"))
                .filter(f -> !f.isBlank())
                .anyMatch(f -> Files.isExecutable(Path.of(f, program)));
    }
}
