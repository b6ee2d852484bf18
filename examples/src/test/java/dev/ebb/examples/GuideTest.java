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
import java.util.TreeSet;
import java.util.regex.MatchResult;
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

    private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?[\\w.]+;");

    /** The name of the block with what the programs of a page import. */
    private static final String IMPORTS = "imports";

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
            if (IMPORTS.equals(name)) continue;
            assertThat(name)
                    .as("a block without the name of its source:\n" + block.group(3))
                    .isNotNull();
            assertThat(parts).containsKey(name);
            assertThat(block.group(3).strip()).as(name).isEqualTo(parts.get(name));
        }
    }

    /** A page with programs ends with what they import: a reader can copy all of it. */
    @TestFactory
    Stream<DynamicTest> imports_are_told() throws IOException {
        var imports = imports();
        return files(GUIDE, ".md").stream()
                .map(
                        page ->
                                DynamicTest.dynamicTest(
                                        page.getFileName().toString(),
                                        () -> checkImports(page, imports)));
    }

    private static void checkImports(Path page, Map<String, List<String>> imports)
            throws IOException {
        var told = List.<String>of();
        var used = new TreeSet<String>();
        var block = BLOCK.matcher(Files.readString(page));
        while (block.find()) {
            if (IMPORTS.equals(block.group(2))) {
                told = block.group(3).lines().toList();
                continue;
            }
            for (var line : imports.getOrDefault(block.group(2), List.of())) {
                var name = line.substring(line.lastIndexOf('.') + 1, line.length() - 1);
                if (Pattern.compile("\\b" + name + "\\b").matcher(block.group(3)).find())
                    used.add(line);
            }
        }
        assertThat(told)
                .as("the block <!-- imports --> at the end")
                .containsExactlyElementsOf(used);
    }

    /** What the file of each part imports. */
    private static Map<String, List<String>> imports() throws IOException {
        var imports = new HashMap<String, List<String>>();
        for (var folder : SOURCES) {
            for (var file : files(folder, ".java")) {
                var text = Files.readString(file);
                var lines = IMPORT.matcher(text).results().map(MatchResult::group).toList();
                var part = PART.matcher(text);
                while (part.find()) imports.put(part.group(1), lines);
            }
        }
        return imports;
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
