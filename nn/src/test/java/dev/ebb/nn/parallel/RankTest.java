package dev.ebb.nn.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Ebb;
import dev.ebb.Tensorwise;
import dev.ebb.cpu.Cpu;
import dev.ebb.exec.Device;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.nn.Activation;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.file.LazyTensor;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.Mlp;
import dev.ebb.nn.model.Weights;
import dev.ebb.nn.optim.Adam;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Plan;
import dev.ebb.plan.schedule.Step;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;

/** Any number of ranks, and one machine that accumulates, give the same weights to the last bit. */
class RankTest {
    private static final int BATCH = 8;
    private static final int CONTEXT = 6;
    private static final Corpus CORPUS = Corpus.of("the forward pass floods memory. ".repeat(20));
    static final Device DEVICE = new Cpu(1);

    /** A GPT with odd sizes, so that pieces are padded. */
    record SmallGpt(double largestNorm) implements Recipe<Gpt2> {
        @Override
        public Gpt2 model() {
            return Gpt2.of(Gpt2.Config.of(256, CONTEXT, 10, 1, 2), new Seed(1));
        }

        @Override
        public Tensor loss(Gpt2 model, List<Tensor> batch) {
            return model.loss(batch.getFirst(), batch.getLast());
        }

        @Override
        public Optimizer optimizer() {
            return AdamW.of(1e-2);
        }
    }

    private static List<Tensor> batch(long step) {
        var batch = CORPUS.batch(BATCH, CONTEXT, new Seed(5), step);
        return List.of(batch.ids(), batch.targets());
    }

    private static List<Tensor> rows(Partition cut, int rank, long step) {
        var rows = new ArrayList<Tensor>();
        for (var whole : batch(step)) rows.add(cut.rows((Array) whole, rank));
        return rows;
    }

    private static Rank<Gpt2> rank(Recipe<Gpt2> recipe, Partition cut, Group group, Budget budget) {
        return new Rank<>(recipe, cut, group, rows(cut, group.rank(), 0), budget, DEVICE);
    }

    /** Digest and losses of a run. */
    private static List<String> run(Recipe<Gpt2> recipe, Partition cut, int steps, Budget budget) {
        return Ranks.run(
                cut.ranks(),
                group -> {
                    try (var rank = rank(recipe, cut, group, budget)) {
                        var losses = new ArrayList<Double>();
                        for (int i = 0; i < steps; i++)
                            losses.add(rank.step(rows(cut, group.rank(), i)));
                        var report = rank.report();
                        assertThat(report.measuredBytes()).isEqualTo(report.promisedBytes());
                        return losses + " " + rank.digest();
                    }
                });
    }

    @Test
    void one_two_four_and_eight_ranks_give_the_same_bits() {
        var found = new HashSet<String>();
        for (int ranks = 1; ranks <= 8; ranks *= 2)
            found.addAll(run(new SmallGpt(0.5), new Partition(8, ranks), 3, Budget.unlimited()));
        assertThat(found).hasSize(1);
    }

    /** Twelve shards: numbers of ranks, and of shards per rank, that are not powers of two. */
    @Test
    void every_number_of_ranks_that_divides_the_shards_gives_the_same_bits() {
        var found = new HashSet<String>();
        for (int ranks : new int[] {1, 2, 3, 4, 6, 12}) {
            var cut = new Partition(12, ranks);
            found.addAll(
                    Ranks.run(
                            ranks,
                            group -> {
                                var rows = wide(cut, group.rank());
                                try (var rank = wide(cut, group, rows, Budget.unlimited())) {
                                    return rank.step(rows) + " " + rank.step(rows) + rank.digest();
                                }
                            }));
        }
        assertThat(found).hasSize(1);
    }

    /** Products of the backward pass run between the start and the end of an exchange. */
    @Test
    void gradients_travel_beside_the_rest_of_the_backward_pass() {
        var cut = new Partition(2, 2);
        var group = LocalGroup.of(2, Duration.ofSeconds(1)).getFirst();
        List<Tensor> rows =
                List.of(
                        Array.of(Shape.of(2, 256), new float[512]),
                        Array.of(Shape.of(2, 8), new float[16]));
        var plan = plan(new WideMlp(256, 10), cut, group, rows);
        int beside = 0;
        boolean underWay = false;
        for (var step : plan.schedule().steps()) {
            if (!(step instanceof Step.Compute compute)) continue;
            var name = compute.node().op().name();
            if (name.equals("begin_reduce_scatter")) underWay = true;
            else if (name.equals("end_reduce_scatter")) underWay = false;
            else if (underWay && compute.node().kernel() instanceof Kernel.Contract) beside++;
        }
        assertThat(beside).as("of ten layers").isGreaterThan(10);
    }

