package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Programs drawn by chance, with branches on their own numbers, at budgets drawn by chance. */
class TapeRandomTest {
    private static final int PROGRAMS = 300;

    /**
     * @param reads how many times data were read, the gradients at the end once
     */
    private record Outcome(List<Array> gradients, long peak, int repeats, int reads) {}

    private static Array data(int seed, int size) {
        var random = new Random(seed);
        return Array.of(
                Shape.of(size, size),
                IntStream.range(0, size * size).mapToDouble(_ -> random.nextGaussian()).toArray());
    }

    private static Outcome run(int seed, Budget budget) {
        var random = new Random(seed);
        int size = 1 + random.nextInt(5);
        try (var tape = new Tape(budget, Devices.best())) {
            var x = tape.watch(data(seed, size));
            var y = tape.watch(data(-seed, size));
            var pool = new ArrayList<>(List.of(x, y));
            var reads = new AtomicInteger(1);
            int ops = 5 + random.nextInt(25);
            for (int i = 0; i < ops; i++) {
                var a = pool.get(random.nextInt(pool.size()));
                var b = pool.get(Math.max(0, pool.size() - 1 - random.nextInt(4)));
                pool.add(step(tape, random, a, b, size, reads));
            }
            Tensor loss = pool.getLast().sum();
            for (int i = 0; i < 3; i++)
                loss = loss.add(pool.get(random.nextInt(pool.size())).sum());
            var g = tape.arrays(tape.gradient(loss, List.of(x, y)));
            var report = tape.report();
            var arrays = g.stream().map(t -> (Array) t).toList();
            return new Outcome(arrays, report.measuredBytes(), report.recomputed(), reads.get());
        }
    }

    private static Tensor step(
            Tape tape, Random random, Tensor a, Tensor b, int size, AtomicInteger reads) {
        return switch (random.nextInt(8)) {
            case 0 -> a.sin();
            case 1 -> a.mul(b);
            case 2 -> a.add(b).tanh();
            case 3 -> a.matmul(b).mul(0.3);
            case 4 -> a.sum(0).add(b);
            case 5 -> Tensors.concat(List.of(a, b), 0).slice(0, size / 2, size / 2 + size);
            case 6 -> {
                reads.incrementAndGet();
                yield a.sum().item() > 0 ? a.exp().tanh() : b.neg();
            }
            default -> a.mul(tape.run(() -> Tensors.fill(b.type(), 0.5)).cast(DType.F64)).sub(b);
        };
    }

    @Test
    void neverOverBudgetAlwaysTheSameBits() {
        var random = new Random(7);
        int refused = 0;
        int repeats = 0;
        for (int seed = 1; seed <= PROGRAMS; seed++) {
            var all = run(seed, Budget.unlimited());
            long budget = (long) (all.peak * (0.1 + 0.9 * random.nextDouble()));
            for (boolean done = false; !done; ) {
                try {
                    var some = run(seed, Budget.bytes(budget));
                    assertThat(some.peak).as("program %s", seed).isLessThanOrEqualTo(budget);
                    for (int i = 0; i < 2; i++) {
                        assertThat(some.gradients.get(i).sameBits(all.gradients.get(i)))
                                .as("program %s in %s bytes", seed, budget)
                                .isTrue();
                    }
                    repeats += some.repeats;
                    done = true;
                } catch (OverBudgetException e) {
                    assertThat(e.leastBytes()).isGreaterThan(budget);
                    budget = e.leastBytes();
                    refused++;
                }
            }
        }
        assertThat(repeats).isPositive();
        assertThat(refused).isLessThan(PROGRAMS / 5);
    }

    /** The least budget that a run in {@code budget} is refused with. */
    private static OptionalLong refused(int seed, long budget) {
        try {
            var _ = run(seed, Budget.bytes(budget));
            return OptionalLong.empty();
        } catch (OverBudgetException e) {
            return OptionalLong.of(e.leastBytes());
        }
    }

    /**
     * The least that is named covers all that was recorded until data were read, so a program that
     * reads its gradients alone runs at the second try; one that reads more often is refused once
     * for each reading at most. One byte less than any of these is refused, with the same least.
     */
    @Test
    void theLeastIsEnoughAndOneByteLessIsNot() {
        int oneReading = 0;
        for (int seed = 1; seed <= PROGRAMS / 5; seed++) {
            var all = run(seed, Budget.unlimited());
            int refusals = 0;
            long budget = 1;
            for (var least = refused(seed, budget); least.isPresent(); refusals++) {
                assertThat(least.getAsLong()).as("program %s", seed).isGreaterThan(budget);
                budget = least.getAsLong();
                assertThat(refused(seed, budget - 1))
                        .as("program %s in one byte less than %s", seed, budget)
                        .hasValue(budget);
                least = refused(seed, budget);
            }
            assertThat(refusals).as("program %s", seed).isBetween(1, all.reads);
            if (all.reads == 1) oneReading++;
            var some = run(seed, Budget.bytes(budget));
            assertThat(some.peak).isLessThanOrEqualTo(budget);
            for (int i = 0; i < 2; i++) {
                assertThat(some.gradients.get(i).sameBits(all.gradients.get(i)))
                        .as("program %s in %s bytes", seed, budget)
                        .isTrue();
            }
        }
        assertThat(oneReading).isPositive();
    }
}
