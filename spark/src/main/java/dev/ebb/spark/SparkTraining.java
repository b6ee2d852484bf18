package dev.ebb.spark;

import dev.ebb.nn.parallel.Partition;
import dev.ebb.nn.parallel.Recipe;

import org.apache.spark.Partitioner;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import scala.Function1;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/**
 * Training on Spark: each rank is a task of a barrier stage. Settings are immutable: every method
 * returns another training. The resulting weights have the same bits for any number of ranks; they
 * depend on shards, batch, seed and data.
 *
 * <p>A run resumes from the latest checkpoint in its folder: automatically after an executor is
 * lost, and when {@code fit} is called again after a restart of the driver.
 */
public final class SparkTraining<P> {
    private static final Logger LOG = LoggerFactory.getLogger(SparkTraining.class);

    /** By default, the most attempts in a row without a new checkpoint. */
    private static final int ATTEMPTS = 3;

    /** Spark's code for the error that a barrier stage did not get enough executors. */
    private static final String TOO_FEW_SLOTS = "SPARK-24819";

    private final SparkSession spark;
    private final RankSettings<P> settings;
    private final int attempts;
    private final Consumer<String> lines;

    private SparkTraining(
            SparkSession spark, RankSettings<P> settings, int attempts, Consumer<String> lines) {
        if (attempts < 1) {
            throw new IllegalArgumentException(
                    attempts + " attempts; a run needs one at least to make a checkpoint");
        }
        this.spark = spark;
        this.settings = settings;
        this.attempts = attempts;
        this.lines = lines;
    }

    /**
     * A training with one rank, 8 shards, batches of 64, 100 steps and a checkpoint every 50 steps.
     *
     * @param checkpoints a folder for this run alone, on a Hadoop file system that all executors
     *     can access
     */
    public static <P> SparkTraining<P> of(
            SparkSession spark, Recipe<P> recipe, String checkpoints) {
        return new SparkTraining<>(
                spark,
                new RankSettings<>(
                        recipe,
                        new Partition(8, 1),
                        64,
                        new RankSettings.Course(100, 50),
                        new RankSettings.Limits(
                                "100%", 1, Duration.ofMinutes(1), RankSettings.Links.TYPICAL),
                        checkpoints),
                ATTEMPTS,
                _ -> {});
    }

    private SparkTraining<P> with(RankSettings<P> other) {
        return new SparkTraining<>(spark, other, attempts, lines);
    }

    /** Sets the number of ranks, which must divide the number of shards. */
    public SparkTraining<P> ranks(int ranks) {
        return with(settings.with(new Partition(settings.cut().pieces(), ranks), settings.batch()));
    }

    /**
     * Sets the number of examples and of shards of a batch; the number of ranks must divide the
     * number of shards. A rank with a power of two of shards sends the fewest bytes.
     */
    public SparkTraining<P> batch(int examples, int shards) {
        return with(settings.with(new Partition(shards, settings.cut().ranks()), examples));
    }

    /** Sets the total number of steps and the number of steps between checkpoints. */
    public SparkTraining<P> steps(long steps, long every) {
        return with(settings.with(new RankSettings.Course(steps, every)));
    }

    /**
     * Sets the budget of each rank, in the syntax of {@code Budget.of}, and its number of threads.
     */
    public SparkTraining<P> within(String budget, int threads) {
        var limits = settings.limits();
        return with(
                settings.with(
                        new RankSettings.Limits(
                                budget, threads, limits.patience(), limits.links())));
    }

    /** Sets how long to wait for a peer before it counts as failed; one minute by default. */
    public SparkTraining<P> patience(Duration patience) {
        var limits = settings.limits();
        return with(
                settings.with(
                        new RankSettings.Limits(
                                limits.budget(), limits.threads(), patience, limits.links())));
    }

    /**
     * Makes ranks measure latency and bandwidth after they have joined, and plan with the slowest
     * link: whether a weight is kept, or freed and gathered again, then depends on the network; the
     * bits do not. By default a typical link of 10 Gb/s is assumed.
     */
    public SparkTraining<P> measuringLinks() {
        var limits = settings.limits();
        return with(
                settings.with(
                        new RankSettings.Limits(
                                limits.budget(),
                                limits.threads(),
                                limits.patience(),
                                RankSettings.Links.MEASURED)));
    }

    /** Sets after how many attempts in a row without a new checkpoint a run fails; 3 by default. */
    public SparkTraining<P> attempts(int most) {
        return new SparkTraining<>(spark, settings, most, lines);
    }

    /**
     * Reports a line whenever executors' heartbeats bring news: step, loss, and each rank's memory.
     */
    public SparkTraining<P> telling(Consumer<String> reader) {
        return new SparkTraining<>(spark, settings, attempts, reader);
    }

    /** Trains on batches that are a function of the step. */
    public SparkResult fit(Batches batches) throws IOException {
        var context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        JavaRDD<Tuple2<Long, Row>> empty =
                context.parallelize(Collections.emptyList(), settings.cut().ranks());
        return run(empty, new BatchSource.Made(batches, settings.batch()));
    }

