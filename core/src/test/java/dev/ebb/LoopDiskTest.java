package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.ir.CheckpointArea;
import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.ir.IterationCosts;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.plan.Binomial;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.Plan;
import dev.ebb.plan.loop.CheckpointSplits;
import dev.ebb.plan.loop.Revolve;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Speed;
import dev.ebb.plan.schedule.Step;
import dev.ebb.reference.ProcessorTime;
import dev.ebb.reference.ShortestWay;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Loops that keep states in memory and on the disk. */
class LoopDiskTest {
    private static final long ROOM = 64L << 20;

    @TempDir Path folder;

    private Budget disk() {
        return Budget.unlimited().with(Disk.in(folder, ROOM));
    }

    /**
     * What lies in each place (a bit for each iteration), where it stands, what is to be reversed;
     * as one number, at most ten iterations.
     */
    private record State(int memory, int disk, int at, int left) {
        static State of(int number) {
            return new State(number >> 18, number >> 8 & 0x3ff, number >> 4 & 0xf, number & 0xf);
        }

        int number() {
            return memory << 18 | disk << 8 | at << 4 | left;
        }
    }

    /**
     * The fewest forward steps over all ways to save in either place, to restore, to drop, and to
     * reverse.
     */
    private static int searched(int iterations, int inMemory, int onDisk) {
        return ShortestWay.length(
                new State(1, 0, 0, iterations).number(),
                number -> State.of(number).left == 0,
                (number, way) -> next(State.of(number), inMemory, onDisk, way));
    }

    private static void next(State p, int inMemory, int onDisk, ShortestWay.Way way) {
        if (p.at + 1 < p.left) way.to(new State(p.memory, p.disk, p.at + 1, p.left).number(), 1);
        if (p.at == p.left - 1) way.to(new State(p.memory, p.disk, p.at, p.left - 1).number(), 1);
        int here = 1 << p.at;
        if (Integer.bitCount(p.memory | here) <= inMemory)
            way.to(new State(p.memory | here, p.disk, p.at, p.left).number(), 0);
        if (Integer.bitCount(p.disk | here) <= onDisk)
            way.to(new State(p.memory, p.disk | here, p.at, p.left).number(), 0);
        for (int t = 0; t < p.left; t++) {
            int bit = 1 << t;
            if (((p.memory | p.disk) & bit) != 0)
                way.to(new State(p.memory, p.disk, t, p.left).number(), 0);
            if ((p.memory & bit) != 0)
                way.to(new State(p.memory & ~bit, p.disk, p.at, p.left).number(), 0);
            if ((p.disk & bit) != 0)
                way.to(new State(p.memory, p.disk & ~bit, p.at, p.left).number(), 0);
        }
    }

    private static Tensor stepped(Tensor x, int steps, Watched counting) {
        return Loop.repeat(steps, x, c -> c.apply(counting).sin().mul(0.99)).sum();
    }

    private long counted(int steps, int slots, int onDisk) {
        var count = new AtomicLong();
        var counting = new Watched(_ -> count.incrementAndGet());
        Fn<Tensor, Tensor> f = x -> stepped(x, steps, counting);
        var x = Array.of(0.4, 0.9);
        try (var grad = Ebb.compile(Ebb.grad(f)).within(disk()).with(new Binomial(slots, onDisk))) {
            grad.apply(x);
            assertThat(grad.report().measuredBytes()).isEqualTo(grad.report().promisedBytes());
            var there = grad.report().places().getFirst();
            assertThat(there.measuredBytes()).isEqualTo(there.promisedBytes()).isPositive();
            assertThat(there.promisedBytes()).isLessThanOrEqualTo(onDisk * 64L);
        }
        return count.get();
    }

    @Test
    void shortLoopsTakeNoMoreStepsThanTheBestScheduleOfBothPlaces() {
        for (int steps : new int[] {3, 5, 8, 10}) {
            for (int slots = 1; slots <= 3; slots++) {
                for (int onDisk = 1; onDisk <= 3; onDisk++) {
                    if (slots + onDisk > Math.min(steps, 14 - steps)) continue;
                    assertThat(counted(steps, slots, onDisk))
                            .as("%s steps, %s and %s states", steps, slots, onDisk)
                            .isEqualTo(searched(steps, slots, onDisk))
                            .isEqualTo(Revolve.forwards(steps, slots + onDisk));
                }
            }
        }
    }

