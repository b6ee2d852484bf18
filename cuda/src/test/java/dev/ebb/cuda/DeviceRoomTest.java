package dev.ebb.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Checks this module against its line of the room map: a device does not use tensors, traces or
 * derivatives.
 */
class DeviceRoomTest {
    private static final Pattern ROW =
            Pattern.compile("^ +cuda/ .* may use: (.+)$", Pattern.MULTILINE);
    private static final Pattern CLASS = Pattern.compile("dev/ebb/(?:(\\w+)/)?(?:\\w+/)*(?=[A-Z])");

    @Test
    void the_device_keeps_to_its_neighbours() throws IOException {
        var row = ROW.matcher(Files.readString(Path.of("..", "docs", "design.md")));
        assertThat(row.find()).as("docs/design.md has a line for cuda/").isTrue();
        var allowed = Set.of(row.group(1).strip().split(", *"));
        var trespasses = new ArrayList<String>();
        try (var files = Files.walk(Path.of("target", "classes"))) {
            for (var file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
                if (file.endsWith("module-info.class")) continue;
                var text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
                CLASS.matcher(text)
                        .results()
                        .map(m -> m.group(1) == null ? "dev.ebb" : m.group(1))
                        .distinct()
                        .filter(room -> !room.equals("cuda") && !allowed.contains(room))
                        .forEach(room -> trespasses.add(file.getFileName() + " uses " + room));
            }
        }
        assertThat(trespasses).isEmpty();
    }
}
