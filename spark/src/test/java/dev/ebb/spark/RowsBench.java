package dev.ebb.spark;

import dev.ebb.Ebb;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Activation;
import dev.ebb.nn.Seed;
import dev.ebb.nn.model.Mlp;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.nn.parallel.Recipe;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;

/**
 * Trains a classifier for one epoch on a million rows of Parquet, on two ranks within a budget;
 * then applies it as a function of a column and compares the results with those of one machine. It
 * ends with exit code 1 if one differs in a bit, or if a rank's memory is not as promised.
 * Argument: rows.
 */
final class RowsBench {
    private static final int INPUTS = 16;
    private static final int CLASSES = 4;
    private static final int BATCH = 1024;
    private static final String BUDGET = "8MiB";

    private RowsBench() {}

    record Classifier() implements Recipe<Mlp> {
        @Override
        public Mlp model() {
            return Mlp.of(List.of(INPUTS, 64, 64, CLASSES), Activation.RELU, new Seed(1));
        }

        @Override
        public Tensor loss(Mlp model, List<Tensor> batch) {
            return model.apply(batch.get(0)).crossEntropy(batch.get(1));
        }

        @Override
        public Optimizer optimizer() {
            return AdamW.of(3e-3);
        }
    }

    public static void main(String[] arguments) throws IOException {
        long rows = arguments.length > 0 ? Long.parseLong(arguments[0]) : 1_000_000;
        var page = new Page("Rows");
        var folder = Files.createTempDirectory("ebb-rows");
        try (var spark = Local.builder().getOrCreate()) {
            long start = System.nanoTime();
            var files = folder.resolve("table").toString();
            made(spark, rows).write().parquet(files);
            double written = seconds(start);
            var table = spark.read().parquet(files);
            start = System.nanoTime();
            var trained =
                    SparkTraining.of(spark, new Classifier(), folder.resolve("run").toUri() + "")
                            .batch(BATCH, 8)
                            .ranks(2)
                            .steps(rows / BATCH, 500)
                            .within(BUDGET, 1)
                            .fit(
                                    table,
                                    List.of(Column.numbers("x", INPUTS), Column.integer("label")),
                                    1);
            double training = seconds(start);
            start = System.nanoTime();
            var scores =
                    trained.function(
                            new Classifier(), (Mlp model, Tensor x) -> model.apply(x), "2MiB");
            var scored =
                    table.withColumn("scores", scores.apply(functions.col("x")))
                            .withColumn(
                                    "found",
                                    functions.expr(
                                            "array_position(scores, array_max(scores)) - 1"));
            long right = scored.filter("found = label").count();
            double predicting = seconds(start);
            int different = different(trained, scored.limit(20_000));
            var thresholds = new Thresholds();
            var rank = trained.ranks().getFirst();
            page.write(
                    "RowsBench",
                    String.format(
                            Locale.ROOT,
                            "%,d rows of %d numbers: written as Parquet in %.0f s, trained for one"
                                + " epoch (%d steps of %d, two ranks, 8 MiB each) in %.0f s, loss"
                                + " %.3f -> %.3f, promised %,d bytes, measured %,d %s; scored by"
                                + " column in %.0f s, %.1f %% right; of %,d rows compared with one"
                                + " machine %,d differ in a bit %s.%n",
                            rows,
                            INPUTS,
                            written,
                            trained.losses().size(),
                            BATCH,
                            training,
                            trained.losses().getFirst(),
                            trained.losses().getLast(),
                            rank.promisedBytes(),
                            rank.measuredBytes(),
                            thresholds.must(
                                    trained.ranks().stream().allMatch(RowsBench::isKept),
                                    "as promised on every rank, within the budget",
                                    "a rank measured other memory than it promised, or more than"
                                            + " its budget"),
                            predicting,
                            100.0 * right / rows,
                            Math.min(rows, 20_000),
                            different,
                            thresholds.atMost("the number of rows that differ", different, 0)));
            thresholds.end();
        }
    }

    private static boolean isKept(RankResult rank) {
        return rank.measuredBytes() == rank.promisedBytes()
                && rank.measuredBytes() <= Budget.of(BUDGET).resolve(Long.MAX_VALUE);
    }

    private static double seconds(long since) {
        return (System.nanoTime() - since) / 1e9;
    }

    /** Numbers by seed; the class is that of the largest of four sums. */
    private static Dataset<Row> made(SparkSession spark, long rows) {
        var x = new org.apache.spark.sql.Column[INPUTS];
        for (int i = 0; i < INPUTS; i++)
            x[i] =
                    functions
                            .xxhash64(functions.col("id"), functions.lit(i))
                            .divide(functions.lit(9.3e18))
                            .cast("float");
        return spark.range(rows)
                .repartition(4)
                .select(functions.array(x).as("x"))
                .withColumn(
                        "sums",
                        functions.expr(
                                "transform(sequence(0, 3), k -> x[k] + x[k + 4] - x[(k + 9) %"
                                        + " 16])"))
                .withColumn(
                        "label",
                        functions.expr("cast(array_position(sums, array_max(sums)) - 1 as int)"))
                .drop("sums");
    }

    /** How many of these rows have another score on one machine, without Spark. */
    private static int different(SparkResult trained, Dataset<Row> scored) throws IOException {
        var model = trained.model(new Classifier());
        int different = 0;
        try (var program = Ebb.compile((Mlp m, Tensor x) -> m.apply(x)).on(new Cpu(1))) {
            for (var row : scored.collectAsList()) {
                List<Float> x = row.getList(row.fieldIndex("x"));
                List<Float> found = row.getList(row.fieldIndex("scores"));
                var values = new float[INPUTS];
                for (int i = 0; i < INPUTS; i++) values[i] = x.get(i);
                var out = program.apply(model, Array.of(Shape.of(1, INPUTS), values)).toFloats();
                for (int i = 0; i < CLASSES; i++) {
                    if (Float.floatToIntBits(out[i]) != Float.floatToIntBits(found.get(i))) {
                        different++;
                        break;
                    }
                }
            }
        }
        return different;
    }
}
