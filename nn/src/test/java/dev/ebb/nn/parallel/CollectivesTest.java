package dev.ebb.nn.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Ebb;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Seed;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** Collectives against plain loops over the ranks' numbers. */
class CollectivesTest {

    /** The numbers of rank {@code rank}. */
    private static float[] own(int rank, int size) {
        var seed = new Seed(7).of(rank);
        var all = new float[size];
        for (int i = 0; i < size; i++) all[i] = (float) seed.normal(i);
        return all;
    }

    /** Neighbours first: ((0+1)+(2+3))+..., written without recursion. */
    private static float[] sum(int ranks, int size) {
        var level = IntStream.range(0, ranks).mapToObj(r -> own(r, size)).toList();
        while (level.size() > 1) {
            var pairs = level;
            level =
                    IntStream.range(0, pairs.size() / 2)
                            .mapToObj(
                                    i -> {
                                        var sum = new float[size];
                                        for (int j = 0; j < size; j++)
                                            sum[j] = pairs.get(2 * i)[j] + pairs.get(2 * i + 1)[j];
                                        return sum;
                                    })
                            .toList();
        }
        return level.getFirst();
    }

    @Test
    void all_reduce_adds_in_the_order_of_the_tree() {
        for (int ranks = 1; ranks <= 8; ranks *= 2) {
            for (int size : new int[] {1, 3, 8, 1000, 300_001}) {
                int n = ranks;
                var expected = sum(n, size);
                var all =
                        Ranks.run(
                                n,
                                g ->
                                        Ebb.compile((Tensor x) -> Collectives.allReduce(x, g))
                                                .apply(Array.of(own(g.rank(), size)))
                                                .toFloats());
                for (var found : all) assertThat(found).isEqualTo(expected);
            }
        }
    }

    @Test
    void reduce_scatter_and_all_gather_make_an_all_reduce() {
        int rows = 8;
        int width = 40_000;
        for (int ranks = 2; ranks <= 8; ranks *= 2) {
            var all =
                    Ranks.run(
                            ranks,
                            g ->
                                    Ebb.compile(
                                                    (Tensor x) ->
                                                            Collectives.allGather(
                                                                    Collectives.reduceScatter(x, g),
                                                                    g))
                                            .apply(
                                                    Array.of(
                                                            Shape.of(rows, width),
                                                            own(g.rank(), rows * width)))
                                            .toFloats());
            var expected = sum(ranks, rows * width);
            for (var found : all) assertThat(found).isEqualTo(expected);
        }
    }

    @Test
    void a_broadcast_gives_the_root_s_numbers() {
        var all =
                Ranks.run(
                        4,
                        g ->
                                Ebb.compile((Tensor x) -> Collectives.broadcast(x, g, 2))
                                        .apply(Array.of(own(g.rank(), 5)))
                                        .toFloats());
        for (var found : all) assertThat(found).isEqualTo(own(2, 5));
    }

    /**
     * The derivative of the sum over ranks of each rank's loss, by hand. Rank r computes the sum of
     * w[r] * y, where w differs by rank, so cotangents that went to the wrong rank would show.
     */
    @Test
    void derivatives_are_those_of_the_sum_over_ranks() {
        int ranks = 4;
        interface Collective {
            Tensor of(Tensor x, Group group);
        }
        float[][] weights = new float[ranks][];
        for (int r = 0; r < ranks; r++) weights[r] = own(10 + r, 8);
        float[] total = new float[8];
        for (int i = 0; i < 8; i++) {
            total[i] = (weights[0][i] + weights[1][i]) + (weights[2][i] + weights[3][i]);
        }
        record Case(Collective op, int in, java.util.function.IntFunction<float[]> expected) {}
        var cases =
                List.of(
                        new Case(Collectives::allReduce, 8, _ -> total),
                        new Case(
                                Collectives::allGather,
                                2,
                                r -> new float[] {total[2 * r], total[2 * r + 1]}),
                        new Case(
                                Collectives::reduceScatter,
                                32,
                                _ -> {
                                    var all = new float[32];
                                    for (int r = 0; r < 4; r++)
                                        System.arraycopy(weights[r], 0, all, 8 * r, 8);
                                    return all;
                                }),
                        new Case(
                                Collectives::allToAll,
                                8,
                                r -> {
                                    var all = new float[8];
                                    for (int to = 0; to < 4; to++)
                                        System.arraycopy(weights[to], 2 * r, all, 2 * to, 2);
                                    return all;
                                }),
                        new Case(
                                (x, g) -> Collectives.broadcast(x, g, 1),
                                8,
                                r -> r == 1 ? total : new float[8]));
        for (var c : cases) {
            var found =
                    Ranks.run(
                            ranks,
                            g -> {
                                var w = Array.of(weights[g.rank()]);
                                return Ebb.compile(
                                                Ebb.grad((Tensor x) -> c.op.of(x, g).mul(w).sum()))
                                        .apply(Array.of(own(g.rank(), c.in)))
                                        .toFloats();
                            });
            for (int r = 0; r < ranks; r++) assertThat(found.get(r)).isEqualTo(c.expected.apply(r));
        }
    }

    @Test
    void a_peer_that_does_not_answer_is_named_after_the_stated_time() {
        var groups = LocalGroup.of(2, Duration.ofMillis(200));
        assertThatThrownBy(
                        () ->
                                Ebb.compile((Tensor x) -> Collectives.allReduce(x, groups.get(0)))
                                        .apply(Array.of(1f)))
                .hasMessageContainingAll("rank 1", "0.2 s");
    }

    @Test
    void a_rank_that_leaves_is_told_to_the_others_at_once() {
        var groups = LocalGroup.of(2, Duration.ofMinutes(5));
        groups.get(1).close();
        assertThatThrownBy(
                        () ->
                                Ebb.compile((Tensor x) -> Collectives.allReduce(x, groups.get(0)))
                                        .apply(Array.of(1f)))
                .hasMessageContainingAll("rank 1", "has left");
    }

    /** Transfers that were not waited for must not access memory after it is freed. */
    @Test
    void a_group_that_is_settled_lets_go_of_its_memory() {
        var groups = LocalGroup.of(2, Duration.ofMinutes(5));
        var bytes = MemorySegment.ofArray(new byte[8]);
        groups.get(0).settle();
        try (var arena = Arena.ofShared()) {
            groups.get(0).receive(1, arena.allocate(8));
            groups.get(0).settle();
        }
        assertThatThrownBy(() -> groups.get(1).send(0, bytes).await())
                .hasMessageContainingAll("rank 0", "has left");
    }

    @Test
    void what_cannot_be_shared_is_refused_with_advice() {
        assertThatThrownBy(() -> LocalGroup.of(0, Duration.ofSeconds(1)))
                .hasMessageContaining("0 ranks");
        assertThatThrownBy(() -> new Partition(8, 3))
                .hasMessageContainingAll("8 shards", "3 ranks", "divides");
        var group = LocalGroup.of(2, Duration.ofSeconds(1)).getFirst();
        assertThatThrownBy(
                        () ->
                                Ebb.compile((Tensor x) -> Collectives.reduceScatter(x, group))
                                        .apply(Array.of(1f, 2f, 3f)))
                .hasMessageContainingAll("f32[3]", "2 ranks", "pad");
        assertThatThrownBy(
                        () ->
                                Ebb.compile((Tensor x) -> Collectives.allReduce(x, group))
                                        .apply(Array.of(1L)))
                .hasMessageContainingAll("i64[1]", "cast");
    }
}