    /**
     * Trains on the rows of a table, in an order that depends on seed, epoch and position; the rows
     * are streamed to the ranks by a shuffle and never collected. The table must return its rows in
     * the same order whenever it is read, as files do.
     *
     * @param columns the columns that become the tensors of a batch, in this order
     */
    public SparkResult fit(Dataset<Row> table, List<Column> columns, long seed) throws IOException {
        if (columns.isEmpty())
            throw new IllegalArgumentException("no columns to train on; name one at least");
        var chosen =
                table.select(
                                columns.stream()
                                        .map(c -> functions.col(c.name()))
                                        .toArray(org.apache.spark.sql.Column[]::new))
                        .javaRDD();
        var order = new RowOrder(seed, chosen.count());
        var done = new Checkpoints(settings.checkpoints()).steps();
        long first = (done.isEmpty() ? 0 : done.getLast()) * settings.batch();
        long end = settings.course().steps() * settings.batch();
        JavaPairRDD<Long, Row> placed =
                chosen.zipWithIndex()
                        .flatMapToPair(row -> places(order, row, first, end).iterator());
        var sorted =
                placed.repartitionAndSortWithinPartitions(
                        new ByRank(settings.batch(), settings.cut().ranks()));
        return run(sorted.map(row -> row), new BatchSource.Table(columns, settings.batch(), order));
    }

    private static List<Tuple2<Long, Row>> places(
            RowOrder order, Tuple2<Row, Long> row, long first, long end) {
        var places = new ArrayList<Tuple2<Long, Row>>();
        for (long epoch = first / order.rows(); epoch * order.rows() < end; epoch++) {
            long place = order.place(row._2(), epoch);
            if (place >= first && place < end) places.add(new Tuple2<>(place, row._1()));
        }
        return places;
    }

    /** Assigns a row to a rank by its position in its batch. */
    private static final class ByRank extends Partitioner {
        private static final long serialVersionUID = 1;
        private final int batch;
        private final int ranks;

        ByRank(int batch, int ranks) {
            this.batch = batch;
            this.ranks = ranks;
        }

        @Override
        public int numPartitions() {
            return ranks;
        }

        @Override
        public int getPartition(Object place) {
            return (int) ((Long) place % batch / (batch / ranks));
        }
    }

    private SparkResult run(JavaRDD<Tuple2<Long, Row>> rows, BatchSource feed) throws IOException {
        var context = spark.sparkContext();
        if (!context.conf().getBoolean("spark.authenticate", false)) {
            LOG.warn(
                    "spark.authenticate is not set: any process that reaches an executor's port can"
                            + " connect to a rank; set it, and spark.network.crypto.enabled, where"
                            + " the network is not your own");
        }
        requireSlots(context);
        var tally = ProgressAccumulators.of(context);
        var task = new RankTask<>(settings, feed, tally);
        var results =
                rows.rdd()
                        .barrier()
                        .mapPartitions(
                                inScala(task), false, ClassTag$.MODULE$.apply(RankResult.class));
        var progress =
                new RunProgress(tally, settings.cut().ranks(), settings.course().steps(), lines);
        var metrics = SparkEnv.get().metricsSystem();
        context.addSparkListener(progress);
        metrics.registerSource(progress);
        try {
            return new SparkResult(collected(results.toJavaRDD()), settings.checkpoints());
        } finally {
            metrics.removeSource(progress);
            context.removeSparkListener(progress);
        }
    }

    /** More executors may still start, but {@code local[N]} has a fixed number of threads. */
    private void requireSlots(SparkContext context) {
        if (!context.isLocal()) return;
        int slots =
                context.maxNumConcurrentTasks(
                        context.resourceProfileManager().defaultResourceProfile());
        int ranks = settings.cut().ranks();
        int each = context.conf().getInt("spark.task.cpus", 1);
        if (slots < ranks) {
            throw new IllegalArgumentException(
                    ("%s ranks on %s, where %s can run at once; take local[%s], or fewer ranks or"
                                    + " threads")
                            .formatted(ranks, context.master(), slots, ranks * each));
        }
    }

    /**
     * Spark ends a job whose last stage is a barrier stage when one of its tasks is lost. The job
     * is then submitted again and resumes from the latest checkpoint. If several attempts in a row
     * make no new checkpoint, trying again does not help, and the run fails.
     */
    private List<RankResult> collected(JavaRDD<RankResult> results) throws IOException {
        var checkpoints = new Checkpoints(settings.checkpoints());
        checkpoints.make();
        long before = checkpoints.latest();
        int fruitless = 0;
        while (true) {
            try {
                return results.collect();
            } catch (Exception e) { // Spark throws checked exceptions that it does not declare
                var message = String.valueOf(e.getMessage());
                var words = RefusedException.words(message);
                if (RefusedException.isIn(message)) throw new IllegalArgumentException(words, e);
                long now = checkpoints.latest();
                fruitless = now > before ? 1 : fruitless + 1;
                before = now;
                if (message.contains(TOO_FEW_SLOTS)) throw tooFew(now, e);
                if (fruitless >= attempts || spark.sparkContext().isStopped()) {
                    throw new IllegalStateException(
                            "training stopped after the checkpoint of step " + now + ": " + message,
                            e);
                }
                LOG.warn("a rank failed ({}); going on from the checkpoint of step {}", words, now);
            }
        }
    }

    /** The error for too few executors; Spark has already waited for them, so it is not retried. */
    private IllegalStateException tooFew(long step, Exception e) {
        var error =
                new IllegalStateException(
                        ("training stopped after the checkpoint of step %s: the cluster has no room"
                             + " for %s ranks at once; start more executors, or take a smaller"
                             + " number of ranks that divides the %s shards, which changes no bit")
                                .formatted(step, settings.cut().ranks(), settings.cut().pieces()));
        error.addSuppressed(e);
        return error;
    }

    private static Function1<
                    scala.collection.Iterator<Tuple2<Long, Row>>,
                    scala.collection.Iterator<RankResult>>
            inScala(RankTask<?> task) {
        return (Function1<
                                scala.collection.Iterator<Tuple2<Long, Row>>,
                                scala.collection.Iterator<RankResult>>
                        & Serializable)
                rows -> {
                    try {
                        return CollectionConverters.asScala(
                                task.call(CollectionConverters.asJava(rows)));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                };
    }
}
