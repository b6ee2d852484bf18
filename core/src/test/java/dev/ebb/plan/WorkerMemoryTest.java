package dev.ebb.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntToLongFunction;

class WorkerMemoryTest {

    /** Workers that take less and less, some of them nothing. */
    private static IntToLongFunction bytes(Random random) {
        var sums = new ArrayList<>(List.of(0L));
        long each = random.nextInt(3000);
        for (int i = 0; i < 70; i++) {
            sums.add(sums.getLast() + each);
            if (random.nextInt(4) == 0) each = each * random.nextInt(100) / 100;
        }
        return sums::get;
    }

    private static List<WorkerMemory> some() {
        var all = new ArrayList<>(List.of(WorkerMemory.NONE));
        for (int seed = 0; seed < 60; seed++) {
            var random = new Random(seed);
            var threads = new Threads(1 + random.nextInt(64), random.nextBoolean());
            all.add(new WorkerMemory(threads, bytes(random)));
        }
        return all;
    }

    @Test
    void moreBudgetNeverLeavesLessToTheArena() {
        for (var memory : some())
            for (long b = 1; b < 20_000; b++)
                assertThat(memory.arenaLimit(b)).isGreaterThanOrEqualTo(memory.arenaLimit(b - 1));
    }

    @Test
    void theLeastBudgetForAnArenaIsTheFirstThatLeavesIt() {
        for (var memory : some()) {
            long budget = 0;
            for (long arena = 0; arena < 12_000; arena += 7) {
                while (memory.arenaLimit(budget) < arena) budget++;
                assertThat(memory.budgetFor(arena))
                        .as("arena %d of %s", arena, memory)
                        .isEqualTo(budget);
            }
        }
    }

    @Test
    void aTapeSetsNoMoreThanHalfAside() {
        for (var memory : some()) {
            long budget = 0;
            for (long arena = 0; arena < 5_000; arena += 7) {
                while (budget - memory.reserveForAny(budget) < arena) budget++;
                assertThat(memory.reserveForAny(budget)).isLessThanOrEqualTo(budget / 2);
                assertThat(memory.budgetForAny(arena)).isEqualTo(budget);
            }
        }
    }

    @Test
    void onlyThreadsThatWereAskedForChangeWhatIsSetAside() {
        var bytes = bytes(new Random(3));
        for (long budget = 0; budget < 300_000; budget += 1_111) {
            long one = new WorkerMemory(new Threads(1, false), bytes).arenaLimit(budget);
            for (int threads : new int[] {2, 16, 64})
                assertThat(new WorkerMemory(new Threads(threads, false), bytes).arenaLimit(budget))
                        .isEqualTo(one);
        }
        long much = 1 << 20;
        var asked = new WorkerMemory(new Threads(3, true), bytes);
        assertThat(asked.reserve(much)).isEqualTo(bytes.applyAsLong(3));
        assertThat(asked.reserve(2 * bytes.applyAsLong(2))).isEqualTo(bytes.applyAsLong(2));
    }

    @Test
    void asManyWorkersRunAsFit() {
        for (var memory : some()) {
            int threads = memory.threads().count();
            for (long room = 0; room < 100_000; room += 997) {
                int workers = memory.within(room);
                assertThat(workers).isBetween(0, threads);
                if (workers > 0)
                    assertThat(memory.bytes().applyAsLong(workers)).isLessThanOrEqualTo(room);
                if (workers < threads)
                    assertThat(memory.bytes().applyAsLong(workers + 1)).isGreaterThan(room);
            }
        }
    }

    @Test
    void anyNumberOfThreadsIsAskedForInAFewQuestions() {
        var asked = new AtomicInteger();
        var threads = new Threads(Integer.MAX_VALUE, true);
        var memory =
                new WorkerMemory(
                        threads,
                        workers -> {
                            asked.incrementAndGet();
                            return 10L * workers;
                        });
        assertThat(memory.within(1234)).isEqualTo(123);
        assertThat(memory.within(9)).isZero();
        assertThat(memory.within(Long.MAX_VALUE)).isEqualTo(Integer.MAX_VALUE);
        assertThat(asked.get()).isLessThan(100);
    }
}