    private static List<Tensor> wide(Partition cut, int rank) {
        var seed = new Seed(4);
        var x = new float[12 * 64];
        var y = new float[12 * 8];
        for (int i = 0; i < x.length; i++) x[i] = (float) seed.normal(i);
        for (int i = 0; i < y.length; i++) y[i] = (float) seed.normal(x.length + i);
        return List.of(
                cut.rows(Array.of(Shape.of(12, 64), x), rank),
                cut.rows(Array.of(Shape.of(12, 8), y), rank));
    }

    private static Rank<Mlp> wide(Partition cut, Group group, List<Tensor> rows, Budget budget) {
        return new Rank<>(new WideMlp(64, 2), cut, group, rows, budget, DEVICE);
    }

    @Test
    void the_least_budget_changes_no_bit() {
        var recipe = new SmallGpt(0.5);
        var cut = new Partition(2, 2);
        var group = LocalGroup.of(2, Duration.ofSeconds(1)).getFirst();
        var plan = Rank.plan(recipe, cut, group, rows(cut, 0, 0), Budget.unlimited(), DEVICE);
        var least = Budget.bytes(plan.leastBytes());
        assertThat(run(recipe, cut, 3, least)).isEqualTo(run(recipe, cut, 3, Budget.unlimited()));
    }

    static long gathers(Plan plan) {
        return plan.schedule().steps().stream()
                .filter(s -> s instanceof Step.Compute)
                .filter(s -> s.toString().contains("all_gather"))
                .count();
    }

    @Test
    void small_tensors_travel_together_and_large_ones_alone() {
        Type small = new Type(DType.F32, Shape.of(100));
        Type large = new Type(DType.F32, Shape.of(100, 100));
        Type other = new Type(DType.F64, Shape.of(100));
        assertThat(Buckets.of(List.of(large, small, other, large, small, small)))
                .containsExactly(List.of(0), List.of(1, 4, 5), List.of(2), List.of(3));
    }

    /**
     * The simple version: each shard's gradients by a separate program, added by a loop over
     * numbers, and the weights updated as whole tensors.
     */
    @Test
    void a_plain_loop_over_shards_gives_the_same_bits() {
        var recipe = new SmallGpt(Double.POSITIVE_INFINITY);
        var model = recipe.model();
        var state = recipe.optimizer().start(model);
        var one = Ebb.compile(Ebb.grad((Gpt2 m, List<Tensor> b) -> recipe.loss(m, b))).on(DEVICE);
        for (int step = 0; step < 3; step++) {
            var level = new ArrayList<List<float[]>>();
            for (int shard = 0; shard < 4; shard++) {
                int row = 2 * shard;
                var rows = batch(step).stream().map(t -> t.slice(0, row, row + 2)).toList();
                level.add(
                        Tensorwise.list(one.apply(model, rows)).stream()
                                .map(Tensor::toFloats)
                                .toList());
            }
            for (int apart = 1; apart < 4; apart *= 2) {
                for (int i = 0; i < 4; i += 2 * apart) {
                    for (int t = 0; t < level.get(i).size(); t++) {
                        var to = level.get(i).get(t);
                        var from = level.get(i + apart).get(t);
                        for (int j = 0; j < to.length; j++) to[j] += from[j];
                    }
                }
            }
            var gradients = new ArrayList<Tensor>();
            for (int t = 0; t < level.getFirst().size(); t++) {
                var mean = level.getFirst().get(t);
                for (int j = 0; j < mean.length; j++) mean[j] /= 4;
                gradients.add(Array.of(Tensorwise.list(model).get(t).shape(), mean));
            }
            var next =
                    recipe.optimizer().update(model, Tensorwise.rebuild(model, gradients), state);
            model = next.params();
            state = next.state();
        }
        assertThat(run(recipe, new Partition(4, 2), 3, Budget.unlimited()).getFirst())
                .endsWith(Weights.digest(model));
    }

