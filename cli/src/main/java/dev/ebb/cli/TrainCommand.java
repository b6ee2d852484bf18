package dev.ebb.cli;

import dev.ebb.cli.option.BudgetText;
import dev.ebb.cli.option.CacheArgument;
import dev.ebb.cli.option.CommandText;
import dev.ebb.cli.option.CostText;
import dev.ebb.cli.option.DeviceArgument;
import dev.ebb.cli.option.DiskArguments;
import dev.ebb.cli.option.OutputFile;
import dev.ebb.cli.option.Refusal;
import dev.ebb.cli.option.SizeText;
import dev.ebb.cli.option.StopSignal;
import dev.ebb.cli.report.RunWatch;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.data.SourceText;
import dev.ebb.nn.file.AtomicFile;
import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.ModelSize;
import dev.ebb.nn.model.Pretrained;
import dev.ebb.plan.Budget;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;

/** Trains a character-level GPT within a budget. */
@Command(
        name = "train",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Train a character-level GPT in a memory budget.",
            "Without options: a small one, on the text of Ebb's own sources, in 64 MiB, in about"
                    + " two minutes on two cores."
        })
final class TrainCommand implements Callable<Integer> {
    private static final String BUDGET = "64MiB";
    private static final long LEAST_BUDGET = 1 << 16;
    private static final double RATE = 2e-3;
    private static final double GENTLE_RATE = 3e-4;

    @Option(
            names = "--budget",
            paramLabel = "BYTES",
            defaultValue = BUDGET,
            converter = BudgetText.class,
            description =
                    "All memory for the run: bytes, KiB, MiB, GiB, or a percentage of what keeping"
                            + " every value takes. Default: ${DEFAULT-VALUE}.")
    private Budget budget = Budget.mebibytes(64);

    @Option(
            names = "--text",
            arity = "1..*",
            paramLabel = "FILE",
            description = "Text to train on.")
    private List<Path> text = List.of();

    @Option(
            names = "--model",
            paramLabel = "SIZE",
            converter = SizeText.class,
            description = "tiny, small, medium, large or LAYERSxWIDTHxHEADS. Default: small.")
    private ModelSize size = ModelSize.of("small");

    @Option(names = "--steps", paramLabel = "N", description = "Steps in all. Default: 1000.")
    private @Nullable Long steps;

    @Option(names = "--batch", paramLabel = "N", description = "Sequences per step.")
    private @Nullable Integer batch;

    @Option(names = "--context", paramLabel = "N", description = "Characters per sequence.")
    private @Nullable Integer context;

    @Mixin private DiskArguments disk = new DiskArguments();

    @Option(names = "--seed", paramLabel = "N", description = "Default: 1.")
    private long seed = 1;

    @Option(
            names = "--cost",
            paramLabel = "HOW",
            converter = CostText.Converter.class,
            description = CostText.HELP)
    private CostText cost = CostText.typical();

    @Mixin private DeviceArgument device = new DeviceArgument();

    @Mixin private CacheArgument cache = new CacheArgument();

