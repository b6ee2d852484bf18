package dev.ebb.spark;

import dev.ebb.cpu.Cpu;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.model.ModelSize;
import dev.ebb.nn.parallel.LocalGroup;
import dev.ebb.nn.parallel.Partition;
import dev.ebb.nn.parallel.Rank;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Tensor;

import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The GPT that {@code ebb train --spark} trains by its defaults, for thirty steps. */
final class MainJob {
    static final int STEPS = 30;
    static final String BUDGET = "64MiB";

    private static final String TEXT =
            "the forward pass floods memory; the backward pass lets it ebb. ".repeat(99);
    private static final int SHARDS = 8;
    private static final long SEED = 1;
    private static final ModelSize SIZE = ModelSize.of("small");
    private static final GptRecipe GPT =
            new GptRecipe(SIZE.layers(), SIZE.width(), SIZE.heads(), SIZE.context(), SEED, STEPS);

    private MainJob() {}

    /**
     * A separate process: computes the result of one machine that accumulates, then runs the
     * command itself on {@code local[2]}, with its defaults. Argument: a folder.
     */
    public static void main(String[] arguments) throws IOException {
        var text = Path.of(arguments[0], "main-job.txt");
        Files.writeString(text, TEXT);
        System.out.println("accumulated " + accumulated());
        TrainMain.main(
                new String[] {
                    "--spark",
                    "local[2]",
                    "--executors",
                    "2",
                    "--steps",
                    STEPS + "",
                    "--patience",
                    "600",
                    "--text",
                    text.toString(),
                    "--out",
                    Path.of(arguments[0], "local").toString()
                });
    }

    /** The training of the command, on another cluster. */
    static SparkResult train(SparkSession spark, int ranks, Path folder) throws IOException {
        var context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        var text = context.broadcast(TEXT.getBytes(StandardCharsets.UTF_8));
        return SparkTraining.of(spark, GPT, folder.toUri().toString())
                .batch(SIZE.batch(), SHARDS)
                .ranks(ranks)
                .steps(STEPS, STEPS)
                .within(BUDGET, 1)
                .patience(Small.PATIENCE)
                .fit(new TextBatches(text, SIZE.batch(), SIZE.context(), SEED));
    }

    /** The digest of one machine that accumulates, without Spark. */
    private static String accumulated() {
        var group = LocalGroup.of(1, Duration.ofSeconds(1)).getFirst();
        try (var device = new Cpu(1);
                var rank =
                        new Rank<>(
                                GPT,
                                new Partition(SHARDS, 1),
                                group,
                                batch(0),
                                Budget.of(BUDGET),
                                device)) {
            for (int i = 0; i < STEPS; i++) rank.step(batch(i));
            return rank.digest();
        }
    }

    private static List<Tensor> batch(long step) {
        var passages =
                Corpus.of(TEXT)
                        .batch(SIZE.batch(), SIZE.context(), new Seed(SEED).of("data"), step);
        return List.of(passages.ids(), passages.targets());
    }
}
