package dev.ebb.cli;

import dev.ebb.exec.Report;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.Weights;
import dev.ebb.plan.Budget;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** One training run from its first step here to its report. */
record Run(
        Folder folder,
        long steps,
        int every,
        Budget budget,
        CostText cost,
        int threads,
        PrintWriter lines) {
    private static final int SAMPLE = 300;

    /** What came of it, and whether the user ended it early. */
    record Result(Outcome outcome, boolean stopped) {}

    Result train(Checkpoint from, Corpus corpus) throws IOException {
        hello(from, corpus);
        var device = Threads.device(threads);
        try (var stop = Stop.listen();
                var trainer = new Trainer(from, corpus, budget, device, cost.on(device))) {
            var plan = Planned.of(trainer.plan(), budget);
            loop(trainer, from.text(), plan, stop);
            var last = trainer.checkpoint(from.text());
            folder.save(last);
            var outcome = outcome(trainer, last, plan);
            var model = last.state().model();
            goodbye(outcome, corpus, model, stop.isAsked());
            HtmlReport.write(folder.report(), outcome, trainer, plan, corpus.unigramEntropy());
            lines.println("report: " + folder.report().toAbsolutePath());
            return new Result(outcome, stop.isAsked());
        }
    }

    private void hello(Checkpoint from, Corpus corpus) {
        var c = from.state().model().config();
        lines.printf(
                Locale.ROOT,
                "GPT: %d layers, width %d, %d heads, %,d parameters; batch %d x %d of %,d"
                        + " characters%n",
                c.layers(),
                c.width(),
                c.heads(),
                Weights.count(from.state().model()),
                from.settings().batch(),
                from.settings().context(),
                corpus.length());
        if (from.step() > 0) lines.println("going on after step " + from.step());
    }

    private void loop(Trainer trainer, String text, Planned plan, Stop stop) throws IOException {
        var memory =
                BudgetText.show(plan.promisedBytes())
                        + " of "
                        + BudgetText.show(plan.budgetBytes());
        try (var progress = Progress.of(trainer.made(), steps, lines)) {
            while (trainer.made() < steps && !stop.isAsked()) {
                double loss = trainer.step();
                if (!Double.isFinite(loss)) {
                    throw new Refusal(
                            "the loss is "
                                    + loss
                                    + " at step "
                                    + trainer.made()
                                    + "; the last checkpoint is in "
                                    + folder.path());
                }
                progress.show(
                        new Progress.Figures(
                                trainer.made(),
                                loss,
                                trainer.seconds().getLast(),
                                trainer.tokensPerStep(),
                                memory));
                if (trainer.made() % every == 0 && trainer.made() < steps)
                    folder.save(trainer.checkpoint(text));
            }
        }
    }

    private Outcome outcome(Trainer trainer, Checkpoint last, Planned plan) {
        double all = trainer.seconds().stream().mapToDouble(Double::doubleValue).sum();
        double tokens = (double) trainer.tokensPerStep() * trainer.seconds().size();
        var report = trainer.report();
        return new Outcome(
                trainer.losses(),
                all == 0 ? 0 : tokens / all,
                Outcome.median(trainer.seconds()),
                plan.budgetBytes(),
                plan.promisedBytes(),
                report.map(Report::measuredBytes).orElse(plan.promisedBytes()),
                plan.storeAllBytes(),
                plan.recomputeShare(),
                report.map(Report::categories).orElse(List.of()),
                report.map(Report::kernels).orElse(List.of()),
                Weights.count(last.state().model()),
                Weights.digest(last.state().model()));
    }

    private void goodbye(Outcome outcome, Corpus corpus, Gpt2 model, boolean stopped) {
        if (stopped) {
            lines.println(
                    "stopped after step "
                            + outcome.losses().size()
                            + "; go on with: ebb train --resume --out "
                            + folder.path());
        } else {
            lines.println("a sample:");
            lines.println(sample(model).indent(4));
        }
        var losses = outcome.losses();
        if (!losses.isEmpty()) {
            lines.printf(
                    Locale.ROOT,
                    "loss: %.3f nats a character (knowing frequencies alone: %.3f)%n",
                    Outcome.median(losses.subList(Math.max(0, losses.size() - 10), losses.size())),
                    corpus.unigramEntropy());
        }
        lines.println(
                "memory: promised "
                        + BudgetText.show(outcome.promisedBytes())
                        + ", measured "
                        + BudgetText.show(outcome.measuredBytes())
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
    }

    private static String sample(Gpt2 model) {
        try (var sampler = new Sampler(model, 0.8, 40, Budget.unlimited())) {
            var prompt = "/** ".chars().toArray();
            var bytes = new byte[SAMPLE];
            var drawn = sampler.sample(prompt, SAMPLE, new Seed(1));
            for (int i = 0; i < drawn.length; i++) bytes[i] = (byte) drawn[i];
            return printable("/** " + new String(bytes, StandardCharsets.UTF_8));
        }
    }

    /** A terminal is not to be driven by what a model says. */
    private static String printable(String text) {
        return text.replaceAll("[\\p{Cntrl}\\x{FFFD}&&[^\\n\\t]]", "·");
    }
}
