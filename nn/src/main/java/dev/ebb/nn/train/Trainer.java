package dev.ebb.nn.train;

import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.exec.Device;
import dev.ebb.ir.DType;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Dataset;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.nn.parallel.ShardedGradient;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Tensor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Trains a model on rows of data. A trainer is immutable: each method that changes a setting
 * returns another trainer.
 *
 * <pre>{@code
 * var trained =
 *     Trainer.of(model, Loss.crossEntropy())
 *         .on(train, 32)
 *         .validating(test, Metric.accuracy())
 *         .within(Budget.of("64MiB"))
 *         .epochs(5)
 *         .train();
 * }</pre>
 *
 * <p>Steps and evaluations run alternately in one arena, and the budget bounds both together. The
 * result depends on model, data, seed and settings alone: not on the budget, on the number of
 * threads, or on where a run was stopped and resumed.
 *
 * @param <M> the model
 * @param <S> the state that its network carries from batch to batch, such as running statistics
 */
public final class Trainer<M, S> {
    /** The settings; they are copied before a change, so that this trainer never changes. */
    final TrainerSettings<M, S> settings;

    private Trainer(TrainerSettings<M, S> settings) {
        this.settings = settings;
    }

    /** For a model that computes the same in training and in inference. */
    public static <M extends Fn<Tensor, Tensor>> Trainer<M, Network.None> of(M model, Loss loss) {
        return of(model, (m, x) -> m.apply(x), loss);
    }

    /** For a model that computes the same in training and in inference. */
    public static <M> Trainer<M, Network.None> of(
            M model, Fn2<M, Tensor, Tensor> forward, Loss loss) {
        return of(model, new Network.None(), Network.of(forward), loss);
    }

    /** For a model with dropout, running statistics, or both. */
    public static <M, S> Trainer<M, S> of(M model, S statistics, Network<M, S> network, Loss loss) {
        return new Trainer<>(new TrainerSettings<>(model, statistics, network, loss));
    }

    private Trainer<M, S> with(Consumer<TrainerSettings<M, S>> change) {
        var copy = settings.copy();
        change.accept(copy);
        return new Trainer<>(copy);
    }

    /** Trains on batches of {@code batch} rows, shuffled again in every epoch. */
    public Trainer<M, S> on(Dataset data, int batch) {
        return with(
                s -> {
                    s.data = Optional.of(data);
                    s.batch = batch;
                });
    }

    /** Evaluates these rows after every epoch: the mean loss, and the metrics. */
    public Trainer<M, S> validating(Dataset data, Metric... metrics) {
        return with(
                s -> {
                    s.validation = Optional.of(data);
                    s.metrics = List.of(metrics);
                });
    }

    /** Sets the optimizer, with its schedule; the default is AdamW at 0.001. */
    public Trainer<M, S> optimizer(Optimizer optimizer) {
        return with(s -> s.optimizer = optimizer);
    }

    /** Sets the number of epochs; the default is one. */
    public Trainer<M, S> epochs(int epochs) {
        if (epochs < 1) throw new IllegalArgumentException(epochs + " epochs; use at least 1");
        return with(s -> s.epochs = epochs);
    }

    /** Sets the seed for the order of rows and for random draws; the default is zero. */
    public Trainer<M, S> seed(Seed seed) {
        return with(s -> s.seed = seed);
    }

    /** Limits the memory of training and evaluation together. */
    public Trainer<M, S> within(Budget budget) {
        return with(s -> s.budget = budget);
    }

    /** Sets the device; the default is the fastest available. */
    public Trainer<M, S> computingOn(Device device) {
        return with(s -> s.device = device);
    }

    /** Clips gradients by their global norm. */
    public Trainer<M, S> clipping(double norm) {
        return with(s -> s.largestNorm = OptionalDouble.of(norm));
    }

    /**
     * Mixed precision: computes in {@code type}, bf16 or f16, with weights and optimizer in f32. In
     * f16 the loss is scaled, and steps whose gradients overflow are skipped.
     */
    public Trainer<M, S> computingIn(DType type) {
        if (type != DType.BF16 && type != DType.F16 && type != DType.F32) {
            throw new IllegalArgumentException(
                    "mixed precision computes in BF16 or F16, not in " + type);
        }
        return with(s -> s.precision = type);
    }

    /**
     * Accumulates the gradients of {@code batches} batches, a power of two, for each update, in the
     * memory of one batch: as if the batch were that much larger.
     */
    public Trainer<M, S> accumulating(int batches) {
        if (batches < 1)
            throw new IllegalArgumentException(
                    "accumulating the gradients of "
                            + batches
                            + " batches; use at least 1, which is an update for every batch");
        return with(s -> s.accumulated = batches);
    }

    /**
     * Allows a batch that does not fit the budget to be split: its gradient is always the sum of
     * those of {@link ShardedGradient#finest} shards in a fixed order, and the shards are computed
     * in as many groups, one after the other, as the budget requires, with the same bits. The model
     * must treat every row independently.
     */
    public Trainer<M, S> cuttingBatches() {
        return with(s -> s.cutting = true);
    }

    /**
     * Stops when {@code figure} of the validation, a metric's name or {@code loss}, has not
     * improved for {@code patience} epochs.
     */
    public Trainer<M, S> stoppingEarly(String figure, int patience) {
        return with(s -> s.patience = Optional.of(new EarlyStopping(figure, patience)));
    }

    /** Stops after a step for which the predicate is true; the run can be resumed. */
    public Trainer<M, S> stoppingWhen(Predicate<StepReport> enough) {
        return with(s -> s.stop = enough);
    }

    /**
     * Writes a checkpoint into {@code folder} every {@code every} steps, at the end of each epoch
     * and when the run stops, and with early stopping also the best model.
     */
    public Trainer<M, S> checkpoints(Path folder, int every) {
        if (every < 1) throw new IllegalArgumentException("a checkpoint every " + every + " steps");
        return with(
                s -> {
                    s.folder = Optional.of(folder);
                    s.every = every;
                });
    }

    /** Writes losses, learning rates and figures into {@code folder} for TensorBoard. */
    public Trainer<M, S> logging(Path folder) {
        return with(s -> s.log = Optional.of(folder));
    }

    /** Adds a listener for steps, epochs and checkpoints. */
    public Trainer<M, S> telling(TrainingListener listener) {
        return with(
                s -> {
                    var all = new ArrayList<>(s.listeners);
                    all.add(listener);
                    s.listeners = List.copyOf(all);
                });
    }

    /** Reports a line per epoch, for example to {@code System.out::println}. */
    public Trainer<M, S> progress(Consumer<String> lines) {
        return telling(
                new TrainingListener() {
                    @Override
                    public void epoch(EpochReport report) {
                        lines.accept(report.toString());
                    }
                });
    }

    /**
     * Trains from the beginning. A folder with a checkpoint is refused; use {@link #resume} there.
     */
    public TrainingResult<M, S> train() throws IOException {
        return TrainingRun.of(settings, false);
    }

    /** Resumes from the checkpoint in the folder, with the bits of an uninterrupted run. */
    public TrainingResult<M, S> resume() throws IOException {
        return TrainingRun.of(settings, true);
    }
}
