package dev.ebb.spark;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** On a real standalone cluster, with a secret: one digest, whatever happens. */
class ClusterTest {
    private static final int EXECUTORS = 4;
    private static final String SUBMIT = "org.apache.spark.deploy.SparkSubmit";

    @TempDir static Path folder;

    private static Cluster cluster;
    private static SparkSession spark;
    private static Process submitted;
    private static String expected;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        Local.stop();
        // two cores more than the test takes, for a program of its own
        cluster = new Cluster(folder, EXECUTORS + 2);
        spark = session(cluster);
        submitted = submit();
        expected = Small.accumulated();
    }

    static SparkSession session(Cluster cluster) {
        var builder =
                SparkSession.builder()
                        .master(cluster.url())
                        .appName("ebb test")
                        .config("spark.driver.host", "localhost")
                        .config("spark.driver.bindAddress", "localhost")
                        .config("spark.ui.enabled", "false")
                        .config("spark.executor.cores", "1")
                        .config("spark.executor.memory", "512m")
                        .config("spark.cores.max", EXECUTORS)
                        .config("spark.executor.heartbeatInterval", "500ms")
                        .config("spark.scheduler.barrier.maxConcurrentTasksCheck.interval", "1s")
                        .config(
                                "spark.executor.extraJavaOptions",
                                "--add-modules=jdk.incubator.vector " + Cluster.SHORT_LIVED);
        Cluster.SECURITY.forEach(builder::config);
        return builder.getOrCreate();
    }

    @AfterAll
    static void stop() {
        submitted.destroyForcibly();
        spark.stop();
        cluster.close();
    }

    private static SparkTraining<?> training(String name, int ranks) {
        return SparkTraining.of(spark, Small.GPT, folder.resolve(name).toUri().toString())
                .batch(Small.BATCH, Small.SHARDS)
                .ranks(ranks)
                .steps(Small.STEPS, 5);
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

    /** Three kills of ranks, each at a random moment after a new checkpoint. */
    @Test
    void ranks_that_are_killed_change_no_bit() throws IOException {
        var checkpoints = new Checkpoints(folder.resolve("killed").toUri().toString());
        var marks = Files.createDirectories(folder.resolve("marks"));
        var random = new Random(7);
        var kills =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    for (long step : new long[] {5, 10, 20})
                                        killAfter(checkpoints, step, marks, random);
                                });
        var told = new ConcurrentLinkedQueue<String>();
        var trained =
                training("killed", 2)
                        .telling(told::add)
                        .fit(new Small.Marked(marks.toString(), new Small.Passages(60)));
        assertThat(told).as("what heartbeats brought").isNotEmpty();
        assertThat(told).allMatch(l -> l.matches("step \\d+ of 30, loss .*rank 1: .* bytes.*"));
        assertThat(kills.isAlive()).as("the run ended before the last kill").isFalse();
        assertThat(trained.digest()).isEqualTo(expected);
        assertThat(trained.losses()).hasSize(Small.STEPS);
    }

    private static void killAfter(Checkpoints checkpoints, long step, Path marks, Random random) {
        try {
            while (checkpoints.steps().stream().noneMatch(s -> s >= step)) Thread.sleep(20);
            Thread.sleep(random.nextInt(200));
            Small.Marked.kill(marks, random.nextInt(2));
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** While ranks train, each port of each executor is tried without the secret. */
    @Test
    void who_was_not_invited_is_not_answered() throws Exception {
        var marks = Files.createDirectories(folder.resolve("guests"));
        var run =
                new FutureTask<>(
                        () ->
                                training("guests", 2)
                                        .fit(
                                                new Small.Marked(
                                                        marks.toString(), new Small.Passages(50))));
        Thread.ofPlatform().daemon().start(run);
        var ports = new HashSet<Integer>();
        while (!run.isDone() && ports.isEmpty()) {
            Thread.sleep(50);
            if (!Files.exists(marks.resolve("rank-1"))) continue;
            var text = Files.readString(marks.resolve("rank-1"));
            if (!text.isEmpty()) ports.addAll(Uninvited.ports(Long.parseLong(text)));
        }
        assertThat(ports).as("of blocks and of the rank").hasSizeGreaterThan(1);
        for (int port : ports) assertThat(Uninvited.isAnswered(port)).isFalse();
        assertThat(result(run).digest()).isEqualTo(expected);
    }

    private static Trained result(FutureTask<Trained> run) throws InterruptedException {
        try {
            return run.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** It runs beside the other tests, on cores of its own: most of its time is that of starts. */
    private static Process submit() throws IOException {
        var text = folder.resolve("text.txt");
        Files.writeString(text, "a tide goes out, a tide comes in. ".repeat(30));
        var words =
                "--master %s --class %s --conf spark.driver.host=localhost --conf"
                    + " spark.ui.enabled=false --conf spark.executor.memory=512m --conf"
                    + " spark.executor.extraJavaOptions=-XX:TieredStopAtLevel=1 %s --executors 1"
                    + " --shards 2 --model 1x8x2 --batch 2 --steps 2 --budget 100%% --text %s --out"
                    + " %s";
        return cluster.start(
                SUBMIT,
                List.of(
                        words.formatted(
                                        cluster.url(),
                                        TrainMain.class.getName(),
                                        cluster.jar(),
                                        text,
                                        folder.resolve("submitted"))
                                .split(" ")));
    }

    @Test
    void spark_submit_runs_the_main_class() throws InterruptedException {
        assertThat(submitted.waitFor(10, TimeUnit.MINUTES)).isTrue();
        assertThat(cluster.log(SUBMIT)).content().contains("2 steps, loss", "rank 0: promised ");
        assertThat(folder.resolve("submitted/report.html")).exists();
    }
}
