package dev.ebb.spark;

import com.sun.management.OperatingSystemMXBean;

import dev.ebb.Ebb;
import dev.ebb.Tensorwise;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.parallel.Collectives;
import dev.ebb.nn.parallel.Group;
import dev.ebb.nn.parallel.LocalGroup;
import dev.ebb.nn.parallel.Partition;
import dev.ebb.nn.parallel.Rank;
import dev.ebb.nn.parallel.ScalingModel;
import dev.ebb.plan.Budget;
import dev.ebb.plan.cache.PlanCache;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * {@link ScalingModel} against what is measured here, and what it says of clusters. Its parameters
 * come from other programs than those it is held to: a rank alone with one shard and with three,
 * and exchanges without any other computation. All programs are warmed up first and then take
 * turns; of each the best turn counts. It ends with exit code 1 where a prediction is more than 15
 * % from what is measured. Argument: how many turns.
 */
final class ScalingBench {
    private static final int SHARDS = 4;
    private static final int ROWS = 4;
    private static final int CONTEXT = 64;
    private static final int BATCHES = 8;
    private static final double WARM_UP = 5;

    /** The most percent by which a prediction may differ from the measurement. */
    private static final double MOST_PERCENT = 15;

    private static final GptRecipe GPT = new GptRecipe(2, 128, 4, CONTEXT, 1, 1000);
    private static final Corpus CORPUS =
            Corpus.of("the forward pass floods memory; the backward pass lets it ebb. ".repeat(99));
    private static final PlanCache PLANS = PlanCache.inMemory();
    private static final int CORES = Runtime.getRuntime().availableProcessors();

    private ScalingBench() {}

    public static void main(String[] arguments) throws IOException {
        int turns = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 20;
        var page = new Page("Scaling");
        var link = link();
        var best = times(turns);
        double shard = (best[1] - best[0]) / 2;
        var work = work(shard, Math.max(0, best[0] - shard));
        double cores = CORES * best[0] / best[2];
        var model = new ScalingModel(work, link, cores, Integer.MAX_VALUE);
        var text = new StringBuilder();
        text.append(
                String.format(
                        Locale.ROOT,
                        "GPT of 2 layers, width 128, %,d bytes of weights in %d buckets, %d shards"
                            + " of %d passages. A shard takes %.1f ms, an update %.1f ms. All ranks"
                            + " share %d cores, which together do as much as %.2f alone. Loopback:"
                            + " %.2f GB/s, %.0f us of latency; a message takes %.0f us of processor"
                            + " time, a MB %.0f us.%n%n",
                        (long) work.bytes(),
                        work.buckets(),
                        SHARDS,
                        ROWS,
                        1e3 * work.shardSeconds(),
                        1e3 * work.updateSeconds(),
                        CORES,
                        cores,
                        link.bytesPerSecond() / 1e9,
                        1e6 * link.latency(),
                        1e6 * link.messageSeconds(),
                        1e12 * link.byteSeconds()));
        text.append("| ranks | predicted, ms | of it exchange, ms | measured, ms | apart |\n");
        text.append("|---|---|---|---|---|\n");
        var thresholds = new Thresholds();
        for (int i = 0; i < 3; i++) {
            var step = model.step(1 << i);
            double apart = 100 * (step.seconds() / best[3 + i] - 1);
            text.append(
                    String.format(
                            Locale.ROOT,
                            "| %d | %.1f | %.1f | %.1f | %+.0f %% %s |%n",
                            1 << i,
                            1e3 * step.seconds(),
                            1e3 * (step.seconds() - step.compute()),
                            1e3 * best[3 + i],
                            apart,
                            thresholds.atMost(
                                    "the error of the prediction for %d ranks, in percent,"
                                            .formatted(1 << i),
                                    Math.abs(apart),
                                    MOST_PERCENT)));
        }
        page.write("ScalingBench", text.toString());
        page.write("ScalingTable", ScalingTable.text(link));
        thresholds.end();
    }

    /**
     * Times one shard alone, three shards, one on each core at once; then 1, 2 and 4 ranks on all
     * shards.
     */
    private static double[] times(int turns) {
        var teams =
                List.of(
                        alone(1, 1),
                        alone(3, 1),
                        alone(1, CORES),
                        connected(1),
                        connected(2),
                        connected(4));
        var best = new double[teams.size()];
        for (int i = 0; i < best.length; i++) {
            teams.get(i).warmUp(WARM_UP);
            best[i] = Double.MAX_VALUE;
        }
        for (int turn = 0; turn < turns; turn++) {
            for (int i = 0; i < best.length; i++)
                best[i] = Math.min(best[i], teams.get(i).seconds(BATCHES));
        }
        teams.forEach(Team::close);
        return best;
    }

