package dev.ebb.nn.train;

import dev.ebb.Devices;
import dev.ebb.Tensorwise;
import dev.ebb.exec.Device;
import dev.ebb.ir.DType;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Dataset;
import dev.ebb.nn.data.Loader;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.LossScale;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.nn.parallel.ShardedGradient;
import dev.ebb.plan.Budget;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Predicate;

/** The settings of a trainer. Changed only before they are shared. */
final class TrainerSettings<M, S> implements Cloneable {
    private static final double FIRST_SCALE = 1 << 15;

    final M model;
    final S statistics;
    final Network<M, S> network;
    final Loss loss;
    Optional<Dataset> data = Optional.empty();
    int batch = 1;
    Optional<Dataset> validation = Optional.empty();
    List<Metric> metrics = List.of();
    Optimizer optimizer = AdamW.of(1e-3);
    int epochs = 1;
    Seed seed = new Seed(0);
    Budget budget = Budget.unlimited();
    Device device = Devices.best();
    OptionalDouble largestNorm = OptionalDouble.empty();
    DType precision = DType.F32;
    int accumulated = 1;
    boolean cutting;
    Optional<EarlyStopping> patience = Optional.empty();
    Predicate<StepReport> stop = _ -> false;
    Optional<Path> folder = Optional.empty();
    int every = 1;
    Optional<Path> log = Optional.empty();
    List<TrainingListener> listeners = List.of();

    TrainerSettings(M model, S statistics, Network<M, S> network, Loss loss) {
        this.model = model;
        this.statistics = statistics;
        this.network = network;
        this.loss = loss;
    }

    @SuppressWarnings("unchecked") // a copy has the type of what is copied
    TrainerSettings<M, S> copy() {
        try {
            return (TrainerSettings<M, S>) clone();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Throws if settings contradict each other. */
    void require() {
        if (data.isEmpty())
            throw new IllegalStateException("there are no data; name them with on(data, batch)");
        boolean sharded = cutting || accumulated != 1;
        if (cutting && accumulated != 1) {
            throw new IllegalStateException(
                    "a trainer that cuts batches needs no accumulating: give it a batch "
                            + accumulated
                            + " times as large");
        }
        if (sharded && !Tensorwise.list(statistics).isEmpty()) {
            throw new IllegalStateException(
                    "a batch whose statistics the model takes cannot be computed in parts: the"
                        + " parts have others; leave out accumulating and cuttingBatches, or use a"
                        + " norm that treats every row alone");
        }
        if (precision == DType.F16 && (sharded || !Tensorwise.list(statistics).isEmpty())) {
            throw new IllegalStateException(
                    "f16 scales the loss of a whole batch, without parts or running statistics; use"
                            + " BF16, which needs no scale");
        }
        if (patience.isPresent()) {
            var figure = patience.get().figure();
            if (validation.isEmpty()
                    || (!figure.equals("loss")
                            && metrics.stream().noneMatch(m -> m.name().equals(figure)))) {
                throw new IllegalStateException(
                        "stopping early by "
                                + figure
                                + " needs it as a figure; name it in validating(data, metrics)");
            }
        }
    }

    TrainingState<M, S> start() {
        return new TrainingState<>(
                model,
                optimizer.start(model),
                statistics,
                precision == DType.F16 ? List.of(LossScale.of(FIRST_SCALE)) : List.of());
    }

    Loader loader() {
        return Loader.shuffled(data.orElseThrow(), batch * accumulated, seed.of("rows"));
    }

    /** The number of parts of a step's gradient, whatever the budget. */
    int shards() {
        return cutting ? ShardedGradient.finest(batch) : accumulated;
    }
}
