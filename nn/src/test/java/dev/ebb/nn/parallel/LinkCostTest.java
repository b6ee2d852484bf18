package dev.ebb.nn.parallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.Shape;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;

/** The cost of communication is measured once, and decides which weights are gathered again. */
class LinkCostTest {
    /** One of two ranks for planning, with a given link cost. */
    private record Linked(Group group, LinkCost linkCost) implements Group {
        @Override
        public int rank() {
            return group.rank();
        }

        @Override
        public int size() {
            return group.size();
        }

        @Override
        public ExchangeQueue queue() {
            return group.queue();
        }

        @Override
        public Transfer send(int to, MemorySegment data) {
            return group.send(to, data);
        }

        @Override
        public Transfer receive(int from, MemorySegment into) {
            return group.receive(from, into);
        }

        @Override
        public void settle() {
            group.settle();
        }

        @Override
        public void close() {
            group.close();
        }
    }

    /**
     * The same program in the same memory: which weights are gathered again depends on the link.
     */
    @Test
    void over_a_slow_link_fewer_weights_are_gathered_again() {
        var recipe = new RankTest.WideMlp(96, 5);
        var cut = new Partition(2, 2);
        var group = LocalGroup.of(2, Duration.ofSeconds(1)).getFirst();
        int n = 64;
        List<Tensor> rows =
                List.of(
                        Array.of(Shape.of(n, 96), new float[n * 96]),
                        Array.of(Shape.of(n, 8), new float[n * 8]));
        var fast = new Linked(group, new LinkCost(1e13, 0));
        var slow = new Linked(group, new LinkCost(1e7, 1e-2));
        var freely = RankTest.plan(recipe, cut, fast, rows);
        long least =
                Math.max(freely.leastBytes(), RankTest.plan(recipe, cut, slow, rows).leastBytes());
        var budget = Budget.bytes(least + (freely.peakBytes() - least) / 2);
        long many = RankTest.gathers(Rank.plan(recipe, cut, fast, rows, budget, RankTest.DEVICE));
        long few = RankTest.gathers(Rank.plan(recipe, cut, slow, rows, budget, RankTest.DEVICE));
        assertThat(few).isLessThan(many);
    }

    @Test
    void a_link_is_measured_and_all_ranks_plan_by_the_slowest() {
        var found = new HashSet<>(Ranks.run(3, LinkCost::measured));
        assertThat(found).hasSize(1);
        var link = found.iterator().next();
        assertThat(link.bytesPerSecond()).isBetween(1e6, 1e12);
        assertThat(link.latency()).isBetween(1e-8, 1.0);
    }
}
