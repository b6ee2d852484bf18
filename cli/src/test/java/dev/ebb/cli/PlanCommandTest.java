package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.plan.cost.Prices;
import dev.ebb.plan.cost.Roofline;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

class PlanCommandTest {
    private static final String CHAIN =
            """
            {"nodes": [{"id": 0, "cost_cpu": 1, "cost_ram": 10}, {"id": 1, "cost_cpu": 1, "cost_ram": 10},
              {"id": 2, "cost_cpu": 1, "cost_ram": 10}],
             "links": [{"source": 0, "target": 1}, {"source": 1, "target": 2}, {"source": 0, "target": 2}]}
            """;

    @TempDir Path folder;

    @Test
    void aBareGraphIsPlannedToTextAndJson() throws IOException {
        var graph = folder.resolve("graph.json");
        var plan = folder.resolve("plan.json");
        Files.writeString(graph, CHAIN);
        var run =
                Shell.run(
                        "plan",
                        "--graph",
                        graph.toString(),
                        "--budget",
                        "100%",
                        "--json",
                        plan.toString());
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).contains("peak");
        assertThat(Files.readString(plan))
                .contains(
                        "\"peak\"",
                        "\"cost\"",
                        "\"lower_bound\"",
                        "\"gap\"",
                        "\"least_budget\"",
                        "\"compute\"");
    }

    @Test
    void kernelsCostWhatTheUserSays() throws IOException {
        var prices = folder.resolve("prices");
        new Prices("some machine", Map.of(), new Roofline(1e9, 1e9, 1e9, 1e-3)).save(prices);
        var typical = Files.readString(plan("typical"));
        var priced = Files.readString(plan(prices.toString()));
        assertThat(priced).contains("\"cost\"").isNotEqualTo(typical);
        assertThat(Files.readString(plan(prices.toString()))).isEqualTo(priced);
        var wrong = Shell.run("plan", "--model", "tiny", "--cost", "guess");
        assertThat(wrong.code()).isNotZero();
        assertThat(wrong.err()).contains("typical, timed or a file of prices");
        Files.writeString(prices, "nonsense");
        var damaged = Shell.run("plan", "--model", "tiny", "--cost", prices.toString());
        assertThat(damaged.err()).contains("not a file of prices");
    }

    private Path plan(String cost) {
        var file = folder.resolve("plan-" + Math.abs(cost.hashCode()) + ".json");
        var run = Shell.run("plan", "--model", "tiny", "--cost", cost, "--json", file.toString());
        assertThat(run.code()).as(run.err()).isZero();
        return file;
    }
}
