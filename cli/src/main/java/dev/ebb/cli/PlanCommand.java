package dev.ebb.cli;

import dev.ebb.cli.option.BareGraph;
import dev.ebb.cli.option.BarePlan;
import dev.ebb.cli.option.BudgetText;
import dev.ebb.cli.option.OutputFile;
import dev.ebb.cli.report.KnownFigures;
import dev.ebb.cli.report.PlanFigures;
import dev.ebb.cli.report.PlanInBudget;
import dev.ebb.nn.file.AtomicFile;
import dev.ebb.plan.Budget;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Objects;
import java.util.concurrent.Callable;

/** Prints a plan without running it. */
@Command(
        name = "plan",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Plan a training step in a budget, without running it.",
            "With --graph: plan a graph of costs and sizes instead; the JSON lists every step."
        })
final class PlanCommand implements Callable<Integer> {
    @Option(
            names = "--graph",
            paramLabel = "FILE",
            description = "A graph of costs and sizes as JSON with nodes and links.")
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
        OutputFile.require("--json", json);
        var out = Objects.requireNonNull(spec).commandLine().getOut();
        if (graph != null) {
            model.disk().refuseFor("a bare graph");
            var plan = BarePlan.of(BareGraph.read(graph), budget);
            out.print(plan.text());
            out.flush();
            write(plan.json());
            return 0;
        }
        var figures = figures();
        figures.lines().forEach((name, text) -> out.printf("%-13s %s%n", name, text));
        write(figures.json() + "\n");
        return 0;
    }

    private PlanFigures figures() throws IOException {
        var asked = new ArrayList<>(model.decidedBy());
        if (!asked.isEmpty()) asked.add(budget.toString());
        return KnownFigures.in(model.cache()).of(asked, this::planned);
    }

    private PlanInBudget planned() throws IOException {
        return PlanInBudget.of(model.plan(budget), budget);
    }

    private void write(String text) throws IOException {
        if (json != null) AtomicFile.write(json, text);
    }
}
