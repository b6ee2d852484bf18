package dev.ebb.spark;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;

import org.apache.spark.metrics.source.Source;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorMetricsUpdate;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;

import scala.jdk.javaapi.CollectionConverters;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The progress of every rank, on the driver. Executors' heartbeats carry the values of {@link
 * ProgressAccumulators}. Progress is a source of Spark's metrics, which Spark's UI shows at {@code
 * /metrics/json}, and is reported as lines of text to a listener.
 */
final class RunProgress extends SparkListener implements Source {
    /** With more ranks than this, a line shows only the rank with the most memory. */
    private static final int EACH = 8;

    private final ProgressAccumulators tally;
    private final long steps;
    private final Consumer<String> lines;
    private final MetricRegistry registry = new MetricRegistry();
    private final Map<Long, Integer> rankOfTask = new HashMap<>();
    private final RankNow[] ranks;
    private double loss = Double.NaN;
    private long reported = -1;

    private record RankNow(long step, long promised, long measured) {}

    /**
     * @param steps of the whole run
     * @param lines gets a line whenever the slowest rank has made progress
     */
    RunProgress(ProgressAccumulators tally, int ranks, long steps, Consumer<String> lines) {
        this.tally = tally;
        this.steps = steps;
        this.lines = lines;
        this.ranks = new RankNow[ranks];
        Arrays.fill(this.ranks, new RankNow(0, 0, 0));
        registry.register("loss", (Gauge<Double>) () -> latestLoss());
        for (int i = 0; i < ranks; i++) {
            int rank = i;
            var name = "rank." + rank;
            registry.register(name + ".step", (Gauge<Long>) () -> now(rank).step);
            registry.register(name + ".promisedBytes", (Gauge<Long>) () -> now(rank).promised);
            registry.register(name + ".measuredBytes", (Gauge<Long>) () -> now(rank).measured);
        }
    }

    private synchronized RankNow now(int rank) {
        return ranks[rank];
    }

    private synchronized double latestLoss() {
        return loss;
    }

    @Override
    public String sourceName() {
        return "ebb";
    }

    @Override
    public MetricRegistry metricRegistry() {
        return registry;
    }

    @Override
    public synchronized void onTaskStart(SparkListenerTaskStart start) {
        rankOfTask.put(start.taskInfo().taskId(), start.taskInfo().index());
    }

    @Override
    public synchronized void onExecutorMetricsUpdate(SparkListenerExecutorMetricsUpdate beat) {
        for (var task : CollectionConverters.asJava(beat.accumUpdates()))
            take((Long) task._1(), CollectionConverters.asJava(task._4()));
        tell();
    }

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd end) {
        long task = end.taskInfo().taskId();
        take(task, CollectionConverters.asJava(end.taskInfo().accumulables()));
        rankOfTask.remove(task);
        tell();
    }

    /** Tasks of other stages have none of these accumulators. */
    private void take(long task, Iterable<AccumulableInfo> updates) {
        var rank = rankOfTask.get(task);
        if (rank == null || rank >= ranks.length) return;
        for (var info : updates) {
            if (info.update().isEmpty() || !(info.update().get() instanceof Number value)) continue;
            var now = ranks[rank];
            if (info.id() == tally.steps().id())
                ranks[rank] = new RankNow(value.longValue(), now.promised, now.measured);
            else if (info.id() == tally.promised().id())
                ranks[rank] = new RankNow(now.step, value.longValue(), now.measured);
            else if (info.id() == tally.measured().id())
                ranks[rank] = new RankNow(now.step, now.promised, value.longValue());
            else if (info.id() == tally.loss().id() && rank == 0) loss = value.doubleValue();
        }
    }

    private void tell() {
        long slowest = Arrays.stream(ranks).mapToLong(RankNow::step).min().orElse(0);
        if (slowest == 0 || slowest == reported) return;
        reported = slowest;
        var line = new StringBuilder();
        line.append(String.format(Locale.ROOT, "step %,d of %,d, loss %.4f", slowest, steps, loss));
        if (ranks.length <= EACH) {
            for (int i = 0; i < ranks.length; i++) line.append(memory(i));
        } else {
            int most = 0;
            for (int i = 0; i < ranks.length; i++)
                if (ranks[i].measured > ranks[most].measured) most = i;
            line.append("; of ").append(ranks.length).append(" ranks").append(memory(most));
        }
        lines.accept(line.toString());
    }

    private String memory(int rank) {
        return String.format(
                Locale.ROOT,
                "; rank %d: %,d bytes of %,d",
                rank,
                ranks[rank].measured,
                ranks[rank].promised);
    }
}