    private static List<Tensor> batch(Partition cut, int rank, long step) {
        var all = CORPUS.batch(ROWS * cut.pieces(), CONTEXT, new Seed(9), step);
        return List.of(cut.rows((Array) all.ids(), rank), cut.rows((Array) all.targets(), rank));
    }

    private static List<List<Tensor>> batches(Partition cut, int rank) {
        var all = new ArrayList<List<Tensor>>();
        for (int i = 0; i < BATCHES; i++) all.add(batch(cut, rank, i));
        return all;
    }

    /** Independent groups of one rank each, with this number of shards. */
    private static Team alone(int shards, int atOnce) {
        return team(
                atOnce,
                new Partition(shards, 1),
                _ -> LocalGroup.of(1, Duration.ofMinutes(1)).getFirst());
    }

    /** Ranks over Spark's transport that share the shards. */
    private static Team connected(int ranks) {
        return team(ranks, new Partition(SHARDS, ranks), Loopback.joining(ranks));
    }

    private static Team team(
            int size, Partition cut, java.util.function.IntFunction<Group> joining) {
        return new Team(
                size,
                joining,
                (group, device) -> rank(cut, group, device),
                group -> batches(cut, group.rank()));
    }

    private static Rank<?> rank(Partition cut, Group group, Cpu device) {
        return new Rank<>(
                GPT, cut, group, batch(cut, group.rank(), 0), Budget.unlimited(), device, PLANS);
    }

    private static ScalingModel.Work work(double shard, double update) {
        double bytes = 0;
        for (var t : Tensorwise.list(GPT.model())) bytes += t.type().bytes();
        var cut = new Partition(2, 2);
        var group = LocalGroup.of(2, Duration.ofMinutes(1)).getFirst();
        var plan = Rank.plan(GPT, cut, group, batch(cut, 0, 0), Budget.unlimited(), new Cpu(1));
        var names =
                plan.schedule().problem().graph().nodes().stream().map(n -> n.op().name()).toList();
        int buckets = (int) names.stream().filter("begin_reduce_scatter"::equals).count();
        int gathers = (int) names.stream().filter("all_gather"::equals).count();
        int reduces = (int) names.stream().filter("all_reduce"::equals).count();
        // every bucket of weights is gathered once, and a sum is scattered and gathered
        int numbers = gathers - buckets + 2 * reduces;
        return new ScalingModel.Work(shard, update, 2.0 / 3, SHARDS, bytes, buckets, numbers, 1);
    }

    /** Wall time and a rank's processor time of an exchange. */
    private record Cost(double wall, double processor) {}

    /** The parameters of the connection, from exchanges of two lengths between two ranks. */
    private static ScalingModel.Link link() {
        int small = 16;
        int large = 1 << 19;
        var a = exchange(small, 2000);
        var b = exchange(large, 200);
        double sent = 4.0 * (large - small) / 2; // a rank sends the other one's half
        return new ScalingModel.Link(
                sent / (b.wall - a.wall),
                Math.max(0, a.wall - a.processor),
                a.processor,
                Math.max(0, b.processor - a.processor) / sent);
    }

    /**
     * Half of a sum of this many numbers that is scattered over two ranks and gathered again, many
     * times in a row, because processor time has a resolution of hundredths of a second.
     */
    private static Cost exchange(int numbers, int repeats) {
        var os = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        var all =
                Loopback.run(
                        2,
                        group -> {
                            double wall = Double.MAX_VALUE;
                            double processor = Double.MAX_VALUE;
                            Tensor x = Array.of(Shape.of(numbers), new float[numbers]);
                            try (var device = new Cpu(1);
                                    var program =
                                            Ebb.compile(
                                                            (Tensor t) ->
                                                                    Collectives.allGather(
                                                                            Collectives
                                                                                    .reduceScatter(
                                                                                            t,
                                                                                            group),
                                                                            group))
                                                    .on(device)) {
                                for (int round = 0; round < 10; round++) {
                                    long before = os.getProcessCpuTime();
                                    long start = System.nanoTime();
                                    for (int i = 0; i < repeats; i++) program.apply(x);
                                    wall = Math.min(wall, System.nanoTime() - start);
                                    processor =
                                            Math.min(processor, os.getProcessCpuTime() - before);
                                }
                            }
                            // two exchanges each time, and the processor time is that of both ranks
                            return new Cost(wall / 2e9 / repeats, processor / 4e9 / repeats);
                        });
        return all.getFirst();
    }
}
