package dev.ebb.spark;

import com.sun.management.OperatingSystemMXBean;

import dev.ebb.Compiled;
import dev.ebb.Ebb;
import dev.ebb.Tensorwise;
import dev.ebb.cpu.Cpu;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.parallel.Collectives;
import dev.ebb.nn.parallel.Cut;
import dev.ebb.nn.parallel.Group;
import dev.ebb.nn.parallel.LocalGroup;
import dev.ebb.nn.parallel.Rank;
import dev.ebb.nn.parallel.ScalingModel;
import dev.ebb.plan.Budget;
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
 * come from other programs than those it is held to: a rank alone with one shard and with two, and
 * exchanges without any computation. Processor time is taken for what is computed and moved, which
 * other processes on the machine hardly change; steps are the best of many.
 */
final class ScalingBench {
    private static final int SHARDS = 4;
    private static final int ROWS = 2;
    private static final int CONTEXT = 64;
    private static final GptRecipe GPT = new GptRecipe(2, 128, 4, CONTEXT, 1, 1000);
    private static final Corpus CORPUS =
            Corpus.of("the forward pass floods memory; the backward pass lets it ebb. ".repeat(99));
    private static final int CORES = Runtime.getRuntime().availableProcessors();

    private ScalingBench() {}

    public static void main(String[] arguments) throws IOException {
        int steps = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 150;
        double one = alone(1, steps);
        double two = alone(2, steps);
        var link = link(steps);
        var work = work(two - one, Math.max(0, 2 * one - two));
        var model = new ScalingModel(work, link, CORES, Integer.MAX_VALUE);
        var text = new StringBuilder();
        text.append(
                String.format(
                        Locale.ROOT,
                        "GPT of 2 layers, width 128, %d bytes of weights in %d buckets, %d shards"
                            + " of %d passages. A shard takes %.1f ms of one core, an update %.1f"
                            + " ms. Loopback: %.2f GB/s, %.0f us of latency; a message takes %.0f"
                            + " us of processor time, a MB %.0f us. All ranks share %d cores.%n%n",
                        (long) work.bytes(),
                        work.buckets(),
                        SHARDS,
                        ROWS,
                        1e3 * work.shardSeconds(),
                        1e3 * work.updateSeconds(),
                        link.bytesPerSecond() / 1e9,
                        1e6 * link.latency(),
                        1e6 * link.messageSeconds(),
                        1e12 * link.byteSeconds(),
                        CORES));
        text.append("| ranks | predicted, ms | measured, ms | apart |\n|---|---|---|---|\n");
        for (int ranks : new int[] {1, 2, 4}) {
            double predicted = model.seconds(ranks);
            double measured = measured(ranks, steps);
            text.append(
                    String.format(
                            Locale.ROOT,
                            "| %d | %.1f | %.1f | %+.0f %% |%n",
                            ranks,
                            1e3 * predicted,
                            1e3 * measured,
                            100 * (predicted / measured - 1)));
        }
        Page.write("ScalingBench", text.toString());
        Page.write("ScalingTable", ScalingTable.text(link));
    }

    private static List<Tensor> batch(Cut cut, int rank, long step) {
        var all = CORPUS.batch(ROWS * cut.pieces(), CONTEXT, new Seed(9), step);
        return List.of(cut.rows((Array) all.ids(), rank), cut.rows((Array) all.targets(), rank));
    }

    /** The processor time of a step of one rank with so many shards. */
    private static double alone(int shards, int steps) {
        var cut = new Cut(shards, 1);
        var threads = ManagementFactory.getThreadMXBean();
        try (var group = LocalGroup.of(1, Duration.ofMinutes(1)).getFirst();
                var device = new Cpu(1);
                var rank =
                        new Rank<>(GPT, cut, group, batch(cut, 0, 0), Budget.unlimited(), device)) {
            double best = Double.MAX_VALUE;
            for (int i = 0; i < steps; i++) {
                var rows = batch(cut, 0, i);
                long before = threads.getCurrentThreadCpuTime();
                rank.step(rows);
                best = Math.min(best, (threads.getCurrentThreadCpuTime() - before) / 1e9);
            }
            return best;
        }
    }

