package dev.ebb.cli;

import dev.ebb.cli.option.BudgetText;
import dev.ebb.cli.option.CostText;
import dev.ebb.cli.option.DeviceArgument;
import dev.ebb.cli.option.Refusal;
import dev.ebb.cli.option.StopSignal;
import dev.ebb.cli.report.Machine;
import dev.ebb.cli.report.PlanInBudget;
import dev.ebb.cli.report.Progress;
import dev.ebb.cli.report.ResidentMemory;
import dev.ebb.cli.report.RunFigures;
import dev.ebb.cli.report.RunWatch;
import dev.ebb.exec.Report;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.file.AtomicFile;
import dev.ebb.nn.generate.Generator;
import dev.ebb.nn.generate.Sampling;
import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.Llama;
import dev.ebb.nn.model.Pretrained;
import dev.ebb.nn.model.Weights;
import dev.ebb.plan.Budget;
import dev.ebb.plan.cache.PlanCache;
import dev.ebb.plan.schedule.Place;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

/**
 * A training run of this process, from its first step to its report, with the settings of its
 * checkpoint.
 *
 * @param command the command line that started it
 * @param again the command line that resumes it
 */
record Run(
        RunFolder folder,
        String command,
        String again,
        DeviceArgument device,
        PlanCache cache,
        PrintWriter lines,
        RunWatch watch) {
    private static final int SAMPLE = 300;

    /** Loads the initial state when it is requested; no reference to it is kept. */
    @FunctionalInterface
    interface Start {
        Checkpoint read() throws IOException;
    }

    /** The part of a run that remains after its memory is freed. */
    private record Finished(RunFigures outcome, String page) {}

    /** Trains until the last step or until the user asks for a stop. */
    RunFigures train(Start start, Corpus corpus, StopSignal stop) throws IOException {
        var end = finished(start, corpus, stop);
        goodbye(end.outcome, corpus, stop.isAsked());
        AtomicFile.write(folder.report(), end.page);
        AtomicFile.write(folder.figures(), end.outcome.json() + "\n");
        lines.println("report: " + folder.report().toAbsolutePath());
        return end.outcome;
    }

    private Finished finished(Start start, Corpus corpus, StopSignal stop) throws IOException {
        try (var trainer = trainer(start, corpus)) {
            // the state is in the program's memory now; the arrays it was copied from are garbage
            ResidentMemory.tidy();
            var plan = PlanInBudget.of(trainer.plan(), trainer.setup().bounds());
            loop(trainer, plan, stop);
            folder.save(trainer.checkpoint());
            watch.saved(trainer.made());
            var outcome = outcome(trainer, plan);
            watch.ends(outcome, stop.isAsked());
            var page =
                    HtmlReport.of(
                            outcome,
                            plan,
                            trainer.tradeOff(),
                            new HtmlReport.About(
                                    trainer.described(), command, Machine.text(trainer.device())),
                            trainer.names(),
                            trainer.held(),
                            corpus.unigramEntropy());
            return new Finished(outcome, page);
        }
    }

    private Trainer trainer(Start start, Corpus corpus) throws IOException {
        var from = start.read();
        var here = device.device(from.setup().threads());
        var cost = new CostText(from.setup().cost()).on(here);
        ResidentMemory.tidy();
        hello(from, corpus);
        return new Trainer(from, corpus, here, cost, cache);
    }

    private void hello(Checkpoint from, Corpus corpus) {
        lines.printf(
                Locale.ROOT,
                "%s, %,d parameters; batch %d x %d of %,d characters%n",
                described(from.state().model()),
                Weights.count(from.state().model()),
                from.settings().batch(),
                from.settings().context(),
                corpus.length());
        if (from.step() > 0) lines.println("going on after step " + from.step());
    }

    static String described(AutoregressiveModel model) {
        return switch (model) {
            case Gpt2(_, _, _, _, var c) -> described("GPT", c.layers(), c.width(), c.heads());
            case Llama(_, _, _, _, var c) -> described("Llama", c.layers(), c.width(), c.heads());
            default -> model.getClass().getSimpleName();
        };
    }

    private static String described(String kind, int layers, int width, int heads) {
        return kind + ": " + layers + " layers, width " + width + ", " + heads + " heads";
    }

    private void loop(Trainer trainer, PlanInBudget plan, StopSignal stop) throws IOException {
        var memory =
                BudgetText.show(plan.promisedBytes())
                        + " of "
                        + BudgetText.show(plan.budgetBytes());
        long steps = trainer.setup().steps();
        watch.begins(
                new RunWatch.Begin(
                        trainer.made(),
                        steps,
                        trainer.tokensPerStep(),
                        plan.promisedBytes(),
                        plan.budgetBytes()));
        try (var progress = Progress.of(trainer.made(), steps, lines)) {
            while (trainer.made() < steps && !stop.isAsked()) {
                double loss = trainer.step();
                if (!Double.isFinite(loss)) {
                    throw new Refusal(
                            "the loss is %s at step %s; the last checkpoint is in %s"
                                    .formatted(loss, trainer.made(), folder.path()));
                }
                watch.made(
                        new RunWatch.Made(
                                trainer.made(),
                                loss,
                                trainer.seconds().getLast(),
                                trainer.report().map(Report::measuredBytes).orElse(0L)));
                progress.show(
                        new Progress.Figures(
                                trainer.made(),
                                loss,
                                trainer.seconds().getLast(),
                                trainer.tokensPerStep(),
                                memory));
                if (trainer.made() % trainer.setup().every() == 0 && trainer.made() < steps) {
                    folder.save(trainer.checkpoint());
                    watch.saved(trainer.made());
                    ResidentMemory.tidy();
                }
            }
        }
    }

    private RunFigures outcome(Trainer trainer, PlanInBudget plan) {
        double all = trainer.seconds().stream().mapToDouble(Double::doubleValue).sum();
        double tokens = (double) trainer.tokensPerStep() * trainer.seconds().size();
        var report = trainer.report();
        return new RunFigures(
                trainer.losses(),
                all == 0 ? 0 : tokens / all,
                RunFigures.median(trainer.seconds()),
                plan.budgetBytes(),
                plan.promisedBytes(),
                measured(report, Report::measuredBytes),
                plan.storeAllBytes(),
                plan.leastBytes(),
                plan.scheduleDigest(),
                plan.recomputeShare(),
                new RunFigures.Disk(
                        trainer.setup().bounds().places().stream().mapToLong(Place::bytes).sum(),
                        plan.layout().offloadedBytes(),
                        measured(
                                report,
                                r ->
                                        r.places().stream()
                                                .mapToLong(Report.Beside::measuredBytes)
                                                .sum())),
                report.map(Report::categories).orElse(List.of()),
                report.map(Report::kernels).orElse(List.of()),
                trainer.parameters(),
                trainer.digest());
    }

    private static OptionalLong measured(Optional<Report> report, ToLongFunction<Report> figure) {
        return report.map(r -> OptionalLong.of(figure.applyAsLong(r))).orElse(OptionalLong.empty());
    }

    private void goodbye(RunFigures outcome, Corpus corpus, boolean stopped) throws IOException {
        if (stopped) {
            lines.println(
                    "stopped after step " + outcome.losses().size() + "; go on with: " + again);
        } else {
            lines.println("a sample:");
            // read from the file, so that training's memory is freed before the model is loaded
            ResidentMemory.tidy();
            lines.println(sample(Pretrained.load(folder.checkpoint())).indent(4));
        }
        var losses = outcome.losses();
        if (!losses.isEmpty()) {
            lines.printf(
                    Locale.ROOT,
                    "loss: %.3f nats a character (knowing frequencies alone: %.3f)%n",
                    RunFigures.median(
                            losses.subList(Math.max(0, losses.size() - 10), losses.size())),
                    corpus.unigramEntropy());
        }
        lines.println(
                "memory: promised "
                        + BudgetText.show(outcome.promisedBytes())
                        + ", "
                        + measured(outcome.measuredBytes())
                        + ", budget "
                        + BudgetText.show(outcome.budgetBytes())
                        + "; keeping everything would take "
                        + BudgetText.show(outcome.storeAllBytes()));
        for (var p : outcome.categories()) {
            lines.printf(
                    "  %-12s promised %9s, measured %9s at most%n",
                    p.category().name().toLowerCase(Locale.ROOT),
                    BudgetText.show(p.promisedBytes()),
                    BudgetText.show(p.measuredBytes()));
        }
        if (outcome.disk().roomBytes() > 0) {
            lines.println(
                    "disk: promised "
                            + BudgetText.show(outcome.disk().promisedBytes())
                            + ", "
                            + measured(outcome.disk().measuredBytes())
                            + ", room "
                            + BudgetText.show(outcome.disk().roomBytes()));
        }
        ResidentMemory.peakBytes()
                .ifPresent(
                        bytes ->
                                lines.println(
                                        "process: at most "
                                                + BudgetText.show(bytes)
                                                + " resident: the memory above, and at most "
                                                + BudgetText.show(ResidentMemory.JVM_BYTES)
                                                + " for the JVM"));
    }

    private static String measured(OptionalLong bytes) {
        return bytes.isPresent()
                ? "measured " + BudgetText.show(bytes.getAsLong())
                : "nothing was measured, because no step was made";
    }

    private String sample(AutoregressiveModel model) {
        int context = Math.min(model.context(), SAMPLE);
        var prompt = "/** ";
        try (var generator =
                new Generator(model, 1, context, Budget.unlimited(), device.device())) {
            var sampling = Sampling.plain().temperature(0.8).top(40);
            var drawn =
                    generator
                            .generate(
                                    List.of(prompt.chars().toArray()),
                                    SAMPLE,
                                    sampling,
                                    new Seed(1))
                            .getFirst();
            var bytes = new byte[drawn.length];
            for (int i = 0; i < drawn.length; i++) bytes[i] = (byte) drawn[i];
            return printable(prompt + new String(bytes, StandardCharsets.UTF_8));
        }
    }

    /**
     * The text without control characters, because a model's output must not control the terminal.
     */
    private static String printable(String text) {
        return text.replaceAll("[\\p{Cntrl}\\x{FFFD}&&[^\\n\\t]]", "·");
    }
}
