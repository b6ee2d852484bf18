package dev.ebb.cli;

import dev.ebb.cli.option.BudgetText;
import dev.ebb.cli.option.DeviceArgument;
import dev.ebb.cli.option.Refusal;
import dev.ebb.cli.tune.TuningText;
import dev.ebb.nn.Seed;
import dev.ebb.nn.adapt.LoraFiles;
import dev.ebb.nn.adapt.MergedModel;
import dev.ebb.nn.generate.Generator;
import dev.ebb.nn.generate.Sampling;
import dev.ebb.nn.model.Pretrained;
import dev.ebb.nn.model.PretrainedFile;
import dev.ebb.plan.Budget;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;

/** Generates text with a trained model. */
@Command(
        name = "generate",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Generate text from a prompt.",
            "Tokens are those of the model's tokenizer.json; a model of ebb train has none, and its"
                    + " tokens are bytes. A text ends after --length tokens, before a --stop, or"
                    + " where the model ends it (eos_token_id of its config)."
        },
        footerHeading = "%nFor example:%n",
        footer = {
            "  ebb generate --from gpt2 --length 50 \"Once upon a time\"",
            "  ebb generate --from gpt2 --adapters tuned --stop END \"Question: why? Answer:\""
        })
final class GenerateCommand implements Callable<Integer> {
    @Parameters(arity = "0..1", paramLabel = "PROMPT", description = "The text to continue.")
    private String prompt = "\n";

    @Option(
            names = "--from",
            paramLabel = "PATH",
            description =
                    "The model: a published model's folder (model.safetensors or its index,"
                            + " config.json, tokenizer.json), or a .safetensors file. Default: the"
                            + " checkpoint of the latest run here.")
    private @Nullable Path from;

    @Option(
            names = "--prefix",
            paramLabel = "NAME",
            description = "The prefix of the tensor names in --from.")
    private String prefix = "";

    @Option(names = "--length", paramLabel = "N", description = "The most tokens. Default: 500.")
    private int length = 500;

    @Option(
            names = "--temperature",
            paramLabel = "X",
            description = "Sampling temperature; 0 always takes the likeliest token. Default: 0.8.")
    private double temperature = 0.8;

    @Option(
            names = "--top",
            paramLabel = "N",
            description = "Sample among the N likeliest tokens. Default: 40.")
    private int top = 40;

    @Option(
            names = "--nucleus",
            paramLabel = "P",
            description =
                    "Sample among the likeliest tokens whose probabilities reach this sum (top-p)."
                            + " Default: 1.")
    private double nucleus = 1;

    @Option(
            names = "--repetition",
            paramLabel = "X",
            description =
                    "Above 1, penalises tokens that occurred already. Default: 1, no penalty.")
    private double repetition = 1;

    @Option(
            names = "--stop",
            paramLabel = "TEXT",
            description =
                    "Stop before this text, even if it is split across tokens. May be given"
                            + " several times.")
    private List<String> stops = List.of();

    @Option(
            names = "--context",
            paramLabel = "N",
            description =
                    "Context length in tokens. Default: prompt and --length, at most the model's"
                            + " own.")
    private @Nullable Integer context;

    @Option(names = "--seed", paramLabel = "N", description = "The seed of sampling. Default: 1.")
    private long seed = 1;

    @Option(
            names = "--adapters",
            paramLabel = "DIR",
            description = "Adapters to add to the model's weights, as ebb finetune writes them.")
    private @Nullable Path adapters;

    @Option(
            names = "--budget",
            paramLabel = "BYTES",
            converter = BudgetText.class,
            description = "All memory for the model. Default: no limit.")
    private Budget budget = Budget.unlimited();

    @Mixin private DeviceArgument device = new DeviceArgument();

    @Spec private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (length < 0) throw new Refusal("--length must not be negative, as " + length + " is");
        if (stops.stream().anyMatch(String::isEmpty))
            throw new Refusal("--stop must not be empty; give a text, or leave it out");
        if (prompt.isEmpty()) {
            throw new Refusal("the prompt is empty; give at least one character, or leave it out");
        }
        var out = Objects.requireNonNull(spec).commandLine().getOut();
        var sampling = sampling();
        var file = file();
        try (var model = Pretrained.open(file, prefix)) {
            var codec = TextCodec.of(file, model.blank().vocabulary());
            write(model, codec, TuningText.ends(file), sampling, out);
        }
        return 0;
    }

    private Path file() {
        if (from != null) return from;
        if (!RunFolder.latest().isUsed())
            throw new Refusal("there is no run here; name a model with --from, or run ebb train");
        return RunFolder.latest().checkpoint();
    }

    /** Reads tensors from the file, with adapters added if the options name some. */
    private Generator.TensorReader weights(PretrainedFile model) throws IOException {
        if (adapters == null) return model::read;
        var added = LoraFiles.read(adapters, model.blank());
        return place -> MergedModel.tensor(model, added, place);
    }

    private Sampling sampling() {
        try {
            return new Sampling(temperature, top, nucleus, repetition);
        } catch (IllegalArgumentException e) {
            throw new Refusal("generate: " + e.getMessage(), e);
        }
    }

    /** Prints the prompt, then each token as it is drawn. */
    private void write(
            PretrainedFile model,
            TextCodec codec,
            List<Integer> ends,
            Sampling sampling,
            PrintWriter out)
            throws IOException {
        var tokens = codec.encode(prompt);
        if (tokens.length == 0)
            throw new Refusal(
                    prompt.isBlank()
                            ? "give a prompt: the model's tokenizer has no token for blanks alone"
                            : "the model's tokenizer has no token for any part of this prompt");
        // the cache need not be longer than the text that is generated
        long most = Math.max(2L, (long) tokens.length + length);
        int window = context == null ? (int) Math.min(model.blank().context(), most) : context;
        var words = new StopSequences(stops);
        var text = codec.streamAfter(tokens);
        try (var generator =
                Generator.reading(
                        model.blank(), weights(model), 1, window, budget, device.device())) {
            out.print(prompt);
            out.flush();
            generator.generate(
                    List.of(tokens),
                    length,
                    sampling,
                    new Seed(seed),
                    ends.stream().map(end -> new int[] {end}).toList(),
                    new Generator.Listener() {
                        @Override
                        public void drawn(int row, int[] drawn) {
                            for (int token : drawn) out.print(words.add(text.add(token)));
                            out.flush();
                        }

                        @Override
                        public boolean isEnough(int row) {
                            return words.isFound();
                        }
                    });
            out.println(words.add(text.end()) + words.end());
        }
    }
}
