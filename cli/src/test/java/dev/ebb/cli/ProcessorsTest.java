package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.nn.file.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/** Plans and results of training are the same for any number of processors. */
final class ProcessorsTest {
    private static final List<Integer> PROCESSORS = List.of(1, 2, 16, 64);

    @TempDir Path folder;

    /**
     * Trains on each simulated number of processors, without cached plans, and reads the results.
     */
    private List<Json> trained() throws Exception {
        var text = folder.resolve("text.txt");
        Files.writeString(text, "the tide comes, the tide goes. ".repeat(400));
        var children = new LinkedHashMap<Integer, Process>();
        for (int p : PROCESSORS) {
            var arguments =
                    new ArrayList<>(
                            List.of("train", "--no-cache", "--steps", "2", "--budget", "60%"));
            arguments.addAll(List.of("--model", "1x32x2", "--context", "32", "--batch", "32"));
            arguments.addAll(List.of("--text", text.toString(), "--out", folder + "/out" + p));
            arguments.addAll(List.of("--json", folder + "/" + p + ".json"));
            var options = Shell.quick("-XX:ActiveProcessorCount=" + p);
            children.put(p, Shell.spawn(options, arguments, folder.resolve("log" + p)));
        }
        var found = new ArrayList<Json>();
        for (var child : children.entrySet()) {
            int code = child.getValue().waitFor();
            assertThat(code).as(Files.readString(folder.resolve("log" + child.getKey()))).isZero();
            found.add(Shell.json(folder.resolve(child.getKey() + ".json")));
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
    void plans_and_bits_are_the_same() throws Exception {
        var runs = trained();
        same(runs, "schedule_digest", "least_budget_bytes", "store_all_peak_bytes");
        same(runs, "recompute_share", "loss", "weights_digest", "budget_bytes");
        for (var run : runs) {
            long promised = run.at("promised_peak_bytes").flatMap(Json::whole).orElseThrow();
            long budget = run.at("budget_bytes").flatMap(Json::whole).orElseThrow();
            assertThat(promised).isLessThanOrEqualTo(budget);
            assertThat(run.at("measured_peak_bytes").flatMap(Json::whole)).hasValue(promised);
        }
    }
}
