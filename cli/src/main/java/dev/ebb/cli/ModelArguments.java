package dev.ebb.cli;

import dev.ebb.cli.option.BudgetText;
import dev.ebb.cli.option.CacheArgument;
import dev.ebb.cli.option.CostText;
import dev.ebb.cli.option.DeviceArgument;
import dev.ebb.cli.option.DiskArguments;
import dev.ebb.cli.option.OptimizerName;
import dev.ebb.cli.option.PrecisionName;
import dev.ebb.cli.option.Refusal;
import dev.ebb.cli.option.SizeText;
import dev.ebb.cpu.Cpu;
import dev.ebb.exec.Device;
import dev.ebb.nn.model.ModelSize;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Plan;
import dev.ebb.plan.TradeOff;
import dev.ebb.plan.cache.PlanCache;
import dev.ebb.plan.schedule.Host;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The options that select a model and how it is planned. */
final class ModelArguments {
    @Option(
            names = "--model",
            paramLabel = "SIZE",
            converter = SizeText.class,
            description = "tiny, small, medium, large or LAYERSxWIDTHxHEADS. Default: small.")
    private ModelSize size = ModelSize.of("small");

    @Option(
            names = "--from",
            paramLabel = "FILE.safetensors",
            description =
                    "Plan for the model of a checkpoint, or of a published GPT-2 or Llama, instead"
                            + " of --model; batch and context default to those of its run.")
    private @Nullable Path from;

    @Option(names = "--batch", paramLabel = "N", description = "Sequences per step.")
    private @Nullable Integer batch;

    @Option(names = "--context", paramLabel = "N", description = "Characters per sequence.")
    private @Nullable Integer context;

    @Option(
            names = "--precision",
            paramLabel = "TYPE",
            description = "The type of activations: ${COMPLETION-CANDIDATES}. Default: f32.")
    private PrecisionName precision = PrecisionName.F32;

    @Option(
            names = "--optimizer",
            paramLabel = "RULE",
            description = "${COMPLETION-CANDIDATES}. Default: adamw.")
    private OptimizerName optimizer = OptimizerName.ADAMW;

    @Option(
            names = "--cost",
            paramLabel = "HOW",
            converter = CostText.Converter.class,
            description = CostText.HELP)
    private CostText cost = CostText.typical();

    @Mixin private DeviceArgument device = new DeviceArgument();

    @Option(
            names = "--host",
            paramLabel = "BYTES",
            converter = BudgetText.class,
            description =
                    "Host memory for values that do not fit in the budget, for example in that of a"
                            + " GPU.")
    private @Nullable Budget host;

    @Mixin private DiskArguments disk = new DiskArguments();

    @Mixin private CacheArgument cache = new CacheArgument();

    /** The selected model, with the other options applied. */
    ModelSource source() throws IOException {
        if (batch != null && batch < 1 || context != null && context < 1)
            throw new Refusal("--batch and --context must be positive");
        int passages = batch == null ? size.batch() : batch;
        int characters = context == null ? size.context() : context;
        if ((long) passages * characters > Integer.MAX_VALUE)
            throw new Refusal(
                    ("%s passages of %s characters are more than a step can read; give a smaller"
                                    + " --batch or --context")
                            .formatted(passages, characters));
        if (from != null) return ModelSource.read(from, size, batch, context);
        return new ModelSource.OfSize(
                new ModelSize(size.layers(), size.width(), size.heads(), characters, passages));
    }

    /** Whether the model is read from a file, so that its width and depth are fixed. */
    boolean isFile() {
        return from != null;
    }

    /** The device to plan for. */
    Device device() {
        return device.device();
    }

    /** The options of the disk. */
    DiskArguments disk() {
        return disk;
    }

    /** The cache of plans. */
    PlanCache cache() {
        return cache.cache();
    }

    /**
     * All inputs of a plan besides the budget and the program, as texts; empty if costs were
     * measured or read from a file, the model is read from a file, values may be offloaded, or the
     * device is not the CPU.
     */
    List<String> decidedBy() throws IOException {
        var device = device();
        boolean texts = cost.isTypical() && host == null && !disk.isNamed() && !isFile();
        if (!texts || !(device instanceof Cpu)) return List.of();
        return List.of(
                source().size().toString(), precision.name(), optimizer.name(), device.signature());
    }

    /** A training step of a model. */
    PlannedModel of(ModelSource source) {
        return new PlannedModel(source, precision, optimizer, cache());
    }

    /** The plan of a training step of the selected model; its memory is not allocated. */
    Plan plan(Budget budget) throws IOException {
        var device = device();
        return of(source()).plan(disk.with(besideHost(budget)), device, cost.on(device));
    }

    private Budget besideHost(Budget budget) {
        if (host == null) return budget;
        if (host instanceof Budget.Bytes(long bytes)) return budget.with(Host.memory(bytes));
        throw new Refusal("--host takes a number of bytes, such as 1GiB");
    }

    /**
     * The trade-off of time against memory with the command's disk, with one line for each set of
     * ways to restore values.
     */
    TradeOff curve() throws IOException {
        var device = device();
        return of(source()).curve(disk.with(Budget.unlimited()), device, cost.on(device));
    }
}
