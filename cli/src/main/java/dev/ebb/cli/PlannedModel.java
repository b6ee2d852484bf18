package dev.ebb.cli;

import dev.ebb.Compiled;
import dev.ebb.Ebb;
import dev.ebb.StepPlans;
import dev.ebb.Stepping;
import dev.ebb.Tensorwise;
import dev.ebb.cli.option.OptimizerName;
import dev.ebb.cli.option.PrecisionName;
import dev.ebb.cli.tune.Tuning;
import dev.ebb.exec.Category;
import dev.ebb.exec.Device;
import dev.ebb.exec.program.MemoryProfile;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.nn.adapt.LoraConfig;
import dev.ebb.nn.adapt.QuantisedDense;
import dev.ebb.nn.adapt.QuantisedDense.Bits;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.nn.model.LanguageModel;
import dev.ebb.nn.model.ModelSize;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.nn.optim.Precision;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Plan;
import dev.ebb.plan.TradeOff;
import dev.ebb.plan.cache.PlanCache;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A training step of a model that is planned but never run: its weights have shapes and no data.
 */
record PlannedModel(
        ModelSource source, PrecisionName precision, OptimizerName optimizer, PlanCache cache) {
    private static final int RANK = 8;

    /**
     * The memory of a training step if every value is kept, by category.
     *
     * @param bytes the peak of each category
     * @param training the total for training
     * @param use the total for computing the logits of a batch, weights included
     */
    record Figures(Map<Category, Long> bytes, long training, long use) {}

    Plan plan(Budget budget, Device device, Cost cost) {
        return step(budget, device, cost).plan(state(), batch());
    }

    /** The plans at any budget; the step is traced once. */
    StepPlans plans(Device device, Cost cost) {
        return step(Budget.unlimited(), device, cost).plans(state(), batch());
    }

    /**
     * The trade-off of time against memory with the budget's places, with one line for each set of
     * ways to restore values.
     */
    TradeOff curve(Budget budget, Device device, Cost cost) {
        return step(budget, device, cost).curve(state(), batch());
    }

    private Stepping<TrainingState, Corpus.Batch, Tensor> step(
            Budget budget, Device device, Cost cost) {
        var rule = rule();
        var compute = precision.type();
        return Ebb.stepper((TrainingState s, Corpus.Batch b) -> Trainer.step(rule, compute, s, b))
                .within(budget)
                .on(device)
                .costing(cost)
                .caching(cache);
    }

    /** The names of the first parameters of the plan's graph. */
    List<String> names() {
        return Tensorwise.names(state());
    }

    Figures memory(Device device) {
        var plan = plan(Budget.unlimited(), device, device.cost());
        return new Figures(
                bytes(plan), plan.storeAllBytes(), use(model(), source.size(), device, cache));
    }

    /**
     * The figures of fine-tuning with adapters of rank 8 on every dense layer of a frozen model,
     * quantised to {@code bits} bits if these are fewer than 32.
     */
    Figures tuned(Bits bits, Device device) {
        return tuned(
                source.whole().rewritten((_, layer) -> QuantisedDense.of(layer, bits)), device);
    }

    /** The same with the frozen model in f32. */
    Figures tuned(Device device) {
        return tuned(source.whole(), device);
    }

    private Figures tuned(AutoregressiveModel frozen, Device device) {
        var size = source.size();
        var plan = Tuning.plan(frozen, LoraConfig.of(RANK), size.batch(), size.context(), device);
        return new Figures(bytes(plan), plan.storeAllBytes(), use(frozen, size, device, cache));
    }

    private static Map<Category, Long> bytes(Plan plan) {
        var profile = MemoryProfile.of(plan.layout());
        var bytes = new EnumMap<Category, Long>(Category.class);
        for (var category : profile.categories()) bytes.put(category, profile.peak(category));
        return bytes;
    }

    /** The bytes of the attention scores if they were kept for the backward pass. */
    long scoreBytes() {
        var size = source.size();
        long scores = (long) size.context() * size.context() * size.heads();
        return precision.type().bytes(scores * size.layers() * size.batch());
    }

    /** The bytes for computing the logits of a batch, weights included. */
    static long use(LanguageModel model, ModelSize size, Device device, PlanCache cache) {
        try (Compiled<Tensor, Tensor> logits =
                Ebb.compile((Tensor ids) -> model.logits(ids)).on(device).caching(cache)) {
            return logits.plan(ids(size)).storeAllBytes();
        }
    }

    private Optimizer rule() {
        var size = source.size();
        return optimizer == OptimizerName.ADAMW
                ? new TrainingSettings(
                                size.batch(), size.context(), 1, TrainingSettings.STEPS, 1e-3)
                        .optimizer()
                : optimizer.rule();
    }

    private TrainingState state() {
        var model = source.blank();
        return new TrainingState(model, rule().start(model));
    }

    /** The model for inference, whose weights have the precision of the computation. */
    private AutoregressiveModel model() {
        return precision.type() == DType.F32
                ? source.blank()
                : Precision.rounded(source.blank(), precision.type());
    }

    private Corpus.Batch batch() {
        var ids = ids(source.size());
        return new Corpus.Batch(ids, ids);
    }

    private static Array ids(ModelSize size) {
        var shape = Shape.of(size.batch(), size.context());
        return Array.of(shape, new int[Math.multiplyExact(size.batch(), size.context())]);
    }
}