    /** As many as with 50 states in memory, and no schedule of 50 states takes fewer. */
    @Test
    void twentyThousandStepsWithFiveStatesInMemoryAndFortyFiveOnDisk() {
        assertThat(counted(20_000, 5, 45))
                .isLessThanOrEqualTo(Revolve.forwards(20_000, 50))
                .isLessThan(4 * 20_000);
        assertThat(Revolve.forwards(20_000, 5)).isGreaterThan(10 * 20_000);
    }

    record Carry(Tensor x, Tensor speed) {}

    private static Tensor swung(Tensor start, int steps, boolean uneven) {
        var pushes = Tensors.iota(DType.F64, Shape.of(steps), 0).mul(1e-4);
        return Loop.<Carry, Tensor, Tensor>scan(
                        new Carry(start, start.slice(0, 0, 3).mul(0.1)),
                        pushes,
                        i -> uneven ? 1 + i : 1,
                        (c, push) -> {
                            var speed = c.speed().sub(c.x().slice(0, 0, 3).sin().mul(0.01));
                            var x = c.x().add(speed.sum().mul(0.01)).add(push).sin();
                            return new Next<>(new Carry(x, speed), x.sum());
                        })
                .stacked()
                .sum();
    }

    @Test
    void twoThousandStepsHaveTheBitsOfStoreAll() throws IOException {
        var x = (Array) Key.of(1).uniform(Type.of(DType.F64, 10));
        for (boolean uneven : new boolean[] {false, true}) {
            Fn<Tensor, Tensor> f = v -> swung(v, 2000, uneven);
            var all = (Array) Ebb.compile(Ebb.grad(f)).apply(x);
            for (var places :
                    List.of(new Binomial(2, 6), new Binomial(4, 30), new Binomial(1, 5000))) {
                try (var few = Ebb.compile(Ebb.grad(f)).within(disk()).with(places)) {
                    assertThat(few.apply(x).sameBits(all)).as("%s", places).isTrue();
                    assertKept(few);
                    try (var files = Files.list(folder)) {
                        assertThat(files).isEmpty();
                    }
                }
            }
        }
    }

    private static void assertKept(Compiled<Tensor, Tensor> compiled) {
        var report = compiled.report();
        assertThat(report.measuredBytes()).isEqualTo(report.promisedBytes());
        for (var there : report.places())
            assertThat(there.measuredBytes()).isEqualTo(there.promisedBytes());
    }

    private static CheckpointArea area(Plan plan) {
        for (var step : plan.schedule().steps()) {
            if (step instanceof Step.Compute(var node, _)
                    && node.kernel() instanceof Control.ReverseScan scan) return scan.area();
        }
        throw new AssertionError("no loop is reversed");
    }

    private static final Speed FAST = new Speed(1e10, 1e10, 1e-6);
    private static final Speed SLOW = new Speed(1e4, 1e4, 1);

    private static Tensor heavy(Tensor w, int steps, Watched counting) {
        return Loop.repeat(steps, w, c -> c.apply(counting).matmul(w).tanh()).sum();
    }

    @Test
    void aBudgetUsesItsDiskForALoopWhereThatIsFaster() {
        var w = (Array) Key.of(2).uniform(Type.of(DType.F32, 32, 32));
        int steps = 160;
        var costs = new ArrayList<Double>();
        var gradients = new ArrayList<Array>();
        var memory = Budget.bytes(20L * 32 * 32 * Float.BYTES);
        for (var budget :
                List.of(
                        memory,
                        memory.with(new Disk(folder, ROOM, SLOW)),
                        memory.with(new Disk(folder, 100L << 10, FAST)),
                        memory.with(new Disk(folder, ROOM, FAST)))) {
            var count = new AtomicLong();
            var counting = new Watched(_ -> count.incrementAndGet());
            try (var grad =
                    Ebb.compile(Ebb.grad((Tensor v) -> heavy(v, steps, counting))).within(budget)) {
                gradients.add((Array) grad.apply(w));
                costs.add(grad.plan(w).cost());
                assertKept(grad);
                assertThat(grad.report().promisedBytes()).isLessThanOrEqualTo(memory.resolve(0));
                for (var there : grad.report().places())
                    assertThat(there.promisedBytes()).isLessThanOrEqualTo(there.place().bytes());
                var plan = grad.plan(w);
                assertThat(count.get())
                        .isEqualTo(
                                CheckpointSplits.of(IterationCosts.EVEN, area(plan), steps)
                                        .forwards(steps));
                boolean used = area(plan).offloaded() > 0;
                assertThat(used)
                        .isEqualTo(budget.places().stream().anyMatch(p -> p.speed().equals(FAST)));
                if (used) {
                    assertThat(plan.explain()).contains("1 loop keeps states there");
                    assertThat(grad.report().text()).contains(" states outside the arena");
                }
            }
        }
        assertThat(costs.get(1)).isEqualTo(costs.getFirst());
        assertThat(costs.get(2)).isLessThan(costs.getFirst());
        assertThat(costs.get(3)).isLessThan(costs.get(2));
        for (var g : gradients) assertThat(g.sameBits(gradients.getFirst())).isTrue();
    }

