package dev.ebb.spark;

import com.sun.management.OperatingSystemMXBean;

import dev.ebb.Tensorwise;
import dev.ebb.cpu.Cpu;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.parallel.Cut;
import dev.ebb.nn.parallel.Group;
import dev.ebb.nn.parallel.LocalGroup;
import dev.ebb.nn.parallel.Rank;
import dev.ebb.nn.parallel.ScalingModel;
import dev.ebb.plan.Budget;
import dev.ebb.plan.cache.PlanCache;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * {@link ScalingModel} against what is measured here, and what it says of clusters. Its parameters
 * come from other programs than those it is held to: a rank alone with one shard and with two, and
 * exchanges without any computation. All times are the best of many.
 */
final class ScalingBench {
    private static final int SHARDS = 4;
    private static final int ROWS = 2;
    private static final int CONTEXT = 64;
    private static final GptRecipe GPT = new GptRecipe(1, 128, 4, CONTEXT, 1, 1000);
    private static final Corpus CORPUS =
            Corpus.of("the forward pass floods memory; the backward pass lets it ebb. ".repeat(99));
    private static final PlanCache PLANS = PlanCache.inMemory();
    private static final int CORES = Runtime.getRuntime().availableProcessors();

    private ScalingBench() {}

    public static void main(String[] arguments) throws IOException {
        int steps = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 100;
        double one = alone(1, 1, steps);
        double two = alone(2, 1, steps);
        double cores = CORES * one / alone(1, CORES, steps);
        var link = link(steps);
        var work = work(two - one, Math.max(0, 2 * one - two));
        var model = new ScalingModel(work, link, cores, Integer.MAX_VALUE);
        var text = new StringBuilder();
        text.append(
                String.format(
                        Locale.ROOT,
                        "GPT of 1 layer, width 128, %d bytes of weights in %d buckets, %d shards of"
                            + " %d passages. A shard takes %.1f ms, an update %.1f ms. All ranks"
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

    /** The time of a step of one rank with so many shards, while as many others do the same. */
    private static double alone(int shards, int atOnce, int steps) {
        var cut = new Cut(shards, 1);
        var what = shards + " shards alone, " + atOnce + " at once";
        var all =
                Threads.run(
                        atOnce,
                        number -> {
                            try (var group = LocalGroup.of(1, Duration.ofMinutes(1)).getFirst();
                                    var device = new Cpu(1);
                                    var rank = rank(cut, group, device)) {
                                return times(rank, cut, 0, steps, number == 0 ? what : "");
                            }
                        });
        return best(all);
    }

    private static Rank<?> rank(Cut cut, Group group, Cpu device) {
        return new Rank<>(
                GPT, cut, group, batch(cut, group.rank(), 0), Budget.unlimited(), device, PLANS);
    }

    /** Steps to warm up, and as many that count. */
    private static List<Double> times(Rank<?> rank, Cut cut, int number, int steps, String what) {
        var times = new ArrayList<Double>();
        for (int i = 0; i < 2 * steps; i++) {
            var rows = batch(cut, number, i);
            if (i == steps && !what.isEmpty()) System.err.println("measuring " + what);
            long before = System.nanoTime();
            rank.step(rows);
            if (i >= steps) times.add((System.nanoTime() - before) / 1e9);
        }
        if (!what.isEmpty()) System.err.println("measured");
        return times;
    }

    /** Of two steps in a row, which evens out who began first, those of the slowest: the least. */
    private static double best(List<List<Double>> all) {
        double best = Double.MAX_VALUE;
        for (int i = 0; i + 1 < all.getFirst().size(); i++) {
            double slowest = 0;
            for (var times : all) slowest = Math.max(slowest, times.get(i) + times.get(i + 1));
            best = Math.min(best, slowest / 2);
        }
        return best;
    }

    /** The wall time of a step of so many ranks over Spark's transport. */
    private static double measured(int ranks, int steps) {
        var cut = new Cut(SHARDS, ranks);
        return best(
                Loopback.run(
                        ranks,
                        group -> {
                            try (var device = new Cpu(1);
                                    var rank = rank(cut, group, device)) {
                                var what = group.rank() == 0 ? ranks + " ranks" : "";
                                return times(rank, cut, group.rank(), steps, what);
                            }
                        }));
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

    /** From two sizes of exchanges between two ranks. */
    private static ScalingModel.Link link(int rounds) {
        int small = 64;
        int large = 2 << 20;
        var a = exchange(small, 50, 4 * rounds);
        var b = exchange(large, 4, rounds);
        double bytes = large - small;
        return new ScalingModel.Link(
                bytes / (b.wall - a.wall),
                a.wall,
                a.processor,
                Math.max(0, b.processor - a.processor) / bytes);
    }

    /** So many bytes from each of two ranks to the other, several times in a row. */
    private static Cost exchange(int bytes, int repeats, int rounds) {
        var os = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        var all =
                Loopback.run(
                        2,
                        group -> {
                            try (var arena = Arena.ofShared()) {
                                var out = arena.allocate(bytes, 64);
                                var in = arena.allocate(bytes, 64);
                                double wall = Double.MAX_VALUE;
                                double processor = Double.MAX_VALUE;
                                for (int i = 0; i < rounds; i++) {
                                    if (i == rounds / 2 && group.rank() == 0)
                                        System.err.println("measuring " + bytes + " bytes");
                                    long before = os.getProcessCpuTime();
                                    long start = System.nanoTime();
                                    for (int k = 0; k < repeats; k++) swap(group, out, in);
                                    wall = Math.min(wall, System.nanoTime() - start);
                                    processor =
                                            Math.min(processor, os.getProcessCpuTime() - before);
                                }
                                if (group.rank() == 0) System.err.println("measured");
                                // the processor time is that of both ranks
                                return new Cost(wall / 1e9 / repeats, processor / 2e9 / repeats);
                            }
                        });
        return all.getFirst();
    }

    private static void swap(Group group, MemorySegment out, MemorySegment in) {
        int other = 1 - group.rank();
        var received = group.receive(other, in);
        group.send(other, out).await();
        received.await();
    }
}
