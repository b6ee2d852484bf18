package dev.ebb.nn.train;

import dev.ebb.nn.data.Loader;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/** A training run from its start, or from a checkpoint, to its end. */
final class TrainingRun<M, S> {
    private final TrainerSettings<M, S> settings;
    private final TrainingPrograms<M, S> programs;
    private final Loader loader;
    private final Optional<EventFile> log;
    private TrainingPosition at;

    private TrainingRun(
            TrainerSettings<M, S> settings,
            TrainingPrograms<M, S> programs,
            Optional<EventFile> log,
            TrainingPosition at) {
        this.settings = settings;
        this.programs = programs;
        this.log = log;
        this.at = at;
        loader = settings.loader();
    }

    static <M, S> TrainingResult<M, S> of(TrainerSettings<M, S> settings, boolean resumed)
            throws IOException {
        settings.require();
        var file = settings.folder.map(TrainingCheckpoint::file);
        requireFile(file, resumed);
        try (var programs = TrainingPrograms.of(settings)) {
            var at =
                    resumed
                            ? TrainingCheckpoint.read(file.orElseThrow(), settings, programs)
                            : TrainingPosition.start();
            var log =
                    settings.log.isPresent()
                            ? Optional.of(EventFile.in(settings.log.get()))
                            : Optional.<EventFile>empty();
            try {
                return new TrainingRun<>(settings, programs, log, at).run();
            } finally {
                if (log.isPresent()) log.get().close();
            }
        }
    }

    private static void requireFile(Optional<Path> file, boolean resumed) {
        boolean there = file.isPresent() && Files.exists(file.get());
        if (resumed && !there) {
            throw new IllegalStateException(
                    file.map(f -> f + " is not there; train() begins anew")
                            .orElse("no folder to resume from; name it with checkpoints"));
        }
        if (!resumed && there) {
            throw new IllegalStateException(
                    file.orElseThrow()
                            + " is a checkpoint already; resume() goes on from it, or name another"
                            + " folder");
        }
    }

    private TrainingResult<M, S> run() throws IOException {
        boolean stopped = false;
        while (!stopped && at.epoch() < settings.epochs && !isEarlyEnd()) {
            stopped = isStoppedIn(at.epoch());
            if (stopped) checkpoint();
            else end();
        }
        var state = programs.stepper().state();
        return new TrainingResult<>(
                state.model(),
                state.statistics(),
                at.history(),
                at.step(),
                !stopped,
                programs.promisedBytes(),
                programs.measuredBytes(),
                programs.cut());
    }

    private boolean isEarlyEnd() {
        return settings.patience
                .filter(p -> p.isOver(at.history(), settings.metrics))
                .filter(_ -> !at.history().isEmpty())
                .isPresent();
    }

    /** Makes the remaining steps of an epoch; returns whether it was stopped. */
    private boolean isStoppedIn(int epoch) throws IOException {
        int rows = loader.batches() * loader.batch();
        try (var batches = loader.full(epoch, at.row())) {
            while (batches.hasNext()) {
                var seen = programs.step(batches.next().batch());
                double loss = seen.loss().item();
                at = at.stepped(loader.batch(), loss);
                if (!Double.isFinite(loss)) throw diverged(loss);
                var report =
                        new StepReport(at.step(), epoch, at.row(), rows, loss, seen.rate().item());
                tell(report);
                if (settings.stop.test(report)) return true;
                if (settings.folder.isPresent()
                        && at.step() % settings.every == 0
                        && batches.hasNext()) checkpoint();
            }
        }
        return false;
    }

    private IllegalStateException diverged(double loss) {
        return new IllegalStateException(
                "the loss is "
                        + loss
                        + " at step "
                        + at.step()
                        + "; a smaller learning rate or clipping(norm) may help"
                        + settings.folder
                                .map(f -> ", and the last checkpoint is in " + f)
                                .orElse(""));
    }

    private void tell(StepReport report) throws IOException {
        for (var listener : settings.listeners) listener.step(report);
        if (log.isEmpty()) return;
        log.get().scalar("train/loss", report.step(), report.loss());
        log.get().scalar("train/rate", report.step(), report.rate());
    }

    /** Evaluates and reports after the last step of an epoch. */
    private void end() throws IOException {
        var report =
                new EpochReport(at.epoch(), at.step(), at.lossSum() / loader.batches(), figures());
        at = at.ended(report);
        for (var listener : settings.listeners) listener.epoch(report);
        if (log.isPresent()) {
            for (var figure : report.validation().entrySet())
                log.get().scalar("validation/" + figure.getKey(), report.step(), figure.getValue());
        }
        if (settings.patience.isPresent() && settings.folder.isPresent()) {
            int best = settings.patience.get().best(at.history(), settings.metrics);
            if (best == at.history().size() - 1)
                TrainingCheckpoint.writeModel(
                        TrainingCheckpoint.best(settings.folder.get()), programs);
        }
        checkpoint();
    }

    private SequencedMap<String, Double> figures() {
        var figures = new LinkedHashMap<String, Double>();
        if (settings.validation.isEmpty()) return figures;
        var data = settings.validation.get();
        List<Metric.Tally> tallies = new ArrayList<>();
        for (var metric : settings.metrics) tallies.add(metric.start());
        double sum = 0;
        var order = Loader.inOrder(data, TrainingPrograms.evaluated(settings));
        try (var batches = order.all()) {
            while (batches.hasNext()) {
                var filled = batches.next();
                var found = programs.evaluate(filled.batch());
                var some =
                        Predictions.of(
                                found.outputs(), filled.batch().y(), found.losses(), filled.rows());
                for (float loss : some.losses()) sum += loss;
                for (var tally : tallies) tally.add(some);
            }
        }
        figures.put("loss", sum / data.rows());
        for (int i = 0; i < tallies.size(); i++)
            figures.put(settings.metrics.get(i).name(), tallies.get(i).value());
        return figures;
    }

    private void checkpoint() throws IOException {
        if (settings.folder.isEmpty()) return;
        var file = TrainingCheckpoint.file(settings.folder.get());
        TrainingCheckpoint.write(file, settings, programs, at);
        for (var listener : settings.listeners) listener.checkpoint(file);
    }
}
