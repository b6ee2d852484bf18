package dev.ebb.spark;

import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.data.SourceText;
import dev.ebb.nn.model.ModelSize;

import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * Trains the GPT of {@code ebb train} on a cluster: {@code ./ebb train --spark MASTER}, or the main
 * class for {@code spark-submit}, which then specifies the master.
 */
@Command(
        name = "train",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Train a character-level GPT on Spark, one rank an executor.")
public final class TrainMain implements Callable<Integer> {
    @Option(
            names = "--spark",
            paramLabel = "MASTER",
            description = "local[N], spark://HOST:PORT, yarn, ...; not needed with spark-submit.")
    private @Nullable String master;

    @Option(
            names = "--executors",
            paramLabel = "N",
            description = "Ranks; must divide --shards. No bit depends on it. Default: 1.")
    private int executors = 1;

    @Option(
            names = "--shards",
            paramLabel = "N",
            description = "Shards of a batch; the bits depend on their number. Default: 8.")
    private int shards = 8;

    @Option(
            names = "--budget",
            paramLabel = "BYTES",
            description = "All memory of a rank. Default: ${DEFAULT-VALUE}.")
    private String budget = "64MiB";

    @Option(
            names = "--text",
            arity = "1..*",
            paramLabel = "FILE",
            description = "Text to train on.")
    private List<Path> text = List.of();

    @Option(
            names = "--model",
            paramLabel = "SIZE",
            converter = Size.class,
            description = "tiny, small, medium, large or LAYERSxWIDTHxHEADS. Default: small.")
    private ModelSize size = ModelSize.of("small");

    @Option(names = "--steps", paramLabel = "N", description = "Total steps. Default: 1000.")
    private long steps = 1000;

    @Option(names = "--batch", paramLabel = "N", description = "Sequences per step.")
    private @Nullable Integer batch;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "The seed of weights and batches. Default: 1.")
    private long seed = 1;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "CPU threads of a rank. Default: 1.")
    private int threads = 1;

    @Option(
            names = "--checkpoint",
            paramLabel = "N",
            description = "Steps between checkpoints. Default: ${DEFAULT-VALUE}.")
    private long every = 50;

    @Option(
            names = "--patience",
            paramLabel = "SECONDS",
            description =
                    "After so long a peer that does not answer is an error. Default:"
                            + " ${DEFAULT-VALUE}.")
    private long patience = 60;

    @Option(
            names = "--out",
            paramLabel = "FOLDER",
            description =
                    "Where checkpoints go: a path of a Hadoop file system that all executors see."
                            + " A run goes on from the latest one there.")
    private String out = "ebb-spark";

    private static final String VECTORS = "--add-modules=jdk.incubator.vector";

    private TrainMain() {}

    /** Parses a model's size; an invalid one is reported with the parser's own message. */
    private static final class Size implements ITypeConverter<ModelSize> {
        @Override
        public ModelSize convert(String text) {
            try {
                return ModelSize.of(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }
    }

    /** For {@code spark-submit} and {@code ./ebb}. */
    public static void main(String[] arguments) {
        var line = new CommandLine(new TrainMain());
        line.setExecutionExceptionHandler(
                (e, command, _) -> {
                    command.getErr().println("ebb: " + cause(e));
                    return 1;
                });
        int code = line.execute(arguments);
        if (code != 0) System.exit(code);
    }

    /** The cause of a rank's failure, without Spark's messages around it. */
    private static String cause(Throwable e) {
        return e.getCause() == null
                ? RefusedException.words(String.valueOf(e.getMessage()))
                : cause(e.getCause());
    }

    @Override
    public Integer call() throws IOException {
        var builder = SparkSession.builder().appName("ebb train");
        settings(new SparkConf()).forEach(builder::config);
        if (master != null) builder.master(master);
        try (var spark = builder.getOrCreate()) {
            var context = JavaSparkContext.fromSparkContext(spark.sparkContext());
            int examples = batch == null ? size.batch() : batch;
            var recipe =
                    new GptRecipe(
                            size.layers(), size.width(), size.heads(), size.context(), seed, steps);
            var trained =
                    SparkTraining.of(spark, recipe, folder())
                            .batch(examples, shards)
                            .ranks(executors)
                            .steps(steps, every)
                            .within(budget, threads)
                            .patience(Duration.ofSeconds(patience))
                            .telling(System.out::println)
                            .fit(
                                    new TextBatches(
                                            context.broadcast(bytes()),
                                            examples,
                                            size.context(),
                                            seed));
            trained.writeReport(
                    "%d layers, width %d, on %d executors"
                            .formatted(size.layers(), size.width(), executors));
            print(trained);
        }
        return 0;
    }

    /**
     * The settings for Spark; those on the command line of {@code spark-submit} take precedence.
     */
    private Map<String, String> settings(SparkConf given) {
        var all = new HashMap<String, String>();
        all.put("spark.executor.cores", threads + "");
        all.put("spark.task.cpus", threads + "");
        all.put("spark.executor.instances", executors + "");
        all.put("spark.cores.max", (long) threads * executors + "");
        // a lost rank is started again: check for its executor soon
        all.put("spark.scheduler.barrier.maxConcurrentTasksCheck.interval", "3s");
        // ranks wait for each other at the start and the end of a run; the default limit is a year
        all.put("spark.barrier.sync.timeout", "3600");
        all.put("spark.executor.heartbeatInterval", "5s");
        all.put("spark.log.level", "WARN");
        all.keySet().removeIf(given::contains);
        var options = "spark.executor.extraJavaOptions";
        all.put(options, (given.get(options, "") + " " + VECTORS).strip());
        var jars = new ArrayList<>(jars());
        if (!given.get("spark.jars", "").isEmpty()) jars.add(given.get("spark.jars"));
        all.put("spark.jars", String.join(",", jars));
        return all;
    }

    private static void print(SparkResult trained) {
        var lines = System.out;
        lines.printf(
                Locale.ROOT,
                "%d steps, loss %.4f -> %.4f%n",
                trained.losses().size(),
                trained.losses().getFirst(),
                trained.losses().getLast());
        for (var rank : trained.ranks()) {
            lines.println(
                    "rank "
                            + rank.rank()
                            + ": promised "
                            + rank.promisedBytes()
                            + " bytes, measured "
                            + rank.measuredBytes());
        }
        lines.println("weights " + trained.digest());
        lines.println("in " + trained.checkpoints());
    }

    /** A path without a scheme is a local one, whatever Hadoop's default is. */
    private String folder() {
        return out.contains(":") ? out : Path.of(out).toAbsolutePath().toUri().toString();
    }

    private byte[] bytes() throws IOException {
        if (!text.isEmpty()) return SourceText.joined(text);
        var home =
                SourceText.home()
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                "name a text to train on with --text"));
        return SourceText.read(home);
    }

    /** The project's own jars, for the executors. */
    private static List<String> jars() {
        var jars = new ArrayList<String>();
        for (var type :
                List.of(TrainMain.class, Corpus.class, dev.ebb.cpu.Cpu.class, dev.ebb.Ebb.class)) {
            try {
                var at = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
                if (at.toString().endsWith(".jar")) jars.add(at.toString());
            } catch (URISyntaxException e) {
                throw new IllegalStateException(e);
            }
        }
        return jars;
    }
}
