package dev.ebb.cli.tune;

import dev.ebb.cli.option.BudgetText;
import dev.ebb.nn.model.PretrainedFile;
import dev.ebb.nn.model.Weights;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;

/** The output of a fine-tuning run, besides its progress bar. */
record TuningLines(Tuning tuning, TuningSettings settings, PrintWriter lines) {

    void hello(PretrainedFile model, TuningText tokens) {
        lines.printf(
                Locale.ROOT,
                "%,d parameters, frozen in %d bits; adapters of rank %d: %,d parameters%n",
                Weights.count(model.blank()),
                settings.bits(),
                settings.rank(),
                Weights.count(tuning.form().adapters()));
        lines.println(tokens.description());
    }

    /** Evaluates the held-out data and returns the loss; NaN if there are none. */
    double evaluated() {
        double loss = tuning.evaluate();
        if (!Double.isNaN(loss))
            lines.printf(
                    Locale.ROOT,
                    "held out after step %d: loss %.4f, perplexity %.2f%n",
                    tuning.made(),
                    loss,
                    Math.exp(loss));
        return loss;
    }

    /**
     * @param first the loss on the held-out data before the first step
     */
    void goodbye(Path out, double first, boolean stopped) {
        if (stopped) {
            lines.println(
                    "stopped after step "
                            + tuning.made()
                            + "; go on with: ebb finetune --resume --out "
                            + out);
        } else {
            double last = evaluated();
            if (!Double.isNaN(last))
                lines.printf(Locale.ROOT, "held-out loss: %.4f -> %.4f%n", first, last);
        }
        var report = tuning.report();
        lines.println(
                "memory: promised "
                        + BudgetText.show(report.promisedBytes())
                        + ", measured "
                        + BudgetText.show(report.measuredBytes())
                        + ", budget "
                        + settings.budget());
        lines.println("adapters: " + out.toAbsolutePath().normalize());
        if (stopped) return;
        lines.println(
                "generate text with them: ebb generate --from "
                        + settings.from()
                        + " --adapters "
                        + out
                        + " \"a prompt\"");
    }
}
