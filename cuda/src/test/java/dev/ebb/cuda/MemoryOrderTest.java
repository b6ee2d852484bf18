package dev.ebb.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.cuda.MemoryOrder.Span;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;

class MemoryOrderTest {
    private record Work(List<Span> reads, List<Span> writes) {}

    private static boolean meet(List<Span> x, List<Span> y) {
        for (var a : x)
            for (var b : y)
                if (Math.max(a.from(), b.from()) < Math.min(a.to(), b.to())) return true;
        return false;
    }

    /** Whether two works must keep their order: one writes what the other reads or writes. */
    private static boolean conflict(Work x, Work y) {
        return meet(x.writes, y.writes) || meet(x.writes, y.reads) || meet(x.reads, y.writes);
    }

    private static List<Span> spans(Random random, int most) {
        var all = new ArrayList<Span>();
        for (int i = random.nextInt(most + 1); i > 0; i--)
            all.add(Span.of(random.nextInt(200), random.nextInt(40)));
        return all;
    }

    @Test
    void works_wait_for_those_with_which_they_conflict_and_for_what_those_wait_for() {
        var random = new Random(5);
        for (int round = 0; round < 200; round++) {
            var order = new MemoryOrder();
            var works = new ArrayList<Work>();
            var waits = new ArrayList<BitSet>();
            for (int i = 0; i < 60; i++) {
                var work = new Work(spans(random, 4), spans(random, 3));
                var direct = order.add(work.reads, work.writes);
                var all = new BitSet();
                for (int d : direct) {
                    assertThat(all.get(d)).as("an edge that others imply").isFalse();
                    all.or(waits.get(d));
                    all.set(d);
                }
                var expected = new BitSet();
                for (int j = 0; j < i; j++) {
                    if (!conflict(works.get(j), work)) continue;
                    expected.or(waits.get(j));
                    expected.set(j);
                }
                assertThat(all).isEqualTo(expected);
                works.add(work);
                waits.add(all);
            }
        }
    }

    @Test
    void readers_of_the_same_memory_do_not_wait_for_each_other() {
        var order = new MemoryOrder();
        var weights = List.of(Span.of(0, 64));
        assertThat(order.add(List.of(), weights)).isEmpty();
        assertThat(order.add(weights, List.of(Span.of(64, 64)))).containsExactly(0);
        assertThat(order.add(weights, List.of(Span.of(128, 64)))).containsExactly(0);
        assertThat(order.add(List.of(Span.of(64, 128)), weights)).containsExactly(2, 1);
    }
}