    /** Two loops and what lies between them share one disk; a loop in a loop stays in memory. */
    @Test
    void loopsShareTheDiskWithAllElse() {
        var w = (Array) Key.of(3).uniform(Type.of(DType.F32, 16, 16));
        Fn<Tensor, Tensor> f =
                v -> {
                    var a = Loop.repeat(40, v, c -> c.matmul(v).tanh());
                    var b = a.matmul(v).sin().matmul(a).tanh();
                    return Loop.repeat(
                                    20, b, c -> Loop.repeat(5, c, d -> d.matmul(v).mul(0.1).sin()))
                            .add(a)
                            .sum();
                };
        Array expected;
        long whole;
        var any = Ebb.compile(Ebb.grad(f));
        try (var all = any) {
            expected = (Array) all.apply(w);
            whole = all.report().promisedBytes();
        }
        int used = 0;
        for (double share : new double[] {0.4, 0.15}) {
            for (long area : new long[] {18 << 10, ROOM}) {
                var memory = Budget.bytes((long) (whole * share));
                var budget = memory.with(new Disk(folder, area, FAST));
                try (var grad = any.within(budget)) {
                    assertThat(grad.apply(w).sameBits(expected)).isTrue();
                    assertThat(grad.verify(w).sameBits(expected)).isTrue();
                    assertKept(grad);
                    var report = grad.report();
                    assertThat(report.promisedBytes()).isLessThanOrEqualTo(memory.resolve(0));
                    assertThat(report.places().getFirst().promisedBytes())
                            .isLessThanOrEqualTo(area);
                    if (report.places().getFirst().promisedBytes() > 0) used++;
                }
            }
        }
        assertThat(used).isPositive();
    }

    @Test
    void aMillionStepsArePlannedSoonWithADisk() {
        var x = (Array) Key.of(1).uniform(Type.of(DType.F32, 1000));
        Fn<Tensor, Tensor> f =
                v -> Loop.repeat(1_000_000, v, c -> c.add(c.mul(c).mul(-0.001)).sin()).sum();
        var budget = Budget.bytes(25L * 4000).with(new Disk(folder, 4L << 20, FAST));
        double seconds =
                ProcessorTime.seconds(
                        () -> {
                            try (var few = Ebb.compile(Ebb.grad(f)).within(budget)) {
                                assertThat(area(few.plan(x)).offloaded()).isPositive();
                            }
                        });
        assertThat(seconds).isLessThan(10);
    }

    @Test
    void statesThatHaveNoPlaceAreRefused() {
        var x = Array.of(0.4, 0.9);
        Fn<Tensor, Tensor> f = v -> Loop.repeat(100, v, c -> c.sin().mul(0.99)).sum();
        assertThatThrownBy(() -> Ebb.compile(Ebb.grad(f)).with(new Binomial(3, 10)).apply(x))
                .isInstanceOf(OverBudgetException.class)
                .hasMessageContaining(
                        "Binomial[slots=3, offloaded=10] puts 640 bytes outside the arena")
                .hasMessageContaining("the budget names no place")
                .hasMessageContaining("Disk.in(folder, bytes)");
        var small = Budget.unlimited().with(Disk.in(folder, 639));
        assertThatThrownBy(
                        () ->
                                Ebb.compile(Ebb.grad(f))
                                        .within(small)
                                        .with(new Binomial(3, 10))
                                        .apply(x))
                .isInstanceOf(OverBudgetException.class)
                .hasMessageContaining("disk " + folder + ", which has room for 639 bytes");
        assertThatThrownBy(() -> new Binomial(3, -1)).hasMessageContaining("it is -1");
    }
}
