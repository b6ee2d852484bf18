package dev.ebb.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.ir.Shape;
import dev.ebb.nn.Activation;
import dev.ebb.nn.Seed;
import dev.ebb.nn.model.Mlp;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.nn.parallel.Recipe;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import scala.jdk.javaapi.CollectionConverters;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Tables to train on and to predict for, on {@code local[2]}. */
class TableTest {
    private static final int ROWS = 75;

    @TempDir static Path folder;

    private static final List<Column> COLUMNS =
            List.of(Column.numbers("x", 4), Column.integer("label"));

    private static SparkSession spark;
    private static Dataset<Row> table;

    @BeforeAll
    static void start() {
        spark = Local.session();
        table = table().cache();
    }

    // [spark-recipe
    /** Which of three classes a row of four numbers belongs to. */
    record Classifier() implements Recipe<Mlp> {
        @Override
        public Mlp model() {
            return Mlp.of(List.of(4, 16, 3), Activation.TANH, new Seed(1));
        }

        @Override
        public Tensor loss(Mlp model, List<Tensor> batch) {
            return model.apply(batch.get(0)).crossEntropy(batch.get(1));
        }

        @Override
        public Optimizer optimizer() {
            return AdamW.of(0.02);
        }
    }

    // spark-recipe]

    // [spark-fit
    static SparkResult train(Dataset<Row> table, int ranks, String folder) throws IOException {
        return SparkTraining.of(spark, new Classifier(), folder)
                .batch(16, 4)
                .ranks(ranks)
                .steps(40, 20)
                .within("16MiB", 1)
                .fit(table, List.of(Column.numbers("x", 4), Column.integer("label")), 1);
    }

    static Dataset<Row> predict(SparkResult trained, Dataset<Row> table) {
        var scores =
                trained.function(new Classifier(), (Mlp model, Tensor x) -> model.apply(x), "4MiB");
        return table.withColumn("scores", scores.apply(functions.col("x")));
    }

    // spark-fit]

    /** Rows of Parquet that can be told apart, in more partitions than there are full ones. */
    private static Dataset<Row> table() {
        var files = folder.resolve("table").toString();
        var made = made();
        made.write().mode("overwrite").parquet(files);
        return spark.read().parquet(files).union(empty(made.schema()));
    }

    private static Dataset<Row> made() {
        var rows = new ArrayList<Row>();
        for (int i = 0; i < ROWS; i++) {
            var x = new ArrayList<Double>();
            for (int j = 0; j < 4; j++)
                x.add(new Seed(4).of(i).normal(j) * 0.3 + (i % 3 == j ? 2 : 0));
            rows.add(RowFactory.create(x, (long) (i % 3)));
        }
        var schema =
                new StructType()
                        .add("x", DataTypes.createArrayType(DataTypes.DoubleType))
                        .add("label", DataTypes.LongType);
        return spark.createDataFrame(rows, schema).repartition(1);
    }

    private static Dataset<Row> empty(StructType schema) {
        return spark.createDataFrame(List.of(), schema);
    }

    @Test
    void one_and_two_ranks_learn_a_table_with_the_same_bits() throws IOException {
        var one = train(table, 1, folder.resolve("one").toUri().toString());
        var two = train(table, 2, folder.resolve("two").toUri().toString());
        assertThat(two.digest()).isEqualTo(one.digest());
        assertThat(two.losses()).isEqualTo(one.losses());
        assertThat(one.losses().getLast()).isLessThan(one.losses().getFirst() / 4);
        var again = train(table, 2, folder.resolve("two").toUri().toString());
        assertThat(again.digest()).as("a run that was finished").isEqualTo(one.digest());
        var other = SparkTraining.of(spark, new Classifier(), folder.resolve("two") + "");
        assertThatThrownBy(() -> other.batch(16, 8).fit(table, COLUMNS, 2))
                .hasMessageContaining(
                        "with batches of 16 in 4 shards from a table of 75 rows by seed 1, and this"
                                + " run has batches of 16 in 8 shards from a table of 75 rows by"
                                + " seed 2");

        var model = two.model(new Classifier());
        int right = 0;
        for (var row : predict(two, table).collectAsList()) {
            var x = new float[4];
            for (int j = 0; j < 4; j++)
                x[j] = row.<Double>getList(row.fieldIndex("x")).get(j).floatValue();
            var expected = model.apply(Array.of(Shape.of(1, 4), x)).toFloats();
            List<Float> found = row.getList(row.fieldIndex("scores"));
            int best = 0;
            for (int j = 0; j < 3; j++) {
                assertThat(found.get(j)).isEqualTo(expected[j]);
                if (expected[j] > expected[best]) best = j;
            }
            if (best == row.getLong(row.fieldIndex("label"))) right++;
        }
        assertThat(right).isGreaterThan(ROWS * 9 / 10);
    }

    @Test
    void rows_without_a_value_have_no_prediction() throws IOException {
        var nobody = new SparkResult(List.of(), "nowhere");
        var function =
                new RowFunction<>(
                        new Classifier(), (Mlp m, Tensor x) -> m.apply(x), nobody, "4MiB");
        assertThat(function.call(null)).isNull();
        var gap = CollectionConverters.asScala(Arrays.<Object>asList(1.0, null));
        assertThatThrownBy(() -> function.call(gap.toSeq()))
                .hasMessageContainingAll("null as its number 1", "filter");
    }

    @Test
    void what_does_not_fit_is_refused_with_advice() {
        var training = SparkTraining.of(spark, new Classifier(), folder.toUri().toString());
        assertThatThrownBy(() -> training.ranks(3)).hasMessageContaining("divides the shards");
        assertThatThrownBy(() -> training.ranks(16)).hasMessageContaining("8 shards");
        assertThatThrownBy(() -> training.batch(12, 8)).hasMessageContaining("multiple of 8");
        assertThatThrownBy(() -> training.within("much", 1)).hasMessageContaining("much");
        assertThatThrownBy(() -> training.patience(Duration.ZERO)).hasMessageContaining("patience");
        assertThatThrownBy(() -> training.fit(table, List.of(), 1)).hasMessageContaining("columns");
        assertThatThrownBy(() -> training.fit(new Small.Passages(0)))
                .hasMessageContaining("must count 64 examples; say their number by batch");
        assertThatThrownBy(() -> training.ranks(4).fit(new Small.Passages(0)))
                .hasMessageContainingAll("4 ranks on local[2]", "2 can run at once", "local[4]");
        assertThatThrownBy(() -> training.fit(table.limit(0), List.of(Column.numbers("x", 4)), 1))
                .hasMessageContaining("no rows");
        assertThatThrownBy(
                        () ->
                                SparkTraining.of(
                                                spark,
                                                new Classifier(),
                                                folder.resolve("wrong").toUri().toString())
                                        .fit(
                                                table,
                                                List.of(
                                                        Column.numbers("x", 5),
                                                        Column.integer("label")),
                                                1))
                .hasMessageStartingWith("the column x has an array of 4 where 5 numbers");
        var tight = SparkTraining.of(spark, new Classifier(), folder.resolve("tight") + "");
        assertThatThrownBy(() -> tight.within("1KiB", 1).fit(table, COLUMNS, 1))
                .hasMessageContainingAll("a budget of 1024 bytes", "the least that works is");
    }
}
