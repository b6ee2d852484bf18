package dev.ebb.cli;

import dev.ebb.cli.option.BareGraph;
import dev.ebb.cli.option.BarePlan;
import dev.ebb.cli.option.BudgetText;
import dev.ebb.cli.report.PlanText;
import dev.ebb.cli.report.Planned;
import dev.ebb.nn.file.Durable;
import dev.ebb.nn.file.Json;
import dev.ebb.plan.Budget;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.Callable;

/** Plans without running. */
@Command(
        name = "plan",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Plan a training step in a budget, without running it.",
            "With --graph: plan a bare graph instead, and list every step in the JSON."
        })
final class PlanCommand implements Callable<Integer> {
    @Option(
            names = "--graph",
            paramLabel = "FILE",
            description = "A bare graph of costs and sizes: JSON with nodes and links.")
    private @Nullable Path graph;

    @Option(
            names = "--budget",
            paramLabel = "BYTES",
            defaultValue = "64MiB",
            converter = BudgetText.class,
            description = "Bytes, KiB, MiB, GiB or a percentage. Default: ${DEFAULT-VALUE}.")
    private Budget budget = Budget.mebibytes(64);

    @Mixin private ModelArguments model = new ModelArguments();

    @Option(names = "--json", paramLabel = "FILE", description = "Write the plan as JSON.")
    private @Nullable Path json;

    @Spec private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        var out = Objects.requireNonNull(spec).commandLine().getOut();
        if (graph != null) {
            model.disk().refuseFor("a bare graph");
            var plan = BarePlan.of(BareGraph.read(graph), budget);
            out.print(plan.text());
            out.flush();
            write(plan.json());
            return 0;
        }
        var plan = Planned.of(model.plan(model.size(), budget), budget);
        PlanText.lines(plan, OptionalLong.of(plan.leastBytes()))
                .forEach((name, text) -> out.printf("%-13s %s%n", name, text));
        write(json(plan) + "\n");
        return 0;
    }

    private void write(String text) throws IOException {
        if (json != null) Durable.write(json, o -> o.write(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static Json json(Planned p) {
        var members = new LinkedHashMap<String, Json>();
        members.put("budget_bytes", Json.of(p.budgetBytes()));
        members.put("promised_peak_bytes", Json.of(p.promisedBytes()));
        members.put("workers", Json.of(p.workers()));
        members.put("schedule_digest", Json.of(p.scheduleDigest()));
        members.put("store_all_peak_bytes", Json.of(p.storeAllBytes()));
        members.put("least_budget_bytes", Json.of(p.leastBytes()));
        members.put("cost", Json.of(p.plan().cost()));
        members.put("store_all_cost", Json.of(p.plan().curve().storeAllCost()));
        members.put("lower_bound", Json.of(p.plan().lowerBound()));
        members.put("gap", Json.of(p.plan().gap()));
        members.put("recompute_share", Json.of(p.recomputeShare()));
        members.put("disk_promised_peak_bytes", Json.of(p.diskBytes()));
        return Json.of(members);
    }
}
