package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Runs every command in the guide's blocks as it is written there, page after page; files without a
 * folder are in a temporary folder. If a page suggests {@code --steps} to shorten a command, its
 * training takes two steps.
 */
final class GuideCommandsTest {
    private static final Path GUIDE = Path.of("..", "docs", "guide");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w*)\\n(.*?)^```");
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(\\S+)");

    /** Text after a command and three blanks explains it. */
    private static final Pattern EXPLAINED = Pattern.compile(" {3,}.*");

    /** The options that name a file or a folder. */
    private static final Set<String> FILES =
            Set.of("--text", "--out", "--from", "--graph", "--disk", "--json", "--adapters");

    @TempDir Path folder;

    @Test
    void every_command_runs_as_typed() throws IOException {
        Files.writeString(
                folder.resolve("book.txt"), "Once upon a time there was a tide. ".repeat(200));
        Files.writeString(
                folder.resolve("graph.json"),
                """
                {"nodes": [{"id": 0, "cost_cpu": 1, "cost_ram": 4},
                           {"id": 1, "cost_cpu": 1, "cost_ram": 4},
                           {"id": 2, "cost_cpu": 1, "cost_ram": 4},
                           {"id": 3, "cost_cpu": 1, "cost_ram": 4},
                           {"id": 4, "cost_cpu": 1, "cost_ram": 4},
                           {"id": 5, "cost_cpu": 1, "cost_ram": 4},
                           {"id": 6, "cost_cpu": 1, "cost_ram": 4},
                           {"id": 7, "cost_cpu": 1, "cost_ram": 4},
                           {"id": 8, "cost_cpu": 1, "cost_ram": 4},
                           {"id": 9, "cost_cpu": 1, "cost_ram": 4},
                           {"id": 10, "cost_cpu": 1, "cost_ram": 4}],
                 "links": [{"source": 0, "target": 1}, {"source": 1, "target": 2},
                           {"source": 2, "target": 3}, {"source": 3, "target": 4},
                           {"source": 4, "target": 5}, {"source": 5, "target": 6},
                           {"source": 4, "target": 6}, {"source": 6, "target": 7},
                           {"source": 3, "target": 7}, {"source": 7, "target": 8},
                           {"source": 2, "target": 8}, {"source": 8, "target": 9},
                           {"source": 1, "target": 9}, {"source": 9, "target": 10},
                           {"source": 0, "target": 10}]}
                """);
        int commands = 0;
        try (var pages = Files.list(GUIDE)) {
            for (var page : pages.filter(f -> f.toString().endsWith(".md")).sorted().toList()) {
                var text = Files.readString(page);
                var block = BLOCK.matcher(text);
                while (block.find()) {
                    if (!block.group(2).startsWith("./ebb ")) continue;
                    for (var line : block.group(2).lines().toList()) {
                        run(line, text.contains("`--steps 2`"));
                        commands++;
                    }
                }
            }
        }
        assertThat(commands).isGreaterThanOrEqualTo(10);
    }

    private void run(String line, boolean quick) {
        assertThat(line).as("a line of a block of commands").startsWith("./ebb ");
        var words = new ArrayList<String>();
        var word = WORD.matcher(EXPLAINED.matcher(line).replaceFirst("").substring(6));
        while (word.find()) words.add(word.group(1) == null ? word.group(2) : word.group(1));
        boolean begins = words.getFirst().equals("train") && !words.contains("--resume");
        if (quick && begins) words.addAll(List.of("--steps", "2"));
        if (begins && !words.contains("--out")) words.addAll(List.of("--out", "ebb-run"));
        for (int i = 1; i < words.size(); i++)
            if (FILES.contains(words.get(i - 1)))
                words.set(i, folder.resolve(words.get(i)).toString());
        var result = Shell.run(words);
        assertThat(result.code()).as(line + "\n" + result.out() + result.err()).isZero();
        assertThat(result.out() + result.err()).as(line).doesNotContain("\tat ");
    }
}
