package dev.ebb.cli;

import dev.ebb.cli.option.BudgetText;
import dev.ebb.exec.Category;
import dev.ebb.nn.adapt.QuantisedDense.Bits;
import dev.ebb.nn.model.ModelSize;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Objects;
import java.util.concurrent.Callable;

/** Prints the memory of each model size. */
@Command(
        name = "memory",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Show how batch, context, width and depth change the memory for training and inference,"
                    + " and what adapters and quantised weights save in fine-tuning.",
            "Nothing is trained: all figures come from plans."
        })
final class MemoryCommand implements Callable<Integer> {
    @Mixin private ModelArguments model = new ModelArguments();

    @Spec private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        var out = Objects.requireNonNull(spec).commandLine().getOut();
        var source = model.source();
        var s = source.size();
        out.printf(
                "%-22s %10s %10s %12s %12s %12s%n",
                "", "weights", "optimizer", "activations", "training", "inference");
        row(out, "this model", source);
        row(out, "batch x 2", source.in(times(s, 1, 1, 1, 2)));
        if (!model.isFile()) {
            row(out, "context x 2", source.in(times(s, 1, 1, 2, 1)));
            row(out, "width x 2", source.in(times(s, 1, 2, 1, 1)));
            row(out, "depth x 2", source.in(times(s, 2, 1, 1, 1)));
        }
        var as = model.of(source);
        row(out, "adapters of rank 8", as.tuned(model.device()));
        row(out, "same, 8-bit weights", as.tuned(Bits.EIGHT, model.device()));
        row(out, "same, 4-bit weights", as.tuned(Bits.FOUR, model.device()));
        out.printf(
                "%nAttention does not store its scores. Storing them for the backward pass would"
                        + " take %s more.%n",
                BudgetText.show(as.scoreBytes()));
        return 0;
    }

    private static ModelSize times(ModelSize s, int depth, int width, int context, int batch) {
        return new ModelSize(
                depth * s.layers(),
                width * s.width(),
                s.heads(),
                context * s.context(),
                batch * s.batch());
    }

    private void row(PrintWriter out, String name, ModelSource source) {
        row(out, name, model.of(source).memory(model.device()));
    }

    private static void row(PrintWriter out, String name, PlannedModel.Figures figures) {
        out.printf(
                "%-22s %10s %10s %12s %12s %12s%n",
                name,
                BudgetText.show(figures.bytes().getOrDefault(Category.PARAMETERS, 0L)),
                BudgetText.show(figures.bytes().getOrDefault(Category.OPTIMIZER, 0L)),
                BudgetText.show(figures.bytes().getOrDefault(Category.ACTIVATIONS, 0L)),
                BudgetText.show(figures.training()),
                BudgetText.show(figures.use()));
    }
}
