package dev.ebb.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The guide quotes compiled code: every Java block names the part of an example it comes from and
 * equals it, letter by letter.
 */
final class GuideTest {
    private static final List<Path> SOURCES =
            List.of(
                    Path.of("src/main/java/dev/ebb/examples"),
                    Path.of("../spark/src/test/java/dev/ebb/spark"));
    private static final Path GUIDE = Path.of("../docs/guide");
    private static final Pattern PART =
            Pattern.compile("(?ms)^ *// \\[([a-z-]+)\\n(.*?)^ *// \\1\\]");
    private static final Pattern BLOCK =
            Pattern.compile("(?ms)^(<!-- ([a-z-]+) -->\\n)?```java\\n(.*?)^```");

    private static final Pattern USED =
            Pattern.compile("(?ms)^<!-- use/(\\S+) -->\\n```\\w+\\n(.*?)^```");

    @TestFactory
    Stream<DynamicTest> every_block_is_quoted() throws IOException {
        var parts = parts();
        return files(GUIDE, ".md").stream()
                .map(
                        page ->
                                DynamicTest.dynamicTest(
                                        page.getFileName().toString(), () -> check(page, parts)));
    }

    private static void check(Path page, Map<String, String> parts) throws IOException {
        var block = BLOCK.matcher(Files.readString(page));
        while (block.find()) {
            var name = block.group(2);
            assertThat(name)
                    .as("a block without the name of its source:\n" + block.group(3))
                    .isNotNull();
            assertThat(parts).containsKey(name);
            assertThat(block.group(3).strip()).as(name).isEqualTo(parts.get(name));
        }
    }

    /** What the page on projects of one's own shows is in the projects that are tried. */
    @Test
    void every_project_is_quoted() throws IOException {
        var block = USED.matcher(Files.readString(GUIDE.resolve("16-use-it.md")));
        int found = 0;
        for (; block.find(); found++) {
            var file = Files.readString(GUIDE.resolve("../../use").resolve(block.group(1)));
            assertThat(file).as(block.group(1)).contains(block.group(2));
        }
        assertThat(found).isGreaterThanOrEqualTo(6);
    }

    private static Map<String, String> parts() throws IOException {
        var parts = new HashMap<String, String>();
        for (var folder : SOURCES) {
            for (var file : files(folder, ".java")) {
                var part = PART.matcher(Files.readString(file));
                while (part.find()) parts.put(part.group(1), part.group(2).indent(-4).strip());
            }
        }
        return parts;
    }

    private static List<Path> files(Path folder, String suffix) throws IOException {
        try (var files = Files.list(folder)) {
            return files.filter(f -> f.toString().endsWith(suffix)).sorted().toList();
        }
    }
}