    /** The wall time of a step of the slowest of so many ranks over Spark's transport. */
    private static double measured(int ranks, int steps) {
        var cut = new Cut(SHARDS, ranks);
        var all =
                Loopback.run(
                        ranks,
                        group -> {
                            try (var device = new Cpu(1);
                                    var rank =
                                            new Rank<>(
                                                    GPT,
                                                    cut,
                                                    group,
                                                    batch(cut, group.rank(), 0),
                                                    Budget.unlimited(),
                                                    device)) {
                                var times = new ArrayList<Double>();
                                for (int i = 0; i < steps; i++) {
                                    var rows = batch(cut, group.rank(), i);
                                    long before = System.nanoTime();
                                    rank.step(rows);
                                    times.add((System.nanoTime() - before) / 1e9);
                                }
                                return times;
                            }
                        });
        double best = Double.MAX_VALUE;
        // a step begins when the first rank begins it: two in a row even out who was first
        for (int i = 0; i + 1 < steps; i++) {
            double slowest = 0;
            for (var times : all) slowest = Math.max(slowest, times.get(i) + times.get(i + 1));
            best = Math.min(best, slowest / 2);
        }
        return best;
    }

    private static ScalingModel.Work work(double shard, double update) {
        double bytes = 0;
        for (var t : Tensorwise.list(GPT.model())) bytes += t.type().bytes();
        var cut = new Cut(2, 2);
        var group = LocalGroup.of(2, Duration.ofMinutes(1)).getFirst();
        var plan = Rank.plan(GPT, cut, group, batch(cut, 0, 0), Budget.unlimited(), new Cpu(1));
        long buckets =
                plan.schedule().problem().graph().nodes().stream()
                        .filter(n -> n.op().name().equals("begin_reduce_scatter"))
                        .count();
        return new ScalingModel.Work(shard, update, 2.0 / 3, SHARDS, bytes, (int) buckets);
    }

    /** A wall time and a processor time, each the least of many. */
    private record Cost(double wall, double processor) {}

    /** From two sizes of gathers and sums between two ranks. */
    private static ScalingModel.Link link(int rounds) {
        int small = 64;
        int large = 1 << 20;
        var a = exchange(small, rounds);
        var b = exchange(large, rounds);
        double bytes = 4.0 * (large - small) / 2;
        return new ScalingModel.Link(
                bytes / (b.wall - a.wall),
                a.wall,
                a.processor,
                Math.max(0, b.processor - a.processor) / bytes);
    }

    /** A reduce-scatter and an all-gather of so many floats between two ranks: half of both. */
    private static Cost exchange(int floats, int rounds) {
        var os = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        int repeats = floats < 1000 ? 20 : 2;
        var all =
                Loopback.run(
                        2,
                        group -> {
                            try (var program = program(group)) {
                                var x = Array.of(new float[floats]);
                                double wall = Double.MAX_VALUE;
                                double processor = Double.MAX_VALUE;
                                for (int i = 0; i < rounds; i++) {
                                    long before = os.getProcessCpuTime();
                                    long start = System.nanoTime();
                                    for (int k = 0; k < repeats; k++) program.apply(x);
                                    wall = Math.min(wall, System.nanoTime() - start);
                                    processor =
                                            Math.min(processor, os.getProcessCpuTime() - before);
                                }
                                // the processor time is that of both ranks
                                return new Cost(
                                        wall / 1e9 / repeats / 2,
                                        processor / 1e9 / repeats / 2 / 2);
                            }
                        });
        return all.getFirst();
    }

    private static Compiled<Tensor, Tensor> program(Group group) {
        return Ebb.compile(
                        (Tensor x) ->
                                Collectives.allGather(Collectives.reduceScatter(x, group), group))
                .on(new Cpu(1));
    }
}
