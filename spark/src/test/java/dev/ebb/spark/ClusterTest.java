package dev.ebb.spark;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

/** On a real standalone cluster: one digest, whatever happens. */
class ClusterTest {
    private static final int EXECUTORS = 4;

    @TempDir static Path folder;

    private static Cluster cluster;
    private static SparkSession spark;
    private static String expected;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        cluster = new Cluster(folder, EXECUTORS);
        spark =
                SparkSession.builder()
                        .master(cluster.url())
                        .appName("ebb test")
                        .config("spark.driver.host", "localhost")
                        .config("spark.driver.bindAddress", "localhost")
                        .config("spark.ui.enabled", "false")
                        .config("spark.executor.cores", "1")
                        .config("spark.executor.memory", "512m")
                        .config("spark.cores.max", EXECUTORS)
                        .config(
                                "spark.executor.extraJavaOptions",
                                "--add-modules=jdk.incubator.vector " + Cluster.SHORT_LIVED)
                        .getOrCreate();
        expected = Small.accumulated();
    }

    @AfterAll
    static void stop() {
        spark.stop();
        cluster.close();
    }

    private static SparkTraining<?> training(String name, int ranks) {
        return SparkTraining.of(spark, Small.GPT, folder.resolve(name).toUri().toString())
                .batch(Small.BATCH, Small.SHARDS)
                .ranks(ranks)
                .steps(Small.STEPS, 3);
    }

    @Test
    void one_two_and_four_executors_give_the_bits_of_one_machine() throws IOException {
        for (int ranks : new int[] {4, 2, 1}) {
            var trained = training("ranks-" + ranks, ranks).fit(new Small.Passages(0));
            assertThat(trained.digest()).as("%d ranks", ranks).isEqualTo(expected);
            assertThat(trained.losses()).hasSize(Small.STEPS);
            for (var rank : trained.ranks()) {
                assertThat(rank.digest()).isEqualTo(expected);
                assertThat(rank.measuredBytes()).isEqualTo(rank.promisedBytes());
            }
        }
    }

    @Test
    void executors_that_are_killed_change_no_bit() throws IOException {
        var name = "killed";
        var checkpoints = new Checkpoints(folder.resolve(name).toUri().toString());
        var kills =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    for (long step : new long[] {3, 12, 24})
                                        killAfter(checkpoints, step);
                                });
        var trained = training(name, 2).fit(new Small.Passages(200));
        assertThat(kills.isAlive()).as("the run ended before the last kill").isFalse();
        assertThat(trained.digest()).isEqualTo(expected);
        assertThat(trained.losses()).hasSize(Small.STEPS);
    }

    /** Kills an executor that trains once there is a checkpoint of so many steps. */
    private static void killAfter(Checkpoints checkpoints, long step) {
        try {
            while (checkpoints.steps().stream().noneMatch(s -> s >= step)) Thread.sleep(30);
            cluster.kill();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
