package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

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
}