    @Test
    void a_state_goes_on_with_another_number_of_ranks() {
        var recipe = new SmallGpt(0.5);
        var whole = run(recipe, new Partition(4, 1), 4, Budget.unlimited()).getFirst();
        var cut = new Partition(4, 4);
        var saved =
                Ranks.run(
                                4,
                                group -> {
                                    try (var rank = rank(recipe, cut, group, Budget.unlimited())) {
                                        for (int i = 0; i < 2; i++)
                                            rank.step(rows(cut, group.rank(), i));
                                        return rank.state().stream()
                                                .map(
                                                        s -> {
                                                            var data = s.data().get();
                                                            return new LazyTensor(
                                                                    s.name(), s.type(), () -> data);
                                                        })
                                                .toList();
                                    }
                                })
                        .getFirst();
        var two = new Partition(4, 2);
        var digests =
                Ranks.run(
                        2,
                        group -> {
                            try (var rank = rank(recipe, two, group, Budget.unlimited())) {
                                rank.restore(saved);
                                for (int i = 2; i < 4; i++) rank.step(rows(two, group.rank(), i));
                                return rank.digest();
                            }
                        });
        assertThat(whole).endsWith(digests.getFirst());
    }

    @Test
    void ranks_with_different_plans_are_told() {
        var recipe = new SmallGpt(0.5);
        var cut = new Partition(2, 2);
        var group = LocalGroup.of(2, Duration.ofSeconds(1)).getFirst();
        long least =
                Rank.plan(recipe, cut, group, rows(cut, 0, 0), Budget.unlimited(), DEVICE)
                        .leastBytes();
        assertThatThrownBy(
                        () ->
                                Ranks.run(
                                        2,
                                        g -> {
                                            var budget =
                                                    g.rank() == 0
                                                            ? Budget.unlimited()
                                                            : Budget.bytes(least);
                                            try (var rank = rank(recipe, cut, g, budget)) {
                                                return rank.plan();
                                            }
                                        }))
                .isInstanceOf(PeerException.class)
                .hasMessageContainingAll("graph or plan", "same program");
    }

    /** Many wide layers and few examples: the optimizer's state is most of the memory. */
    record WideMlp(int width, int layers) implements Recipe<Mlp> {
        @Override
        public Mlp model() {
            var widths = new ArrayList<>(Collections.nCopies(layers + 1, width));
            widths.add(8);
            return Mlp.of(widths, Activation.RELU, new Seed(2));
        }

        @Override
        public Tensor loss(Mlp model, List<Tensor> batch) {
            return model.apply(batch.getFirst()).sub(batch.getLast()).square().mean();
        }

        @Override
        public Optimizer optimizer() {
            return Adam.of(1e-3);
        }

        @Override
        public double largestNorm() {
            return 1;
        }
    }

    /** The least budget of one rank alone and of one of four, with as many examples each. */
    @Test
    void a_rank_of_four_needs_less_than_half_the_memory() {
        var recipe = new WideMlp(256, 8);
        List<Tensor> rows =
                List.of(
                        Array.of(Shape.of(2, 256), new float[512]),
                        Array.of(Shape.of(2, 8), new float[16]));
        var groups = LocalGroup.of(4, Duration.ofMinutes(10));
        var alone = LocalGroup.of(1, Duration.ofMinutes(10)).getFirst();
        long one = plan(recipe, new Partition(1, 1), alone, rows).leastBytes();
        var cut = new Partition(4, 4);
        var free = plan(recipe, cut, groups.getFirst(), rows);
        var budget = Budget.bytes(free.leastBytes());
        var reports =
                Ranks.run(
                        groups,
                        group -> {
                            try (var rank = new Rank<>(recipe, cut, group, rows, budget, DEVICE)) {
                                rank.step(rows);
                                assertThat(gathers(rank.plan()))
                                        .as("weights gathered again for the backward pass")
                                        .isGreaterThan(gathers(free));
                                return rank.report();
                            }
                        });
        for (var report : reports) {
            assertThat(report.measuredBytes()).isEqualTo(report.promisedBytes());
            assertThat(report.promisedBytes()).isLessThanOrEqualTo((long) (0.45 * one));
        }
    }

    static Plan plan(WideMlp recipe, Partition cut, Group group, List<Tensor> rows) {
        return Rank.plan(recipe, cut, group, rows, Budget.unlimited(), DEVICE);
    }
}
