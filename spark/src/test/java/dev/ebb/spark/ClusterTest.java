package dev.ebb.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.plan.Budget;

import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.regex.Pattern;

/** On a real standalone cluster with a secret: the digest is always the same, whatever fails. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterTest {
    private static final int EXECUTORS = 4;
    private static final String SUBMIT = "org.apache.spark.deploy.SparkSubmit";
    private static final String ALONE = MainJob.class.getName();

    @TempDir static Path folder;

    private static Cluster cluster;
    private static SparkSession spark;
    private static Process submitted;
    private static Process alone;
    private static FutureTask<SparkResult> tooMany;
    private static String expected;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        Local.stop();
        // two cores more than the test takes, for another program
        cluster = new Cluster(folder, EXECUTORS + 2);
        alone = cluster.start(ALONE, Cluster.COMPUTING, List.of(folder.toString()));
        spark = session(cluster);
        submitted = submit();
        // Spark waits for executors for a while, during the other tests
        tooMany =
                new FutureTask<>(
                        () ->
                                training("too-many", 1)
                                        .batch(2 * EXECUTORS, 2 * EXECUTORS)
                                        .ranks(2 * EXECUTORS)
                                        .fit(new Small.Passages(0)));
        Thread.ofPlatform().daemon().start(tooMany);
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
                                "--add-modules=jdk.incubator.vector " + Cluster.COMPUTING);
        Cluster.SECURITY.forEach(builder::config);
        return builder.getOrCreate();
    }

    @AfterAll
    static void stop() throws InterruptedException {
        submitted.destroyForcibly().waitFor();
        alone.destroyForcibly().waitFor();
        spark.stop();
        cluster.close();
    }

    private static SparkTraining<?> training(String name, int ranks) {
        return SparkTraining.of(spark, Small.GPT, folder.resolve(name).toUri().toString())
                .batch(Small.BATCH, Small.SHARDS)
                .ranks(ranks)
                .patience(Small.PATIENCE)
                .steps(Small.STEPS, 5);
    }

    /** The default training of the command, in processes of many kinds. */
    @Test
    void the_main_job_has_one_digest_on_any_number_of_executors_and_on_one_machine()
            throws IOException, InterruptedException {
        var digests = new TreeMap<String, String>();
        for (int ranks : new int[] {4, 2, 1}) {
            var trained = MainJob.train(spark, ranks, folder.resolve("ranks-" + ranks));
            assertThat(trained.losses()).hasSize(MainJob.STEPS);
            assertThat(trained.losses().getLast()).isLessThan(trained.losses().getFirst());
            assertThat(trained.ranks()).hasSize(ranks);
            for (var rank : trained.ranks()) {
                digests.put(rank.rank() + " of " + ranks + " executors", rank.digest());
                assertThat(rank.measuredBytes())
                        .isEqualTo(rank.promisedBytes())
                        .isLessThanOrEqualTo(Budget.of(MainJob.BUDGET).resolve(Long.MAX_VALUE));
            }
        }
        assertThat(alone.waitFor()).as("see %s", cluster.log(ALONE)).isZero();
        var told = Files.readString(cluster.log(ALONE));
        digests.put("accumulated by one", word(told, "accumulated (\\w+)"));
        digests.put("local[2]", word(told, "weights (\\w+)"));
        assertThat(new HashSet<>(digests.values())).as("%s", digests).hasSize(1);
    }

    private static String word(String text, String form) {
        var found = Pattern.compile(form).matcher(text);
        assertThat(found.find()).as("%s in %s", form, text).isTrue();
        return found.group(1);
    }

    /** Three kills of ranks, each at a random moment after a new checkpoint. */
    @Test
    void ranks_that_are_killed_change_no_bit() throws IOException, InterruptedException {
        var checkpoints = new Checkpoints(folder.resolve("killed").toUri().toString());
        var marks = Files.createDirectories(folder.resolve("marks"));
        var told = new ConcurrentLinkedQueue<String>();
        var kills = new FutureTask<>(() -> kill(checkpoints, marks, told));
        Thread.ofPlatform().daemon().start(kills);
        // the run waits until the kill has happened
        var gates = Map.of(9L, "killed-5", 19L, "killed-10", 29L, "killed-20");
        var passages = new Small.Gated(marks.toString(), gates, new Small.Passages(20));
        var trained =
                training("killed", 2)
                        .telling(told::add)
                        .fit(new Small.Marked(marks.toString(), passages));
        assertThat(result(kills)).as("ranks that were killed").isEqualTo(3);
        assertThat(told).allMatch(l -> l.matches("step \\d+ of 30, loss .*rank 1: .* bytes.*"));
        assertThat(trained.digest()).isEqualTo(expected);
        assertThat(trained.losses()).hasSize(Small.STEPS);
    }

    private static int kill(Checkpoints checkpoints, Path marks, Collection<String> told)
            throws IOException, InterruptedException {
        var random = new Random(7);
        int killed = 0;
        for (long step : new long[] {5, 10, 20}) {
            while (checkpoints.steps().stream().noneMatch(s -> s >= step)) Thread.sleep(20);
            Thread.sleep(random.nextInt(200));
            while (!Small.Marked.kill(marks, random.nextInt(2))) Thread.sleep(20);
            killed++;
            // heartbeats come while ranks run
            while (step == 20 && told.isEmpty()) Thread.sleep(20);
            Files.createFile(marks.resolve("killed-" + step));
        }
        return killed;
    }

    /** While ranks train, each port of an executor is tried without the secret. */
    @Test
    void who_was_not_invited_is_not_heard() throws Exception {
        var marks = Files.createDirectories(folder.resolve("guests"));
        var passages =
                new Small.Gated(marks.toString(), Map.of(2L, "tried"), new Small.Passages(0));
        var run =
                new FutureTask<>(
                        () ->
                                training("guests", 2)
                                        .fit(new Small.Marked(marks.toString(), passages)));
        Thread.ofPlatform().daemon().start(run);
        var mark = marks.resolve("rank-1");
        while (!run.isDone() && (!Files.exists(mark) || Files.size(mark) == 0)) Thread.sleep(50);
        var ports = Uninvited.ports(Long.parseLong(Files.readString(mark)));
        assertThat(ports).as("of blocks and of the rank").hasSizeGreaterThan(1);
        for (int port : ports) assertThat(Uninvited.isHeard(port)).as("port %d", port).isFalse();
        Files.createFile(marks.resolve("tried"));
        assertThat(result(run).digest()).isEqualTo(expected);
    }

    /** Runs last: Spark waits for more executors during the other tests. */
    @Test
    @Order(Integer.MAX_VALUE)
    void more_ranks_than_executors_are_refused_with_advice() {
        assertThatThrownBy(() -> result(tooMany))
                .hasStackTraceContaining("no room for 8 ranks at once; start more executors, or")
                .hasStackTraceContaining("divides the 8 shards");
    }

    private static <T> T result(FutureTask<T> run) throws InterruptedException {
        try {
            return run.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs during the other tests, on its own cores: most of its time is start-up. */
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
                Cluster.STARTING,
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
        assertThat(submitted.waitFor()).as("see %s", cluster.log(SUBMIT)).isZero();
        assertThat(cluster.log(SUBMIT)).content().contains("2 steps, loss", "rank 0: promised ");
        assertThat(folder.resolve("submitted/report.html")).exists();
    }
}
