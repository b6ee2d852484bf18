package dev.ebb.cli;

import dev.ebb.cli.option.CacheArgument;
import dev.ebb.cli.option.CostText;
import dev.ebb.cli.option.DeviceArgument;
import dev.ebb.cli.option.DiskArguments;
import dev.ebb.cli.option.ModelSize;
import dev.ebb.cli.option.OptimizerName;
import dev.ebb.cli.option.PrecisionName;
import dev.ebb.cli.option.Refusal;
import dev.ebb.cpu.Cpu;
import dev.ebb.exec.Device;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Plan;
import dev.ebb.plan.cache.PlanCache;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.List;

/** The options that name a model to plan for. */
final class ModelArguments {
    @Option(
            names = "--model",
            paramLabel = "SIZE",
            defaultValue = "small",
            converter = ModelSize.Text.class,
            description = "tiny, small, medium, large or LAYERSxWIDTHxHEADS. Default: small.")
    private ModelSize size = new ModelSize.Text().convert("small");

    @Option(names = "--batch", paramLabel = "N", description = "Passages a step.")
    private @Nullable Integer batch;

    @Option(names = "--context", paramLabel = "N", description = "Characters a passage.")
    private @Nullable Integer context;

    @Option(
            names = "--precision",
            paramLabel = "TYPE",
            defaultValue = "f32",
            description = "What the model is computed in: ${COMPLETION-CANDIDATES}. Default: f32.")
    private PrecisionName precision = PrecisionName.F32;

    @Option(
            names = "--optimizer",
            paramLabel = "RULE",
            defaultValue = "adamw",
            description = "${COMPLETION-CANDIDATES}. Default: adamw.")
    private OptimizerName optimizer = OptimizerName.ADAMW;

    @Option(
            names = "--cost",
            paramLabel = "HOW",
            defaultValue = "typical",
            converter = CostText.Converter.class,
            description = CostText.HELP)
    private CostText cost = CostText.typical();

    @Mixin private DeviceArgument device = new DeviceArgument();

    @Mixin private DiskArguments disk = new DiskArguments();

    @Mixin private CacheArgument cache = new CacheArgument();

    /** The sizes with the options counted in. */
    ModelSize size() {
        var named =
                new ModelSize(
                        size.layers(),
                        size.width(),
                        size.heads(),
                        context == null ? size.context() : context,
                        batch == null ? size.batch() : batch);
        if (named.context() < 1 || named.batch() < 1)
            throw new Refusal("--batch and --context must be positive");
        return named;
    }

    /** What is planned for. */
    Device device() {
        return device.device();
    }

    /** The disk, if one is named. */
    DiskArguments disk() {
        return disk;
    }

    /** What was planned before. */
    PlanCache cache() {
        return cache.cache();
    }

    /**
     * All that decides a plan besides the budget and the program, as texts: none where prices were
     * measured or read, values may be moved, or the device is not the processor.
     */
    List<String> decidedBy() {
        var device = device();
        if (!cost.isTypical() || disk.isNamed() || !(device instanceof Cpu)) return List.of();
        return List.of(size().toString(), precision.name(), optimizer.name(), device.signature());
    }

    /** A training step of a model of these sizes. */
    PlannedModel of(ModelSize size) {
        return new PlannedModel(size, precision, optimizer, cache());
    }

    /** A training step of a model of these sizes, planned: there is no memory for it yet. */
    Plan plan(ModelSize size, Budget budget) {
        var device = device();
        return of(size).plan(disk.with(budget), device, cost.on(device));
    }

    static Gpt2 model(ModelSize size) {
        var config =
                Gpt2.Config.of(
                        Corpus.VOCABULARY,
                        size.context(),
                        size.width(),
                        size.layers(),
                        size.heads());
        return Gpt2.of(config, new Seed(1));
    }
}
