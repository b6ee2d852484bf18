package dev.ebb.cli;

import dev.ebb.cli.option.BudgetText;
import dev.ebb.cli.option.ModelSize;
import dev.ebb.cli.tune.Tuning;
import dev.ebb.exec.Category;
import dev.ebb.exec.program.MemoryProfile;
import dev.ebb.nn.adapt.LoraConfig;
import dev.ebb.nn.adapt.QuantisedDense;
import dev.ebb.nn.adapt.QuantisedDense.Bits;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;

/** Shows what each size of a model does to memory. */
@Command(
        name = "memory",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Show what batch, context, width and depth do to the memory of training and of use, and"
                    + " what adapters and weights of few bits save in fine-tuning.",
            "Nothing is trained: every figure is a plan's."
        })
final class Memory implements Callable<Integer> {
    @Mixin private ModelArguments model = new ModelArguments();

    @Spec private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        var out = Objects.requireNonNull(spec).commandLine().getOut();
        var s = model.size();
        out.printf(
                "%-22s %10s %10s %12s %12s %12s%n",
                "", "weights", "optimizer", "activations", "training", "use");
        row(out, "as it is", s);
        row(
                out,
                "batch x 2",
                new ModelSize(s.layers(), s.width(), s.heads(), s.context(), 2 * s.batch()));
        row(
                out,
                "context x 2",
                new ModelSize(s.layers(), s.width(), s.heads(), 2 * s.context(), s.batch()));
        row(
                out,
                "width x 2",
                new ModelSize(s.layers(), 2 * s.width(), s.heads(), s.context(), s.batch()));
        row(
                out,
                "depth x 2",
                new ModelSize(2 * s.layers(), s.width(), s.heads(), s.context(), s.batch()));
        tuned(out, "adapters of rank 8", s, Optional.empty());
        tuned(out, "the same, 8 bits", s, Optional.of(Bits.EIGHT));
        tuned(out, "the same, 4 bits", s, Optional.of(Bits.FOUR));
        out.printf(
                "%nAttention is computed without its scores in memory. With them, the backward half"
                        + " would keep %s more.%n",
                BudgetText.show(model.of(s).scoreBytes()));
        return 0;
    }

    private void row(PrintWriter out, String name, ModelSize size) {
        var figures = model.of(size).memory(model.device());
        out.printf(
                "%-22s %10s %10s %12s %12s %12s%n",
                name,
                BudgetText.show(figures.bytes().getOrDefault(Category.PARAMETERS, 0L)),
                BudgetText.show(figures.bytes().getOrDefault(Category.OPTIMIZER, 0L)),
                BudgetText.show(figures.bytes().getOrDefault(Category.ACTIVATIONS, 0L)),
                BudgetText.show(figures.training()),
                BudgetText.show(figures.use()));
    }

    /** Fine-tuning: adapters beside every dense layer of a model that stays as it is. */
    private void tuned(PrintWriter out, String name, ModelSize size, Optional<Bits> bits) {
        var gpt = ModelArguments.model(size);
        var frozen =
                bits.map(b -> gpt.rewritten((_, layer) -> QuantisedDense.of(layer, b))).orElse(gpt);
        var plan =
                Tuning.plan(frozen, LoraConfig.of(8), size.batch(), size.context(), model.device());
        var profile = MemoryProfile.of(plan.layout());
        out.printf(
                "%-22s %10s %10s %12s %12s %12s%n",
                name,
                BudgetText.show(profile.peak(Category.PARAMETERS)),
                BudgetText.show(profile.peak(Category.OPTIMIZER)),
                BudgetText.show(profile.peak(Category.ACTIVATIONS)),
                BudgetText.show(plan.storeAllBytes()),
                BudgetText.show(PlannedModel.use(frozen, size, model.device(), model.cache())));
    }
}
