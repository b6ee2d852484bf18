package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.nn.file.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/** Training is planned and computed alike for any number of processors. */
final class ProcessorsTest {
    private static final List<Integer> PROCESSORS = List.of(1, 2, 16, 64);

    @TempDir Path folder;

    private Path file(String name, int processors) {
        return folder.resolve(name + processors);
    }

    private Process spawn(String name, int processors, List<String> arguments) throws IOException {
        var all = new ArrayList<>(arguments);
        all.addAll(List.of("--json", file(name, processors) + ".json"));
        var options = List.of("-XX:ActiveProcessorCount=" + processors);
        return Shell.spawn(options, all, file(name, processors));
    }

    /** Runs a command on each number of processors, and reads what each wrote. */
    private List<Json> each(String name, List<String> arguments) throws Exception {
        var children = new LinkedHashMap<Integer, Process>();
        for (int p : PROCESSORS) {
            var own = arguments.stream().map(a -> a.equals("OUT") ? file("out", p) + "" : a);
            children.put(p, spawn(name, p, own.toList()));
        }
        var found = new ArrayList<Json>();
        for (var child : children.entrySet()) {
            int code = child.getValue().waitFor();
            assertThat(code).as(Files.readString(file(name, child.getKey()))).isZero();
            found.add(Shell.json(Path.of(file(name, child.getKey()) + ".json")));
        }
        return found;
    }

    private static void same(List<Json> all, String... keys) {
        for (var key : keys) {
            var values = all.stream().map(json -> json.at(key).orElseThrow().toString()).toList();
            assertThat(values).as(key).containsOnly(values.getFirst());
        }
    }

    @Test
    void plans() throws Exception {
        same(
                each(
                        "plan",
                        List.of(
                                "plan",
                                "--no-cache",
                                "--model",
                                "2x64x2",
                                "--context",
                                "64",
                                "--batch",
                                "8",
                                "--budget",
                                "50%")),
                "schedule_digest",
                "least_budget_bytes",
                "store_all_peak_bytes",
                "cost");
    }

    @Test
    void trains() throws Exception {
        var text = folder.resolve("text.txt");
        Files.writeString(text, "the tide comes, the tide goes. ".repeat(400));
        var runs =
                each(
                        "train",
                        List.of(
                                "train",
                                "--model",
                                "2x64x4",
                                "--context",
                                "64",
                                "--batch",
                                "16",
                                "--budget",
                                "60%",
                                "--text",
                                text.toString(),
                                "--steps",
                                "2",
                                "--out",
                                "OUT"));
        same(runs, "loss", "weights_digest", "budget_bytes");
        for (var run : runs) {
            long promised = run.at("promised_peak_bytes").flatMap(Json::whole).orElseThrow();
            long budget = run.at("budget_bytes").flatMap(Json::whole).orElseThrow();
            assertThat(promised).isLessThanOrEqualTo(budget);
            assertThat(run.at("measured_peak_bytes").flatMap(Json::whole)).hasValue(promised);
        }
    }
}
