package dev.ebb.nn.train;

import dev.ebb.Ebb;
import dev.ebb.Next;
import dev.ebb.ir.DType;
import dev.ebb.nn.data.Batch;
import dev.ebb.nn.optim.Gradients;
import dev.ebb.nn.optim.LossScale;
import dev.ebb.nn.optim.Precision;
import dev.ebb.nn.parallel.ShardedGradient;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

import java.util.List;

/**
 * The functions that a trainer compiles: a step and an evaluation.
 *
 * @param cuts the number of groups of the batch's shards that are computed one after the other
 */
record TrainingStep<M, S>(TrainerSettings<M, S> settings, int cuts) {

    /** The results of a step. */
    record StepResult(Tensor loss, Tensor rate) {}

    /** The results of an evaluation: a loss per row, and the model's outputs. */
    record Evaluated(Tensor losses, Tensor outputs) {}

    /** A step's loss and gradient, and the updated statistics. */
    private record LossAndGradient<M, S>(Tensor loss, M gradient, S statistics) {}

    Next<TrainingState<M, S>, StepResult> step(TrainingState<M, S> state, Batch batch) {
        var steps = state.optimizer().step();
        var key = Key.of(settings.seed.of("draws").key()).fold(steps);
        var rate = settings.optimizer.rate().at(steps.cast(DType.F32));
        if (!state.scale().isEmpty()) return scaled(state, batch, key, rate);
        var slope = settings.shards() > 1 ? inShards(state, batch, key) : whole(state, batch, key);
        var updated =
                settings.optimizer.update(
                        state.model(), clipped(slope.gradient()), state.optimizer());
        var next =
                new TrainingState<>(
                        updated.params(), updated.state(), slope.statistics(), state.scale());
        return new Next<>(next, new StepResult(slope.loss(), rate));
    }

    private M clipped(M gradient) {
        return settings.largestNorm.isPresent()
                ? Gradients.clipped(gradient, settings.largestNorm.getAsDouble())
                : gradient;
    }

    private LossAndGradient<M, S> whole(TrainingState<M, S> state, Batch batch, Key key) {
        var found =
                Ebb.valueGradAndExtra(
                                (M m) -> {
                                    var out = forward(m, state.statistics(), batch.x(), key);
                                    return new Ebb.WithExtra<>(loss(out.out(), batch), out.state());
                                })
                        .apply(state.model());
        return new LossAndGradient<>(found.value(), found.grad(), found.extra());
    }

    private LossAndGradient<M, S> inShards(TrainingState<M, S> state, Batch batch, Key key) {
        var found =
                new ShardedGradient(settings.shards(), settings.cutting ? cuts : settings.shards())
                        .valueAndGrad(
                                (m, b, k) ->
                                        loss(forward(m, state.statistics(), b.x(), k).out(), b),
                                state.model(),
                                batch,
                                key);
        return new LossAndGradient<>(found.value(), found.grad(), state.statistics());
    }

    /**
     * As {@link #step}, in f16: with a scaled loss, and without an update if gradients overflow.
     */
    private Next<TrainingState<M, S>, StepResult> scaled(
            TrainingState<M, S> state, Batch batch, Key key, Tensor rate) {
        LossScale scale = state.scale().getFirst();
        var found =
                scale.valueAndGrad(
                        (M m) -> loss(forward(m, state.statistics(), batch.x(), key).out(), batch),
                        state.model());
        var updated =
                settings.optimizer.update(
                        state.model(), clipped(found.gradients()), state.optimizer());
        var next =
                new TrainingState<>(
                        found.chosen(updated.params(), state.model()),
                        found.chosen(updated.state(), state.optimizer()),
                        state.statistics(),
                        List.of(found.next()));
        return new Next<>(next, new StepResult(found.value(), rate));
    }

    private Next<S, Tensor> forward(M model, S statistics, Tensor x, Key key) {
        return settings.network.train(computing(model), statistics, narrow(x), key);
    }

    private Tensor loss(Tensor outputs, Batch batch) {
        return rows(outputs, batch).mean();
    }

    private Tensor rows(Tensor outputs, Batch batch) {
        var rows = settings.loss.rows(outputs.cast(outputs.dtype().compute()), batch.y());
        if (rows.rank() != 1 || rows.dim(0) != batch.y().dim(0)) {
            throw new IllegalArgumentException(
                    "a loss gives one number a row: %s came for targets of %s"
                            .formatted(rows.type(), batch.y().type()));
        }
        return rows;
    }

    private M computing(M model) {
        return settings.precision == DType.F32
                ? model
                : Precision.rounded(model, settings.precision);
    }

    private Tensor narrow(Tensor x) {
        return settings.precision != DType.F32 && x.dtype().isFloat()
                ? x.cast(settings.precision)
                : x;
    }

    Evaluated evaluate(TrainingState<M, S> state, Batch batch) {
        var outputs =
                settings.network.apply(
                        computing(state.model()), state.statistics(), narrow(batch.x()));
        return new Evaluated(rows(outputs, batch), outputs.cast(outputs.dtype().compute()));
    }
}