    @Option(names = "--threads", paramLabel = "N", description = "Default: one per core.")
    private @Nullable Integer threads;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description =
                    "Where checkpoints and the report"
                            + " go. Default: ebb-run, or ebb-run-2 if that is taken, and so on.")
    private @Nullable Path out;

    @Option(
            names = "--from",
            paramLabel = "FILE.safetensors",
            description = "Start from the weights of a GPT-2 or Llama with published tensor names.")
    private @Nullable Path from;

    @Option(
            names = "--prefix",
            paramLabel = "NAME",
            description = "The prefix of the tensor names in --from.")
    private String prefix = "";

    @Option(
            names = "--resume",
            description =
                    "Continue from the checkpoint in --out, bit for bit and with the options of"
                            + " that run; options given now replace them, and the change is"
                            + " printed.")
    private boolean resume;

    @Option(
            names = "--checkpoint",
            paramLabel = "N",
            description = "Steps between checkpoints. Default: ${DEFAULT-VALUE}.")
    private int every = 50;

    @Option(
            names = "--spark",
            paramLabel = "MASTER",
            description =
                    "Train on a Spark cluster instead; 'ebb train --spark MASTER --help' lists its"
                            + " options, such as --executors.")
    private @Nullable String spark;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the figures as JSON.")
    private @Nullable Path json;

    @Spec private @Nullable CommandSpec spec;

    private final RunWatch watch;

    TrainCommand(RunWatch watch) {
        this.watch = watch;
    }

    @Override
    public Integer call() throws IOException {
        if (spark != null) {
            throw new Refusal(
                    "--spark needs module spark, which only the launcher ./ebb starts; use it, or"
                            + " spark-submit");
        }
        positive("--steps", steps == null ? 1 : steps);
        positive("--checkpoint", every);
        positive("--batch", batch == null ? 1 : batch);
        positive("--context", context == null ? 1 : context);
        positive("--threads", threads == null ? 1 : threads);
        requireUnit();
        disk.requireFolder();
        OutputFile.require("--json", json);
        var command = Objects.requireNonNull(spec).commandLine();
        var folder = folder();
        if (resume) folder.requireUsed();
        boolean isMade = !resume && folder.create();
        try (var _ = folder.lock()) {
            // another run may have ended here since
            if (!resume) folder.requireUnused();
            try {
                return train(folder, command);
            } finally {
                // a run that was refused leaves no empty folder
                if (isMade) folder.deleteUnused();
            }
        }
    }

    private int train(RunFolder folder, CommandLine command) throws IOException {
        var corpus = resume ? corpusBefore(folder) : corpus(folder);
        var run =
                new Run(
                        folder,
                        typed(),
                        resumeCommand(folder),
                        device,
                        cache.cache(),
                        command.getOut(),
                        watch);
        try (var stop = StopSignal.listen(watch::isStopAsked)) {
            var outcome =
                    run.train(() -> resume ? resumed(folder, corpus) : anew(corpus), corpus, stop);
            if (json != null) AtomicFile.write(json, outcome.json() + "\n");
            return stop.isAsked() ? 130 : 0;
        }
    }

    private static void positive(String option, long value) {
        if (value < 1) throw new Refusal(option + " must be positive, not " + value);
    }

    /** Refuses a budget that is too small for any model: the unit was probably forgotten. */
    private void requireUnit() {
        if (budget instanceof Budget.Bytes(long bytes) && bytes < LEAST_BUDGET) {
            throw new Refusal(
                    ("--budget %s means %s bytes, too few to train in; write a unit, such as 64MiB"
                                    + " or 1GiB")
                            .formatted(bytes, bytes));
        }
    }

    /** The command line as the user typed it. */
    private String typed() {
        var line = Objects.requireNonNull(spec).root().commandLine();
        return CommandText.of(line.getParseResult().originalArgs());
    }

    /** The command line that resumes the run; all other settings are in its checkpoint. */
    private String resumeCommand(RunFolder folder) {
        var words =
                new ArrayList<>(List.of("train", "--resume", "--out", folder.path().toString()));
        if (json != null) words.addAll(List.of("--json", json.toString()));
        return CommandText.of(words);
    }

    private RunFolder folder() {
        if (out == null) return resume ? RunFolder.latest() : RunFolder.fresh();
        var folder = new RunFolder(out);
        if (!resume) folder.requireUnused();
        return folder;
    }

    private Corpus corpusBefore(RunFolder folder) throws IOException {
        return new Corpus(SourceText.joined(text.isEmpty() ? List.of(folder.sources()) : text));
    }

    private Checkpoint resumed(RunFolder folder, Corpus corpus) throws IOException {
        var command = Objects.requireNonNull(spec).commandLine();
        var found = folder.restore();
        if (!found.remark().isEmpty()) command.getErr().println("ebb: " + found.remark());
        if (!corpus.digest().equals(found.checkpoint().text())) {
            throw new Refusal(
                    "the text is not the one the checkpoint was trained on, so the run cannot go on"
                            + " as it was; give the same --text, or start anew with --from "
                            + folder.checkpoint());
        }
        var given = new ExplicitOptions(command.getParseResult());
        return new Resumption(given, command.getOut())
                .of(
                        found.checkpoint(),
                        given.has("--model") ? Optional.of(size) : Optional.empty());
    }

    private Checkpoint anew(Corpus corpus) throws IOException {
        var model = model();
        long horizon = steps == null ? TrainingSettings.STEPS : steps;
        var settings =
                new TrainingSettings(
                        batch == null ? size.batch() : batch,
                        context == null ? Math.min(size.context(), model.context()) : context,
                        seed,
                        horizon,
                        from == null ? RATE : GENTLE_RATE);
        if (settings.context() > model.context()) {
            throw new Refusal(
                    "a context of %s is more than the %s that the model in --from supports"
                            .formatted(settings.context(), model.context()));
        }
        return Trainer.start(model, settings, setup(horizon), corpus.digest());
    }

    private RunOptions setup(long horizon) {
        var given =
                new ExplicitOptions(Objects.requireNonNull(spec).commandLine().getParseResult());
        return new RunOptions(
                given.text("--budget").orElse(BUDGET),
                given.path("--disk").orElse(""),
                given.text("--disk-room").orElse(DiskArguments.ROOM),
                cost.text(),
                threads == null ? 0 : threads,
                every,
                horizon,
                given.path("--from").orElse(""),
                prefix);
    }

    /** The text; a text that may change before a resumption is copied into the folder. */
    private Corpus corpus(RunFolder folder) throws IOException {
        byte[] bytes;
        if (text.isEmpty()) {
            var home =
                    SourceText.home()
                            .orElseThrow(
                                    () ->
                                            new Refusal(
                                                    "Ebb's own sources are not here; name a text"
                                                            + " with --text"));
            bytes = SourceText.read(home);
        } else {
            bytes = SourceText.joined(text);
        }
        AtomicFile.write(folder.sources(), o -> o.write(bytes));
        return new Corpus(bytes);
    }

    private AutoregressiveModel model() throws IOException {
        if (from == null) {
            var config =
                    Gpt2.Config.of(
                            Corpus.VOCABULARY,
                            context == null ? size.context() : context,
                            size.width(),
                            size.layers(),
                            size.heads());
            return Gpt2.of(config, new Seed(seed).of("model"));
        }
        return load(from, prefix);
    }

    /** The model in a published file; its tokens must be bytes. */
    static AutoregressiveModel load(Path from, String prefix) throws IOException {
        var model = Pretrained.load(from, prefix);
        if (model.vocabulary() >= Corpus.VOCABULARY) return model;
        throw new Refusal(
                "%s: its vocabulary of %s does not cover the 256 bytes that train reads"
                        .formatted(from, model.vocabulary()));
    }
}
