package dev.ebb.spark;

import dev.ebb.cpu.Cpu;
import dev.ebb.nn.file.LazyTensor;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.nn.parallel.Group;
import dev.ebb.nn.parallel.PeerException;
import dev.ebb.nn.parallel.Rank;
import dev.ebb.plan.Budget;
import dev.ebb.plan.cache.PlanCache;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.apache.spark.BarrierTaskContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskKilledException;
import org.apache.spark.sql.Row;

import scala.Tuple2;

import java.io.IOException;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * One rank as a task of a barrier stage: joins the others, restores the latest checkpoint and
 * trains to the last step.
 *
 * @param tally the accumulators that the driver reads while the rank runs
 */
record RankTask<P>(RankSettings<P> settings, BatchSource feed, ProgressAccumulators tally)
        implements Serializable {
    /** The plans of this executor's ranks: a stage that is restarted need not search again. */
    private static final PlanCache PLANS = PlanCache.inMemory();

    private static final Duration OTHERS_FIRST = Duration.ofSeconds(15);

    Iterator<RankResult> call(Iterator<Tuple2<Long, Row>> rows) throws IOException {
        var task = BarrierTaskContext.get();
        var checkpoints = new Checkpoints(settings.checkpoints());
        // all ranks use the step that rank 0 finds: another rank might look a moment later
        long found = 0;
        if (task.partitionId() == 0) {
            checkpoints.sweep();
            found = checkpoints.latest();
        }
        long from = Long.parseLong(task.allGather(String.valueOf(found))[0]);
        try (var group = SparkGroup.join(task, settings.limits().patience());
                var device = new Cpu(settings.limits().threads())) {
            if (settings.limits().links() == RankSettings.Links.MEASURED) group.measureLinks();
            var result = run(task, group, device, checkpoints, from, rows);
            task.barrier();
            return List.of(result).iterator();
        } catch (PeerException e) {
            letOthersSpeak(task);
            throw e;
        } catch (IllegalArgumentException e) {
            throw new RefusedException(e);
        }
    }

    /**
     * When a peer is gone, it had its own error, such as a full disk, and the driver reports the
     * first error that it receives. So this rank's error waits until that one has ended the stage.
     */
    private static void letOthersSpeak(BarrierTaskContext task) {
        long end = System.nanoTime() + OTHERS_FIRST.toNanos();
        try {
            while (!task.isInterrupted() && System.nanoTime() < end) Thread.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private RankResult run(
            BarrierTaskContext task,
            Group group,
            Cpu device,
            Checkpoints checkpoints,
            long from,
            Iterator<Tuple2<Long, Row>> rows)
            throws IOException {
        var feed = this.feed.rows(settings.cut(), group.rank(), from, rows);
        var losses = new ArrayList<Double>();
        if (from >= settings.course().steps()) return finished(checkpoints, from, group.rank());
        var batch = feed.next();
        try (var rank =
                new Rank<>(
                        settings.recipe(),
                        settings.cut(),
                        group,
                        batch,
                        Budget.of(settings.limits().budget()),
                        device,
                        PLANS)) {
            if (from > 0) restore(rank, checkpoints, from, losses);
            for (long step = from; step < settings.course().steps(); step++) {
                if (task.isInterrupted()) throw new TaskKilledException("the stage has ended");
                losses.add(rank.step(batch));
                tally.step(group.rank(), step + 1, losses.getLast());
                if (step == from) tally.memory(memory(rank));
                boolean last = step + 1 == settings.course().steps();
                if (last || (step + 1) % settings.course().every() == 0)
                    save(rank, group, checkpoints, losses);
                if (!last) batch = feed.next();
            }
            var memory = memory(rank);
            tally.memory(memory);
            return new RankResult(group.rank(), host(), rank.digest(), losses, memory);
        }
    }

    private static RankResult.StepMemory memory(Rank<?> rank) {
        var report = rank.report();
        return new RankResult.StepMemory(
                report.promisedBytes(),
                report.measuredBytes(),
                Arrays.stream(rank.held()).boxed().toList());
    }

    private static String host() {
        return SparkEnv.get().blockManager().blockManagerId().host();
    }

    /** The result if all steps were made before: nothing is computed. */
    private RankResult finished(Checkpoints checkpoints, long step, int rank) throws IOException {
        return checkpoints
                .read(
                        step,
                        file -> {
                            requireSameBatches(file, step);
                            return new RankResult(
                                    rank,
                                    host(),
                                    file.metadata().getOrDefault("digest", ""),
                                    losses(file),
                                    RankResult.StepMemory.NONE);
                        })
                .orElseThrow(() -> new IOException("the checkpoint of step " + step + " changed"));
    }

    /**
     * The settings, besides the recipe, on which the bits of a run depend; ranks are not among
     * them.
     */
    private String batches() {
        return "batches of "
                + settings.batch()
                + " in "
                + settings.cut().pieces()
                + " shards from "
                + feed.origin();
    }

    /** Refuses to resume a run with other batches, which the weights alone would not reveal. */
    private void requireSameBatches(Safetensors file, long step) {
        var then = file.metadata().getOrDefault("batches", batches());
        if (!then.equals(batches())) {
            throw new IllegalArgumentException(
                    ("the checkpoint of step %s in %s was made with %s, and this run has %s; take"
                         + " those of the checkpoint, or a folder of its own for this run")
                            .formatted(step, settings.checkpoints(), then, batches()));
        }
    }

    private void restore(Rank<?> rank, Checkpoints checkpoints, long step, List<Double> losses)
            throws IOException {
        var found =
                checkpoints.read(
                        step,
                        file -> {
                            requireSameBatches(file, step);
                            for (var supply : rank.state())
                                file.require(supply.name(), supply.type());
                            rank.restore(rank.state().stream().map(s -> stored(file, s)).toList());
                            losses.addAll(losses(file));
                            return file.names();
                        });
        if (found.isEmpty()) throw new IOException("the checkpoint of step " + step + " changed");
    }

    private static LazyTensor stored(Safetensors file, LazyTensor like) {
        return new LazyTensor(
                like.name(),
                like.type(),
                () -> {
                    try {
                        return file.read(like.name());
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                });
    }

    private static List<Double> losses(Safetensors file) throws IOException {
        var losses = new ArrayList<Double>();
        for (double x : file.read("losses").toDoubles()) losses.add(x);
        return losses;
    }

    /** Saves a checkpoint: all ranks gather the tensors, and rank 0 writes them. */
    private void save(Rank<?> rank, Group group, Checkpoints checkpoints, List<Double> losses)
            throws IOException {
        var digest = rank.digest();
        if (group.rank() != 0) {
            rank.contribute();
            return;
        }
        var tensors = new ArrayList<>(rank.state());
        Tensor data = Array.of(losses.stream().mapToDouble(Double::doubleValue).toArray());
        tensors.add(new LazyTensor("losses", data.type(), () -> (Array) data));
        checkpoints.write(
                losses.size(),
                tensors,
                Map.of("format", "ebb ranks 1", "digest", digest, "batches", batches()));
    }
}
