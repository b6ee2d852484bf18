package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.nn.file.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code ebb curve}: a column, a line of JSON and a line of the picture for each set of ways to
 * restore values.
 */
class CurveCommandTest {
    @TempDir Path folder;

    private Shell.Result curve(String... more) {
        var arguments =
                new ArrayList<>(
                        List.of("curve", "--model", "1x16x2", "--context", "16", "--batch", "2"));
        arguments.addAll(
                List.of(
                        "--json",
                        folder.resolve("c.json").toString(),
                        "--picture",
                        folder.resolve("c.svg").toString()));
        arguments.addAll(List.of(more));
        var result = Shell.run(arguments);
        assertThat(result.code()).as(result.err()).isZero();
        return result;
    }

    private List<Json> lines() {
        return Shell.json(folder.resolve("c.json")).at("lines").orElseThrow().elements();
    }

    private static long whole(Json json, String name) {
        return json.at(name).flatMap(Json::whole).orElseThrow();
    }

    @Test
    void without_a_disk_there_is_one_line() throws IOException {
        var out = curve().out();
        assertThat(out).contains("budget", "of all", "time", "kept", "recomputed");
        assertThat(out).doesNotContain("time 1", "not possible");
        assertThat(lines()).hasSize(1);
        var picture = Files.readString(folder.resolve("c.svg"));
        assertThat(picture.split("stroke-width", -1)).hasSize(2);
        assertThat(picture)
                .contains("prefers-color-scheme: dark", ">Budget<", "Predicted time")
                .contains("least budget", " KiB</text>", ">1</text>");
        assertThat(picture.split("class=\"grid\"", -1)).as("a grid").hasSizeBetween(8, 24);
    }

    @Test
    void a_disk_adds_a_line_that_goes_further() throws IOException {
        var out = curve("--disk", folder.toString(), "--disk-room", "8MiB").out();
        assertThat(out)
                .contains("time 1: recompute", "time 2: recompute + disk", "not possible")
                .contains("fetched");
        var lines = lines();
        assertThat(lines).hasSize(2);
        assertThat(lines.get(1).at("ways").flatMap(Json::text)).contains("recompute + disk");
        assertThat(whole(lines.get(1), "least_budget_bytes"))
                .isLessThan(whole(lines.get(0), "least_budget_bytes"));
        for (var line : lines) {
            for (var point : line.at("points").orElseThrow().elements()) {
                double shares = 0;
                for (var way : List.of("kept", "recomputed", "iterated", "inverted", "fetched")) {
                    var part = point.at(way).orElseThrow();
                    assertThat(whole(part, "count")).isNotNegative();
                    shares += part.at("cost_share").flatMap(Json::number).orElseThrow();
                }
                assertThat(shares).isBetween(0.0, 1.0);
            }
        }
        assertThat(Files.readString(folder.resolve("c.svg")).split("stroke-width", -1)).hasSize(3);
    }

    @Test
    void a_bare_graph_has_a_curve_too() throws IOException {
        var graph = folder.resolve("graph.json");
        Files.writeString(
                graph,
                """
                {"nodes": [{"id": 0, "cost_cpu": 1, "cost_ram": 10}, {"id": 1, "cost_cpu": 1, "cost_ram": 10},
                  {"id": 2, "cost_cpu": 1, "cost_ram": 10}],
                 "links": [{"source": 0, "target": 1}, {"source": 1, "target": 2}, {"source": 0, "target": 2}]}
                """);
        var result = Shell.run("curve", graph.toString());
        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.out()).contains("100.0%");
    }
}
