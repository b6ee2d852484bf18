package dev.ebb.cli;

import dev.ebb.nn.file.Durable;
import dev.ebb.nn.file.Json;
import dev.ebb.plan.Budget;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;

/** Shows what memory buys. */
@Command(
        name = "curve",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Show the least predicted time at every budget: a table, JSON, a picture.")
final class CurveCommand implements Callable<Integer> {
    @Parameters(arity = "0..1", paramLabel = "FILE", description = "A bare graph.")
    private @Nullable Path graph;

    @Mixin private ModelArguments model = new ModelArguments();

    @Option(names = "--json", paramLabel = "FILE", description = "Write the curve as JSON.")
    private @Nullable Path json;

    @Option(names = "--picture", paramLabel = "FILE.svg", description = "Draw the curve.")
    private @Nullable Path picture;

    @Spec private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        var corners = corners();
        var out = Objects.requireNonNull(spec).commandLine().getOut();
        double once = corners.getFirst().cost();
        double all = corners.getFirst().bytes();
        out.printf("%14s  %8s  %8s%n", "budget", "of all", "time");
        for (var c : corners) {
            out.printf(
                    Locale.ROOT,
                    "%14s  %7.1f%%  %8.4f  %s%n",
                    BudgetText.show(c.bytes()),
                    100 * c.bytes() / all,
                    c.cost() / once,
                    "#".repeat((int) Math.min(60, 20 * c.cost() / once)));
        }
        if (json != null) save(json, json(corners) + "\n");
        if (picture != null) save(picture, CurvePicture.svg(corners));
        return 0;
    }

    private List<Planned.Corner> corners() throws IOException {
        if (graph != null) {
            model.disk().refuseFor("a bare graph");
            return BarePlan.curve(BareGraph.parse(Files.readString(graph))).points().stream()
                    .map(p -> new Planned.Corner(p.bytes(), p.cost()))
                    .toList();
        }
        var all = Budget.unlimited();
        return Planned.of(model.plan(model.size(), all), all).curve();
    }

    private static void save(Path file, String text) throws IOException {
        Durable.write(file, o -> o.write(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static Json json(List<Planned.Corner> corners) {
        return Json.of(
                corners.stream()
                        .map(
                                c ->
                                        Json.of(
                                                Map.of(
                                                        "bytes",
                                                        Json.of(c.bytes()),
                                                        "cost",
                                                        Json.of(c.cost()))))
                        .toList());
    }
}
