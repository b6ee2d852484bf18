package dev.ebb.nn.train;

import dev.ebb.Ebb;
import dev.ebb.Evaluation;
import dev.ebb.Stepper;
import dev.ebb.Stepping;
import dev.ebb.nn.data.Batch;
import dev.ebb.nn.data.Dataset;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;

import java.util.Optional;
import java.util.stream.IntStream;

/** The compiled step and evaluation of a trainer, in one arena. */
final class TrainingPrograms<M, S> implements AutoCloseable {
    private final Stepper<TrainingState<M, S>, Batch, TrainingStep.StepResult> stepper;
    private final Optional<Evaluation<Batch, TrainingStep.Evaluated>> evaluation;
    private final long promisedBytes;
    private final Optional<BatchSplit> cut;
    private long measuredBytes;

    private TrainingPrograms(
            Stepper<TrainingState<M, S>, Batch, TrainingStep.StepResult> stepper,
            Optional<Evaluation<Batch, TrainingStep.Evaluated>> evaluation,
            long promisedBytes,
            Optional<BatchSplit> cut) {
        this.stepper = stepper;
        this.evaluation = evaluation;
        this.promisedBytes = promisedBytes;
        this.cut = cut;
    }

    /**
     * Compiles a step for batches of the settings' size, in as few groups as fit if batches may be
     * split.
     */
    static <M, S> TrainingPrograms<M, S> of(TrainerSettings<M, S> settings) {
        var batch = rows(settings.data.orElseThrow(), settings.loader().batch());
        try {
            return cut(settings, batch, 1, 0);
        } catch (OverBudgetException e) {
            if (!settings.cutting) throw e;
            return cut(settings, batch, e);
        }
    }

    private static <M, S> TrainingPrograms<M, S> cut(
            TrainerSettings<M, S> settings, Batch batch, OverBudgetException uncut) {
        // more groups need more sums at once, so the last one need not be the smallest
        var smallest = uncut;
        for (int cuts = 2; cuts <= settings.shards(); cuts *= 2) {
            try {
                return cut(settings, batch, cuts, uncut.leastBytes());
            } catch (OverBudgetException e) {
                if (e.leastBytes() < smallest.leastBytes()) smallest = e;
            }
        }
        throw new OverBudgetException(
                ("%s; this is with the batch cut into up to %s parts, the most for %s rows: a"
                                + " smaller batch takes less")
                        .formatted(smallest.getMessage(), settings.shards(), settings.batch),
                smallest.leastBytes());
    }

    private static Batch rows(Dataset data, int count) {
        return data.read(IntStream.range(0, count).toArray());
    }

    /** The number of rows evaluated at once. */
    static int evaluated(TrainerSettings<?, ?> settings) {
        return Math.min(settings.batch, settings.validation.map(Dataset::rows).orElse(1));
    }

    private static <M, S> TrainingPrograms<M, S> cut(
            TrainerSettings<M, S> settings, Batch batch, int cuts, long wholeBytes) {
        var start = settings.start();
        var step = new TrainingStep<>(settings, cuts);
        var stepping = stepping(settings, cuts);
        if (settings.validation.isEmpty()) {
            var stepper = stepping.start(start, batch);
            var plan = stepper.plan();
            return new TrainingPrograms<>(
                    stepper,
                    Optional.empty(),
                    plan.peakBytes(),
                    batchSplit(settings, batch, cuts, wholeBytes, plan.peakBytes(), plan.cost()));
        }
        var evaluated = rows(settings.validation.get(), evaluated(settings));
        var both =
                stepping.start(
                        start,
                        batch,
                        (TrainingState<M, S> s, Batch b) -> step.evaluate(s, b),
                        evaluated);
        var plan = both.plan();
        return new TrainingPrograms<>(
                both.stepper(),
                Optional.of(both.evaluation()),
                plan.peakBytes(),
                batchSplit(
                        settings, batch, cuts, wholeBytes, plan.peakBytes(), plan.step().cost()));
    }

    private static <M, S> Stepping<TrainingState<M, S>, Batch, TrainingStep.StepResult> stepping(
            TrainerSettings<M, S> settings, int cuts) {
        var step = new TrainingStep<>(settings, cuts);
        return Ebb.stepper((TrainingState<M, S> s, Batch b) -> step.step(s, b))
                .within(settings.budget)
                .on(settings.device);
    }

    private static <M, S> Optional<BatchSplit> batchSplit(
            TrainerSettings<M, S> settings,
            Batch batch,
            int cuts,
            long wholeBytes,
            long peakBytes,
            double cost) {
        if (cuts == 1) return Optional.empty();
        var whole = stepping(settings, 1).within(Budget.unlimited()).plan(settings.start(), batch);
        return Optional.of(
                new BatchSplit(settings.shards(), cuts, wholeBytes, peakBytes, cost, whole.cost()));
    }

    TrainingStep.StepResult step(Batch batch) {
        var seen = stepper.step(batch);
        measuredBytes = Math.max(measuredBytes, stepper.report().measuredBytes());
        return seen;
    }

    TrainingStep.Evaluated evaluate(Batch batch) {
        var program = evaluation.orElseThrow();
        var found = program.apply(batch);
        measuredBytes = Math.max(measuredBytes, program.report().measuredBytes());
        return found;
    }

    Stepper<TrainingState<M, S>, Batch, TrainingStep.StepResult> stepper() {
        return stepper;
    }

    long promisedBytes() {
        return promisedBytes;
    }

    long measuredBytes() {
        return measuredBytes;
    }

    Optional<BatchSplit> cut() {
        return cut;
    }

    @Override
    public void close() {
        stepper.close();
    }
}
