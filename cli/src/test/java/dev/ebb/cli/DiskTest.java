package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code --disk}: less memory than the smallest budget without it, with the same bits. */
final class DiskTest {
    private static final List<String> MODEL =
            List.of("--model", "1x16x2", "--context", "16", "--batch", "2");

    @TempDir Path folder;

    private Shell.Result run(String command, List<String> more) {
        var arguments = new ArrayList<>(List.of(command));
        arguments.addAll(MODEL);
        arguments.addAll(more);
        return Shell.run(arguments);
    }

    private long least(String name, String... more) {
        var json = folder.resolve(name);
        var arguments = new ArrayList<>(List.of("--budget", "100%", "--json", json.toString()));
        arguments.addAll(List.of(more));
        var result = run("plan", arguments);
        assertThat(result.code()).as(result.err()).isZero();
        return Shell.whole(json, "least_budget_bytes");
    }

    private Shell.Result train(String name, String... more) throws IOException {
        var text = folder.resolve("text.txt");
        if (!Files.exists(text))
            Files.writeString(text, "flood and ebb, ebb and flood. ".repeat(9));
        var arguments =
                new ArrayList<>(
                        List.of(
                                "--steps",
                                "3",
                                "--text",
                                text.toString(),
                                "--out",
                                folder.resolve(name).toString(),
                                "--json",
                                folder.resolve(name + ".json").toString()));
        arguments.addAll(List.of(more));
        return run("train", arguments);
    }

    @Test
    void what_no_memory_alone_allows_is_trained_with_the_same_bits() throws IOException {
        var room = Files.createDirectory(folder.resolve("room")).toString();
        long without = least("without.json");
        long with = least("with.json", "--disk", room, "--disk-room", "8MiB");
        assertThat(with).isLessThan(without);
        var budget = String.valueOf((with + without) / 2);
        var refused = train("refused", "--budget", budget);
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err()).contains("is too small").doesNotContain("\tat ");

        assertThat(train("all", "--budget", "100%").code()).isZero();
        var disk = train("disk", "--budget", budget, "--disk", room, "--disk-room", "8MiB");
        assertThat(disk.code()).as(disk.err()).isZero();
        assertThat(disk.out()).contains("disk: promised ", "room 8.0 MiB");
        var json = folder.resolve("disk.json");
        assertThat(Shell.digest(json)).isEqualTo(Shell.digest(folder.resolve("all.json")));
        assertThat(Shell.whole(json, "disk_room_bytes")).isEqualTo(8 << 20);
        assertThat(Shell.whole(json, "disk_measured_peak_bytes"))
                .isPositive()
                .isEqualTo(Shell.whole(json, "disk_promised_peak_bytes"))
                .isLessThanOrEqualTo(8 << 20);
        assertThat(Shell.whole(json, "measured_peak_bytes"))
                .isEqualTo(Shell.whole(json, "promised_peak_bytes"))
                .isLessThanOrEqualTo(Long.parseLong(budget));
        assertThat(Files.readString(folder.resolve("disk/report.html")))
                .contains("offloaded to disk ");
        try (var left = Files.list(Path.of(room))) {
            assertThat(left).as("the file goes with the run").isEmpty();
        }
        assertThat(Shell.whole(folder.resolve("all.json"), "disk_room_bytes")).isZero();
    }

    @Test
    void a_disk_that_is_not_there_is_named() throws IOException {
        var nowhere = folder.resolve("nowhere").toString();
        var result = train("x", "--budget", "100%", "--disk", nowhere, "--disk-room", "8MiB");
        assertThat(result.code()).as(result.err()).isEqualTo(1);
        assertThat(result.err()).contains("nowhere").doesNotContain("\tat ");
        assertThat(Files.exists(Path.of(nowhere))).isFalse();
    }

    @Test
    void a_bare_graph_has_no_disk() throws IOException {
        var bare = Files.writeString(folder.resolve("g.json"), "{\"nodes\":[],\"links\":[]}");
        var graph = Shell.run("plan", "--graph", bare.toString(), "--disk", ".");
        assertThat(graph.code()).isEqualTo(1);
        assertThat(graph.err()).contains("--disk cannot be used with a bare graph");
    }
}
