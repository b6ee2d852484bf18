package dev.ebb.cli;

import dev.ebb.cli.option.BudgetText;
import dev.ebb.cli.option.DeviceArgument;
import dev.ebb.cli.option.Refusal;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.model.LanguageModel;
import dev.ebb.nn.model.Pretrained;
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
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;

/** Lets a trained model write. */
@Command(
        name = "generate",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Let a model that was trained on characters go on from a prompt.")
final class Generate implements Callable<Integer> {
    @Parameters(arity = "0..1", paramLabel = "PROMPT", description = "What to go on from.")
    private String prompt = "\n";

    @Option(
            names = "--from",
            paramLabel = "FILE.safetensors",
            description = "The model. Default: the checkpoint of the latest run here.")
    private @Nullable Path from;

    @Option(
            names = "--prefix",
            paramLabel = "NAME",
            description = "What stands before the" + " published names in --from.")
    private String prefix = "";

    @Option(names = "--length", paramLabel = "N", description = "Characters. Default: 500.")
    private int length = 500;

    @Option(
            names = "--temperature",
            paramLabel = "X",
            description =
                    "Below 1 the likely becomes likelier; 0 takes the likeliest. Default: 0.8.")
    private double temperature = 0.8;

    @Option(
            names = "--top",
            paramLabel = "N",
            description = "Draw among the N likeliest." + " Default: 40.")
    private int top = 40;

    @Option(names = "--seed", paramLabel = "N", description = "Default: 1.")
    private long seed = 1;

    @Option(
            names = "--budget",
            paramLabel = "BYTES",
            converter = BudgetText.class,
            description = "All memory the model may own. Default: no bound.")
    private Budget budget = Budget.unlimited();

    @Mixin private DeviceArgument device = new DeviceArgument();

    @Spec private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (length < 0) throw new Refusal("--length must not be negative, as " + length + " is");
        if (top < 1) throw new Refusal("--top must be positive, not " + top);
        if (!(temperature >= 0)) {
            throw new Refusal("--temperature must be zero or more, not " + temperature);
        }
        if (prompt.isEmpty()) {
            throw new Refusal("the prompt is empty; give a character at least, or leave it out");
        }
        var out = Objects.requireNonNull(spec).commandLine().getOut();
        out.println(prompt + text(model()));
        return 0;
    }

    private LanguageModel model() throws IOException {
        var file = from == null ? Folder.latest().checkpoint() : from;
        if (from == null && !Folder.latest().isUsed()) {
            throw new Refusal("there is no run here; name a model with --from, or run ebb train");
        }
        var model = Pretrained.load(file, prefix);
        if (model.vocabulary() < Corpus.VOCABULARY || model.vocabulary() > 2 * Corpus.VOCABULARY) {
            throw new Refusal(
                    file
                            + ": a vocabulary of "
                            + model.vocabulary()
                            + " is not one of characters; generate writes with models that ebb"
                            + " train made");
        }
        return model;
    }

    private String text(LanguageModel model) {
        var bytes = prompt.getBytes(StandardCharsets.UTF_8);
        var ids = new int[bytes.length];
        for (int i = 0; i < ids.length; i++) ids[i] = bytes[i] & 0xff;
        try (var sampler = new Sampler(model, temperature, top, budget, device.device())) {
            var drawn = sampler.sample(ids, length, new Seed(seed));
            var written = new byte[drawn.length];
            for (int i = 0; i < drawn.length; i++) written[i] = (byte) drawn[i];
            return new String(written, StandardCharsets.UTF_8);
        }
    }
}
