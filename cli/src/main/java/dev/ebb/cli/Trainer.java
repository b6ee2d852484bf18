package dev.ebb.cli;

import dev.ebb.Ebb;
import dev.ebb.Next;
import dev.ebb.Stepper;
import dev.ebb.Stepping;
import dev.ebb.Tensorwise;
import dev.ebb.exec.Device;
import dev.ebb.exec.Report;
import dev.ebb.ir.DType;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.nn.model.Naming;
import dev.ebb.nn.model.Weights;
import dev.ebb.nn.optim.Gradients;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.nn.optim.Precision;
import dev.ebb.plan.Plan;
import dev.ebb.plan.TradeOff;
import dev.ebb.plan.cache.PlanCache;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A training run in progress: the compiled step, its state, and the losses so far. The state exists
 * in the program's memory only; it is copied tensor by tensor to be written or shown.
 */
final class Trainer implements AutoCloseable {
    private static final double LARGEST_NORM = 1;

    private final TrainingSettings settings;
    private final RunOptions setup;
    private final String text;
    private final Corpus corpus;
    private final Device device;
    private final TrainingState form;
    private final Stepping<TrainingState, Corpus.Batch, Tensor> program;
    private final Stepper<TrainingState, Corpus.Batch, Tensor> stepper;
    private final List<Double> losses;
    private final List<Double> seconds = new ArrayList<>();

    Trainer(Checkpoint from, Corpus corpus, Device device, Cost cost, PlanCache cache) {
        settings = from.settings();
        setup = from.setup();
        text = from.text();
        this.corpus = corpus;
        this.device = device;
        losses = new ArrayList<>(from.losses());
        program =
                Ebb.stepper((TrainingState s, Corpus.Batch b) -> step(settings, s, b))
                        .within(setup.bounds())
                        .on(device)
                        .costing(cost)
                        .caching(cache);
        stepper = program.start(from.state(), batch(settings, corpus, 0));
        form = stepper.form();
        for (int i = 0; i < from.read().size(); i++) {
            stepper.restore(i, from.read().get(i).data().get());
        }
    }

    /** The checkpoint of an untrained model. */
    static Checkpoint start(
            AutoregressiveModel model, TrainingSettings settings, RunOptions setup, String text) {
        var state = new TrainingState(model, settings.optimizer().start(model));
        return new Checkpoint(state, List.of(), List.of(), settings, setup, text);
    }

    private static Next<TrainingState, Tensor> step(
            TrainingSettings settings, TrainingState state, Corpus.Batch batch) {
        return step(settings.optimizer(), DType.F32, state, batch);
    }

    /** One step with any optimizer; the model is computed in {@code compute} from f32 weights. */
    static Next<TrainingState, Tensor> step(
            Optimizer rule, DType compute, TrainingState state, Corpus.Batch batch) {
        var loss =
                Ebb.valueAndGrad(
                                (AutoregressiveModel model) ->
                                        (compute == DType.F32
                                                        ? model
                                                        : Precision.rounded(model, compute))
                                                .loss(batch.ids(), batch.targets()))
                        .apply(state.model());
        var gradients = Gradients.clipped(loss.grad(), LARGEST_NORM);
        var updated = rule.update(state.model(), gradients, state.optimizer());
        return new Next<>(new TrainingState(updated.params(), updated.state()), loss.value());
    }

    private static Corpus.Batch batch(TrainingSettings settings, Corpus corpus, long step) {
        return corpus.batch(
                settings.batch(), settings.context(), new Seed(settings.seed()).of("data"), step);
    }

    /** One step; its loss. */
    double step() {
        long start = System.nanoTime();
        double loss = stepper.step(batch(settings, corpus, losses.size())).item();
        seconds.add((System.nanoTime() - start) / 1e9);
        losses.add(loss);
        return loss;
    }

    RunOptions setup() {
        return setup;
    }

    long made() {
        return losses.size();
    }

    List<Double> losses() {
        return List.copyOf(losses);
    }

    /** How long each step of this process took. */
    List<Double> seconds() {
        return List.copyOf(seconds);
    }

    int tokensPerStep() {
        return settings.batch() * settings.context();
    }

    /** This moment, to be written. */
    Checkpoint.Writer checkpoint() {
        return Checkpoint.writer(form, stepper::state, losses, settings, setup, text);
    }

    long parameters() {
        return Weights.count(form.model());
    }

    Device device() {
        return device;
    }

    /** The model in a few words. */
    String described() {
        return Run.described(form.model());
    }

    /** A digest of the bits of all parameters. */
    String digest() {
        var own = Weights.supplies(form.model(), Naming.own(), stepper::state);
        return Weights.digest(own, List.of());
    }

    /** The names of the state's tensors. */
    List<String> names() {
        return Tensorwise.names(form);
    }

    /** The report of the latest step; none before the first. */
    Optional<Report> report() {
        return seconds.isEmpty() ? Optional.empty() : Optional.of(stepper.report());
    }

    /**
     * The measured bytes in use at each computation and transfer of the latest step; empty before
     * the first.
     */
    long[] held() {
        return stepper.held();
    }

    Plan plan() {
        return stepper.plan();
    }

    /**
     * The trade-off of time against memory of a step, with one line for each set of ways to restore
     * values.
     */
    TradeOff tradeOff() {
        return program.curve(form, batch(settings, corpus, 0));
    }

    @Override
    public void close() {
        stepper.close();
    }
}
