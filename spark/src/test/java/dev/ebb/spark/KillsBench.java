package dev.ebb.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A training on a standalone cluster whose ranks are killed, as by kill -9, at ten random moments;
 * it must end with the digest of one machine, else the exit code is 1. Arguments: a seed, the
 * number of kills.
 */
final class KillsBench {
    private KillsBench() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        long seed = arguments.length > 0 ? Long.parseLong(arguments[0]) : System.nanoTime();
        int wanted = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 10;
        run(seed, wanted).end();
    }

    /** The cluster is closed before the process may end. */
    private static Thresholds run(long seed, int wanted) throws IOException, InterruptedException {
        var page = new Page("Kills");
        var folder = Files.createTempDirectory("ebb-kills");
        var marks = Files.createDirectories(folder.resolve("marks"));
        var expected = Small.accumulated();
        var random = new Random(seed);
        var killed = new AtomicInteger();
        long start = System.nanoTime();
        try (var cluster = new Cluster(folder, 4);
                var spark = ClusterTest.session(cluster)) {
            var killer =
                    Thread.ofPlatform()
                            .daemon()
                            .start(
                                    () -> {
                                        while (killed.get() < wanted
                                                && !Thread.currentThread().isInterrupted())
                                            kill(marks, random, killed);
                                    });
            var trained =
                    SparkTraining.of(spark, Small.GPT, folder.resolve("run").toUri().toString())
                            .batch(Small.BATCH, Small.SHARDS)
                            .ranks(2)
                            .steps(Small.STEPS, 1)
                            .attempts(100)
                            .fit(new Small.Marked(marks.toString(), new Small.Passages(1000)));
            int kills = killed.get();
            killer.interrupt();
            boolean same = trained.digest().equals(expected);
            var thresholds = new Thresholds();
            page.write(
                    "KillsBench",
                    String.format(
                            Locale.ROOT,
                            "Seed %d: %d ranks killed at random moments %s in %.0f s; the digest"
                                    + " %s that of one machine %s.%n",
                            seed,
                            kills,
                            thresholds.atLeast("the number of kills", kills, wanted),
                            (System.nanoTime() - start) / 1e9,
                            same ? "is" : "is not",
                            thresholds.must(
                                    same, "one digest", "the digest is not that of one machine")));
            return thresholds;
        }
    }

    private static void kill(java.nio.file.Path marks, Random random, AtomicInteger killed) {
        try {
            Thread.sleep(random.nextInt(3000));
            int rank = random.nextInt(2);
            if (Small.Marked.kill(marks, rank)) killed.incrementAndGet();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
