package dev.ebb.cli.tune;

import dev.ebb.cli.option.BudgetText;
import dev.ebb.cli.option.DeviceArgument;
import dev.ebb.cli.option.Refusal;
import dev.ebb.cli.option.StopSignal;
import dev.ebb.cli.report.Progress;
import dev.ebb.cli.report.ResidentMemory;
import dev.ebb.nn.adapt.FrozenSource;
import dev.ebb.nn.adapt.MergedModel;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.data.Instructions;
import dev.ebb.nn.data.SourceText;
import dev.ebb.nn.file.AtomicFile;
import dev.ebb.nn.file.TextFile;
import dev.ebb.nn.model.Pretrained;
import dev.ebb.nn.model.PretrainedFile;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;

/** Fine-tunes a published model within a budget. */
@Command(
        name = "finetune",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Fine-tune a published language model on a text, in a memory budget.",
            "The model (GPT-2, Llama, Qwen 2 and 3, Mistral or Gemma) stays as it is; adapters of"
                    + " low rank (LoRA) beside its layers are trained, and written in the layout"
                    + " that PEFT reads."
        },
        footerHeading = "%nFor example, with a model's folder gpt2 and a text notes.txt:%n",
        footer = {
            "  ebb finetune --from gpt2 --text notes.txt --budget 2GiB --out tuned",
            "  ebb finetune --resume --out tuned        (after Ctrl-C, or a crash)",
            "  ebb generate --from gpt2 --adapters tuned \"Dear diary, \""
        })
public final class FinetuneCommand implements Callable<Integer> {
    private static final String BUDGET = "512MiB";
    private static final String TEXT = "text.bin";

    /** The options that may be given together with {@code --resume}. */
    private static final Set<String> WITH_RESUME =
            Set.of("--resume", "--out", "--merge", "--device", "--stack-trace");

    @Option(
            names = "--from",
            paramLabel = "DIR",
            description =
                    "The model: a folder with model.safetensors (or its index), config.json and"
                            + " tokenizer.json.")
    private @Nullable Path from;

    @Option(
            names = "--text",
            arity = "1..*",
            paramLabel = "FILE",
            description = "Text to train on.")
    private List<Path> text = List.of();

    @Option(
            names = "--instructions",
            arity = "1..*",
            paramLabel = "FILE",
            description =
                    "Instead of --text: lines of JSON, each with a prompt and a response; only"
                            + " responses are learned.")
    private List<Path> instructions = List.of();

    @Option(
            names = "--budget",
            paramLabel = "BYTES",
            description = "All memory for the run. Default: ${DEFAULT-VALUE}.")
    private String budget = BUDGET;

    @Option(
            names = "--bits",
            paramLabel = "N",
            description =
                    "Bits of the frozen layers' weights: 32, 8 or 4. Default: ${DEFAULT-VALUE}.")
    private int bits = 32;

    @Option(
            names = "--rank",
            paramLabel = "N",
            description = "The rank of the adapters. Default: 8.")
    private int rank = 8;

    @Option(
            names = "--alpha",
            paramLabel = "X",
            description = "Adapters are scaled by alpha / rank. Default: twice the rank.")
    private @Nullable Double alpha;

    @Option(
            names = "--targets",
            split = ",",
            paramLabel = "NAME",
            description =
                    "The layers that get adapters, by the ends of their published names, such as"
                            + " c_attn or q_proj,v_proj. Default: every dense layer.")
    private List<String> targets = List.of();

    @Option(names = "--steps", paramLabel = "N", description = "Total steps. Default: 200.")
    private long steps = 200;

    @Option(names = "--batch", paramLabel = "N", description = "Sequences per step. Default: 4.")
    private int batch = 4;

    @Option(
            names = "--context",
            paramLabel = "N",
            description = "Tokens per sequence. Default: 128, or the model's context.")
    private @Nullable Integer context;

    @Option(names = "--rate", paramLabel = "X", description = "Learning rate. Default: 0.0005.")
    private double rate = 5e-4;

    @Option(
            names = "--held-out",
            paramLabel = "SHARE",
            description =
                    "The share of the text, at its end, held out for evaluation."
                            + " Default: 0.1.")
    private double heldOut = 0.1;

