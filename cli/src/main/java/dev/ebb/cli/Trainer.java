package dev.ebb.cli;

import dev.ebb.Ebb;
import dev.ebb.Next;
import dev.ebb.Stepper;
import dev.ebb.exec.Device;
import dev.ebb.exec.Report;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.optim.Gradients;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Cost;
import dev.ebb.plan.Plan;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A training run in motion: the compiled step, its state, and the losses so far. */
final class Trainer implements AutoCloseable {
    private static final double LARGEST_NORM = 1;

    private final Settings settings;
    private final Corpus corpus;
    private final Stepper<TrainingState, Corpus.Batch, Tensor> stepper;
    private final List<Double> losses;
    private final List<Double> seconds = new ArrayList<>();

    Trainer(Checkpoint from, Corpus corpus, Budget budget, Device device, Cost cost) {
        settings = from.settings();
        this.corpus = corpus;
        losses = new ArrayList<>(from.losses());
        stepper =
                Ebb.stepper(
                        (TrainingState s, Corpus.Batch b) -> step(settings, s, b),
                        from.state(),
                        batch(0),
                        budget,
                        device,
                        cost);
    }

    /** A model that has not learned yet. */
    static Checkpoint start(Gpt2 model, Settings settings, String text) {
        var state = new TrainingState(model, settings.optimizer().start(model));
        return new Checkpoint(state, List.of(), settings, text);
    }

    private static Next<TrainingState, Tensor> step(
            Settings settings, TrainingState state, Corpus.Batch batch) {
        var loss =
                Ebb.valueAndGrad((Gpt2 model) -> model.loss(batch.ids(), batch.targets()))
                        .apply(state.model());
        var gradients = Gradients.clipped(loss.grad(), LARGEST_NORM);
        var updated = settings.optimizer().update(state.model(), gradients, state.optimizer());
        return new Next<>(new TrainingState(updated.params(), updated.state()), loss.value());
    }

    private Corpus.Batch batch(long step) {
        return corpus.batch(
                settings.batch(), settings.context(), new Seed(settings.seed()).of("data"), step);
    }

    /** One step; its loss. */
    double step() {
        long start = System.nanoTime();
        double loss = ((Array) stepper.step(batch(losses.size()))).item();
        seconds.add((System.nanoTime() - start) / 1e9);
        losses.add(loss);
        return loss;
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

    Checkpoint checkpoint(String text) {
        return new Checkpoint(stepper.state(), losses, settings, text);
    }

    /** The report of the latest step; none before the first. */
    Optional<Report> report() {
        return seconds.isEmpty() ? Optional.empty() : Optional.of(stepper.report());
    }

    Plan plan() {
        return stepper.plan();
    }

    @Override
    public void close() {
        stepper.close();
    }
}
