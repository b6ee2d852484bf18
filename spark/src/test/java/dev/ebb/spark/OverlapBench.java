package dev.ebb.spark;

import dev.ebb.cpu.Cpu;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.parallel.Afterwards;
import dev.ebb.nn.parallel.Group;
import dev.ebb.nn.parallel.Partition;
import dev.ebb.nn.parallel.Rank;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.IntFunction;

/**
 * Measures the gain of sending gradients during the backward pass: alternates the same steps of two
 * ranks with and without it, over Spark's transport on loopback, and over a 1 Gb/s network that is
 * simulated by waiting. Both must end with the same bits, else the exit code is 1. Argument: the
 * number of turns.
 */
final class OverlapBench {
    private static final int ROWS = 4;
    private static final int CONTEXT = 64;
    private static final int STEPS = 8;
    private static final double GIGABIT = 1e9 / 8;
    private static final Partition CUT = new Partition(2, 2);
    private static final GptRecipe GPT = new GptRecipe(4, 128, 4, CONTEXT, 1, 1000);
    private static final Corpus CORPUS =
            Corpus.of("the forward pass floods memory; the backward pass lets it ebb. ".repeat(99));

    private OverlapBench() {}

    public static void main(String[] arguments) throws IOException {
        int turns = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 20;
        var page = new Page("Overlap");
        var thresholds = new Thresholds();
        var text = new StringBuilder();
        text.append(
                "GPT of 4 layers, width 128, a shard of 4 passages on each of two ranks of one"
                        + " thread.\n\n");
        text.append("| over | beside, ms | after, ms | gain | weights |\n|---|---|---|---|---|\n");
        text.append(line(thresholds, "loopback", turns, Loopback::joining));
        text.append(
                line(
                        thresholds,
                        "1 Gb/s, imitated",
                        turns,
                        ranks -> {
                            var joining = Loopback.joining(ranks);
                            return rank -> new Wire(joining.apply(rank), GIGABIT, 50e-6);
                        }));
        page.write("OverlapBench", text.toString());
        thresholds.end();
    }

    private static String line(
            Thresholds thresholds,
            String name,
            int turns,
            IntFunction<IntFunction<Group>> joining) {
        try (var beside = team(joining.apply(2), OverlapBench::beside);
                var after = team(joining.apply(2), OverlapBench::after)) {
            // the same number of steps for both, so that their weights can be compared
            for (int i = 0; i < 2 * turns; i++) {
                beside.seconds(STEPS);
                after.seconds(STEPS);
            }
            double with = Double.MAX_VALUE;
            double without = Double.MAX_VALUE;
            for (int i = 0; i < turns; i++) {
                with = Math.min(with, beside.seconds(STEPS));
                without = Math.min(without, after.seconds(STEPS));
            }
            boolean same = beside.digest().equals(after.digest());
            return String.format(
                    Locale.ROOT,
                    "| %s | %.1f | %.1f | %.0f %% | %s %s |%n",
                    name,
                    1e3 * with,
                    1e3 * without,
                    100 * (1 - with / without),
                    same ? "the same bits" : "other bits",
                    thresholds.must(
                            same,
                            "the same bits",
                            "over " + name + " the weights have other bits"));
        }
    }

    private static Team team(IntFunction<Group> joining, BiFunction<Group, Cpu, Rank<?>> making) {
        return new Team(
                2,
                joining,
                making,
                group -> {
                    var all = new ArrayList<List<Tensor>>();
                    for (int i = 0; i < STEPS; i++) all.add(rows(group, i));
                    return all;
                });
    }

    private static List<Tensor> rows(Group group, long step) {
        var all = CORPUS.batch(ROWS * CUT.pieces(), CONTEXT, new Seed(9), step);
        return List.of(
                CUT.rows((Array) all.ids(), group.rank()),
                CUT.rows((Array) all.targets(), group.rank()));
    }

    private static Rank<?> beside(Group group, Cpu device) {
        return new Rank<>(GPT, CUT, group, rows(group, 0), Budget.unlimited(), device);
    }

    private static Rank<?> after(Group group, Cpu device) {
        return Afterwards.rank(GPT, CUT, group, rows(group, 0), device);
    }
}