    @Option(
            names = "--checkpoint",
            paramLabel = "N",
            description = "Steps between evaluations and checkpoints. Default: 50.")
    private int every = 50;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "The seed of the order of sequences. Default: 1.")
    private long seed = 1;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "CPU threads. Default: one per core.")
    private int threads;

    @Mixin private DeviceArgument device = new DeviceArgument();

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "The folder for the adapters. Default: ${DEFAULT-VALUE}.")
    private Path out = Path.of("ebb-tuned");

    @Option(
            names = "--merge",
            description = "Also write the model with the adapters merged into its weights.")
    private boolean merge;

    @Option(names = "--resume", description = "Continue from the checkpoint in --out, bit for bit.")
    private boolean resume;

    @Spec private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        var lines = Objects.requireNonNull(spec).commandLine().getOut();
        boolean used = Files.exists(out.resolve(TuningCheckpoint.FILE));
        if (resume && !used)
            throw new Refusal(
                    Files.exists(out.resolve(TEXT))
                            ? "the run in "
                                    + out
                                    + " ended before its first checkpoint; begin anew with --from"
                                    + " and the text, and a smaller --checkpoint"
                            : "there is no fine-tuning run in "
                                    + out
                                    + " to resume; name its --out");
        if (!resume && used)
            throw new Refusal(out + " holds a run already; go on with --resume, or name --out");
        if (resume) requireAsBegun(spec);
        return resume ? goOn(lines) : begin(lines);
    }

    /** Refuses options that a resumed run would ignore. */
    private static void requireAsBegun(CommandSpec spec) {
        for (var option : spec.commandLine().getParseResult().matchedOptions()) {
            if (WITH_RESUME.contains(option.longestName())) continue;
            throw new Refusal(
                    option.longestName()
                            + " cannot be changed: a run goes on as it was begun; leave the option"
                            + " out, or begin anew with another --out");
        }
    }

    private Integer begin(PrintWriter lines) throws IOException {
        if (from == null) throw new Refusal("name the model's folder with --from");
        if (text.isEmpty() == instructions.isEmpty())
            throw new Refusal(
                    "name a text with --text, or prompts and responses with --instructions");
        var bytes = text.isEmpty() ? lines(instructions) : SourceText.joined(text);
        if (!text.isEmpty() && TuningText.hasTokenizer(from)) TextFile.require(text, bytes);
        try (var model = Pretrained.open(from, "")) {
            int most = model.blank().context();
            int time = context == null ? Math.min(128, most) : context;
            if (time < 1 || time > most)
                throw new Refusal("--context " + time + ": this model's context is 1 to " + most);
            var settings =
                    new TuningSettings(
                            from.toAbsolutePath().normalize().toString(),
                            budget,
                            rank,
                            alpha == null ? 2.0 * rank : alpha,
                            targets,
                            bits,
                            batch,
                            time,
                            steps,
                            rate,
                            heldOut,
                            seed,
                            every,
                            threads,
                            text.isEmpty()
                                    ? TuningText.Format.INSTRUCTIONS
                                    : TuningText.Format.PLAIN);
            return run(model, settings, bytes, "", List.of(), lines);
        }
    }

    /** The contents of all files, concatenated; each is checked here, where its name is known. */
    private static byte[] lines(List<Path> files) throws IOException {
        var all = new StringBuilder();
        for (var file : files) {
            Instructions.read(file);
            all.append(TextFile.read(file)).append('\n');
        }
        return all.toString().getBytes(StandardCharsets.UTF_8);
    }

    private Integer goOn(PrintWriter lines) throws IOException {
        var begun = TuningCheckpoint.read(out);
        var bytes = Files.readAllBytes(out.resolve(TEXT));
        if (!new Corpus(bytes).digest().equals(begun.text()))
            throw new Refusal(
                    out.resolve(TEXT) + " is not the text that the run was begun with; begin anew");
        try (var model = Pretrained.open(Path.of(begun.settings().from()), "")) {
            lines.println("going on after step " + begun.losses().size());
            return run(model, begun.settings(), bytes, begun.model(), begun.losses(), lines);
        }
    }

    private Integer run(
            PretrainedFile model,
            TuningSettings settings,
            byte[] bytes,
            String begun,
            List<Double> losses,
            PrintWriter lines)
            throws IOException {
        var tokens =
                TuningText.of(
                        bytes, Path.of(settings.from()), model.blank().vocabulary(), settings);
        var source =
                settings.rounding()
                        .map(b -> FrozenSource.of(model, b))
                        .orElseGet(() -> FrozenSource.of(model));
        try (var stop = StopSignal.listen();
                var tuning =
                        new Tuning(
                                source,
                                settings,
                                tokens,
                                losses,
                                device.device(settings.threads()))) {
            // nothing is written before the run is known to fit
            if (losses.isEmpty()) {
                Files.createDirectories(out);
                AtomicFile.write(out.resolve(TEXT), o -> o.write(bytes));
            } else {
                tuning.restore(out, begun);
            }
            ResidentMemory.tidy();
            var told = new TuningLines(tuning, settings, lines);
            told.hello(model, tokens);
            double first = told.evaluated();
            loop(tuning, settings, bytes, stop, told, lines);
            tuning.save(out, new Corpus(bytes).digest());
            told.goodbye(out, first, stop.isAsked());
            if (merge && !stop.isAsked()) merge(model, tuning, lines);
            return stop.isAsked() ? 130 : 0;
        }
    }

    private void loop(
            Tuning tuning,
            TuningSettings s,
            byte[] bytes,
            StopSignal stop,
            TuningLines told,
            PrintWriter lines)
            throws IOException {
        var memory = BudgetText.show(tuning.plan().peakBytes()) + " of " + s.budget();
        try (var progress = Progress.of(tuning.made(), s.steps(), lines)) {
            while (tuning.made() < s.steps() && !stop.isAsked()) {
                long start = System.nanoTime();
                double loss = tuning.step();
                if (!Double.isFinite(loss))
                    throw new Refusal(
                            "the loss is %s at step %s; try a smaller --rate"
                                    .formatted(loss, tuning.made()));
                double seconds = (System.nanoTime() - start) / 1e9;
                progress.show(
                        new Progress.Figures(
                                tuning.made(), loss, seconds, s.batch() * s.context(), memory));
                if (tuning.made() % s.every() == 0 && tuning.made() < s.steps()) {
                    told.evaluated();
                    tuning.save(out, new Corpus(bytes).digest());
                }
            }
        }
    }

    private void merge(PretrainedFile model, Tuning tuning, PrintWriter lines) throws IOException {
        var folder = out.resolve("merged");
        Files.createDirectories(folder);
        MergedModel.write(folder, model, tuning.adapters());
        lines.println("merged model: " + folder.toAbsolutePath().normalize());
    }
}
