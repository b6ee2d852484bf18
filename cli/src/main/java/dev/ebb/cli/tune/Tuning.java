package dev.ebb.cli.tune;

import dev.ebb.Ebb;
import dev.ebb.Next;
import dev.ebb.Stepper;
import dev.ebb.Stepping;
import dev.ebb.Tensorwise;
import dev.ebb.cli.option.Refusal;
import dev.ebb.exec.Device;
import dev.ebb.exec.Report;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.nn.Seed;
import dev.ebb.nn.adapt.FrozenSource;
import dev.ebb.nn.adapt.LoraAdapters;
import dev.ebb.nn.adapt.LoraConfig;
import dev.ebb.nn.adapt.LoraFiles;
import dev.ebb.nn.file.LazyTensor;
import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.nn.model.Weights;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.Gradients;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Plan;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.network.CrossEntropy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * A fine-tuning run in progress: the frozen model, the adapters and the optimizer in one program's
 * memory. The model is loaded from its file tensor by tensor.
 */
public final class Tuning implements AutoCloseable {
    private static final double LARGEST_NORM = 1;

    /** The number of elements of each tensor in the digest that identifies the model. */
    private static final int SAMPLE = 1024;

    private final TuningSettings settings;
    private final TuningText text;
    private final Stepper<TuningState, TuningState.Input, Tensor> stepper;
    private final int frozen;
    private final List<Double> losses;
    private final String model;

    Tuning(
            FrozenSource source,
            TuningSettings settings,
            TuningText text,
            List<Double> losses,
            Device device)
            throws IOException {
        this.settings = settings;
        this.text = text;
        this.losses = new ArrayList<>(losses);
        var start = start(source.blank(), settings.lora(), settings.optimizer(), settings.seed());
        frozen = Tensorwise.list(start.model()).size();
        stepper =
                stepping(settings.optimizer(), text.loss())
                        .within(Budget.of(settings.budget()))
                        .on(device)
                        .start(start, text.training(data(), 0));
        var ends = new ArrayList<LazyTensor>();
        var names = Tensorwise.names(start.model());
        for (int i = 0; i < frozen; i++) {
            var tensor = source.read(i);
            stepper.restore(i, tensor);
            ends.add(end(names.get(i), tensor));
        }
        model = Weights.digest(ends, List.of());
    }

    /** The last elements of a tensor, which suffice to tell two models apart. */
    private static LazyTensor end(String name, Array tensor) {
        long size = tensor.type().size();
        long count = Math.min(SAMPLE, size);
        var end =
                Array.make(
                        Type.of(DType.F64, (int) count),
                        to -> {
                            for (long i = 0; i < count; i++)
                                to.set(i, tensor.data().get(size - count + i));
                        });
        return new LazyTensor(name + " " + tensor.type(), end.type(), () -> end);
    }

    private static TuningState start(
            AutoregressiveModel model, LoraConfig config, AdamW rule, long seed) {
        var adapters = LoraAdapters.of(model, config, new Seed(seed).of("adapters"));
        return new TuningState(model, new TuningState.Kept(adapters, rule.start(adapters)));
    }

    private static Stepping<TuningState, TuningState.Input, Tensor> stepping(
            AdamW rule, CrossEntropy counted) {
        return Ebb.stepper((TuningState s, TuningState.Input in) -> step(rule, counted, s, in));
    }

    /** The plan of a fine-tuning step, without allocating its memory. */
    public static Plan plan(
            AutoregressiveModel model, LoraConfig config, int batch, int context, Device device) {
        var rule = AdamW.of(1e-3);
        var ids = Array.of(Shape.of(batch, context), new long[batch * context]);
        return stepping(rule, CrossEntropy.mean())
                .on(device)
                .plan(
                        start(model, config, rule, 1),
                        new TuningState.Input(ids, ids, Array.scalar(1f)));
    }

    private static Next<TuningState, Tensor> step(
            AdamW rule, CrossEntropy counted, TuningState s, TuningState.Input in) {
        var before = s.kept();
        var loss =
                Ebb.valueAndGrad(
                                (LoraAdapters a) ->
                                        a.on(s.model()).loss(in.ids(), in.targets(), counted))
                        .apply(before.adapters());
        var gradients = Gradients.clipped(loss.grad(), LARGEST_NORM);
        var moved = rule.update(before.adapters(), gradients, before.optimizer());
        var moves = in.training().gt(0.5);
        var after =
                Tensorwise.map(
                        before,
                        new TuningState.Kept(moved.params(), moved.state()),
                        (old, next) -> Tensors.where(moves, next, old));
        return new Next<>(new TuningState(s.model(), after), loss.value());
    }

    private Seed data() {
        return new Seed(settings.seed()).of("data");
    }

    /** Makes one step; returns its loss. */
    double step() {
        double loss = stepper.step(text.training(data(), losses.size())).item();
        losses.add(loss);
        return loss;
    }

    /** The mean loss on the held-out data; NaN if there are none. */
    double evaluate() {
        int batches = text.evaluations();
        double sum = 0;
        for (int i = 0; i < batches; i++) sum += stepper.step(text.heldOut(i)).item();
        return sum / batches;
    }

    long made() {
        return losses.size();
    }

    List<Double> losses() {
        return List.copyOf(losses);
    }

    TuningState.Kept form() {
        return stepper.form().kept();
    }

    /** The current tensors of {@link #form}. */
    IntFunction<Array> kept() {
        return place -> stepper.state(frozen + place);
    }

    /**
     * Restores a folder's checkpoint.
     *
     * @param begun the digest of the model with which the run was started
     */
    void restore(Path folder, String begun) throws IOException {
        if (!begun.equals(model))
            throw new Refusal(
                    ("the model in %s is not the one that the run in %s was started with; restore"
                                    + " it, or start again with another --out")
                            .formatted(settings.from(), folder));
        TuningCheckpoint.restore(
                folder, form(), (place, tensor) -> stepper.restore(frozen + place, tensor));
    }

    /** Writes the adapters in the published layout, and the state that a resumption needs. */
    void save(Path folder, String digest) throws IOException {
        TuningCheckpoint.write(folder, form(), kept(), settings, digest, model, losses);
        LoraFiles.write(folder, form().adapters(), kept(), stepper.form().model(), settings.from());
    }

    /** The current adapters. */
    LoraAdapters adapters() {
        int count = Tensorwise.list(form().adapters()).size();
        var tensors = new ArrayList<Tensor>();
        for (int i = 0; i < count; i++) tensors.add(kept().apply(i));
        return Tensorwise.rebuild(form().adapters(), tensors);
    }

    Plan plan() {
        return stepper.plan();
    }

    /** The promised and the measured figures of the latest step or evaluation. */
    Report report() {
        return stepper.report();
    }

    @Override
    public void close() {
        stepper.close();
    }
}
