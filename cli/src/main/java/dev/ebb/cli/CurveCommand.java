package dev.ebb.cli;

import dev.ebb.cli.option.BareGraph;
import dev.ebb.cli.option.BarePlan;
import dev.ebb.cli.option.OutputFile;
import dev.ebb.cli.report.CurvePicture;
import dev.ebb.cli.report.CurveTable;
import dev.ebb.nn.file.AtomicFile;
import dev.ebb.plan.TradeOff;

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

/** Prints the trade-off of time against memory. */
@Command(
        name = "curve",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Show the predicted time of the best plan at every budget: as a table, JSON, a chart.",
            "Column 1 is for recomputation alone; each further column allows one more way to save"
                    + " memory."
        })
final class CurveCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..1",
            paramLabel = "FILE",
            description = "A graph of costs and sizes as JSON, instead of a model.")
    private @Nullable Path graph;

    @Mixin private ModelArguments model = new ModelArguments();

    @Option(names = "--json", paramLabel = "FILE", description = "Write the curve as JSON.")
    private @Nullable Path json;

    @Option(names = "--picture", paramLabel = "FILE.svg", description = "Draw the curve as SVG.")
    private @Nullable Path picture;

    @Spec private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        OutputFile.require("--json", json);
        OutputFile.require("--picture", picture);
        var curve = curve();
        CurveTable.print(curve, Objects.requireNonNull(spec).commandLine().getOut());
        if (json != null) AtomicFile.write(json, CurveTable.json(curve) + "\n");
        if (picture != null) AtomicFile.write(picture, CurvePicture.svg(curve));
        return 0;
    }

    private TradeOff curve() throws IOException {
        if (graph != null) {
            model.disk().refuseFor("a bare graph");
            return TradeOff.of(BarePlan.curve(BareGraph.read(graph)));
        }
        return model.curve();
    }
}
