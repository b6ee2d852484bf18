package dev.ebb.cli;

import dev.ebb.cli.option.BareGraph;
import dev.ebb.cli.option.BarePlan;
import dev.ebb.cli.option.BudgetText;
import dev.ebb.plan.Budget;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;

/** Prints what a plan does with each value, and why. */
@Command(
        name = "explain",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Say what a plan does with each value, and why.")
final class ExplainCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..1",
            paramLabel = "FILE",
            description = "A graph of costs and sizes as JSON, instead of a model.")
    private @Nullable Path graph;

    @Option(
            names = "--budget",
            paramLabel = "BYTES",
            defaultValue = "64MiB",
            converter = BudgetText.class,
            description = "Bytes, KiB, MiB, GiB or a percentage. Default: ${DEFAULT-VALUE}.")
    private Budget budget = Budget.mebibytes(64);

    @Mixin private ModelArguments model = new ModelArguments();

    @Spec private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        var out = Objects.requireNonNull(spec).commandLine().getOut();
        if (graph != null) {
            model.disk().refuseFor("a bare graph");
            out.print(BarePlan.of(BareGraph.read(graph), budget).plan().explain());
        } else {
            out.print(model.plan(budget).explain());
        }
        out.flush();
        return 0;
    }
}
