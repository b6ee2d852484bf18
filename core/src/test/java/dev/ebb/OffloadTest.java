package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.exec.PlaceException;
import dev.ebb.ir.Shape;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Speed;
import dev.ebb.plan.schedule.Step;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class OffloadTest {
    private static final long ROOM = 64L << 20;

    @TempDir Path folder;

    private static Array noise(Random random, int rows, int columns) {
        var data = new double[rows * columns];
        for (int i = 0; i < data.length; i++) data[i] = random.nextGaussian() / 8;
        return Array.of(Shape.of(rows, columns), data);
    }

    record Net(List<Tensor> weights) {
        static Net of(int depth, int width) {
            var random = new Random(7);
            var list = new ArrayList<Tensor>();
            for (int i = 0; i < depth; i++) list.add(noise(random, width, width));
            return new Net(list);
        }
    }

    /** Layers whose weights and activations matter alike. */
    private static Fn<Net, Tensor> loss() {
        var x = noise(new Random(3), 24, 32);
        return net -> {
            Tensor h = x;
            for (var w : net.weights()) h = h.add(h.matmul(w).tanh());
            return h.square().mean();
        };
    }

    /** Shared, so that what one test has searched for is known to the others. */
    private static final Compiled<Net, Ebb.ValueAndGrad<Net>> GRADIENT =
            Ebb.compile(Ebb.valueAndGrad(loss()));

    private static void assertSameBits(Object a, Object b) {
        var left = Tensorwise.list(a);
        var right = Tensorwise.list(b);
        for (int i = 0; i < left.size(); i++) {
            var l = ((Array) left.get(i)).data().segment();
            var r = ((Array) right.get(i)).data().segment();
            assertThat(l.mismatch(r)).isEqualTo(-1);
        }
    }

    @Test
    void runsInLessMemoryThanWithoutADiskAndKeepsBothPromises() throws IOException {
        var net = Net.of(8, 32);
        var expected = GRADIENT.apply(net);
        long least = GRADIENT.plan(net).leastBytes();
        for (double share : new double[] {1, 0.8, 0.6}) {
            var budget = Budget.bytes((long) (least * share));
            if (share < 1) {
                assertThatThrownBy(() -> GRADIENT.within(budget).plan(net))
                        .isInstanceOf(OverBudgetException.class);
            }
            try (var away = GRADIENT.within(budget.with(Disk.in(folder, ROOM)))) {
                for (int run = 0; run < 3; run++) assertSameBits(away.apply(net), expected);
                var report = away.report();
                assertThat(report.measuredBytes())
                        .isEqualTo(report.promisedBytes())
                        .isLessThanOrEqualTo(budget.resolve(0));
                assertThat(report.places().getFirst().measuredBytes())
                        .isEqualTo(report.places().getFirst().promisedBytes())
                        .isLessThanOrEqualTo(ROOM);
                assertSameBits(away.verify(net), expected);
                try (var files = Files.list(folder)) {
                    assertThat(files).isEmpty();
                }
            }
        }
    }

    record State(Net weights, Net momentum) {}

    @Test
    void stateOfAStepperLivesOnTheDisk() {
        var net = Net.of(8, 32);
        var zero =
                new Net(
                        net.weights().stream()
                                .map(w -> (Tensor) Array.of(w.shape(), new double[1024]))
                                .toList());
        Fn2<State, Tensor, Next<State, Tensor>> step =
                (s, rate) -> {
                    var seen = Ebb.valueAndGrad(loss()).apply(s.weights());
                    var momentum =
                            Tensorwise.map(s.momentum(), seen.grad(), (m, g) -> m.mul(0.9).add(g));
                    var weights =
                            Tensorwise.map(s.weights(), momentum, (w, m) -> w.sub(m.mul(rate)));
                    return new Next<>(new State(weights, momentum), seen.value());
                };
        var rate = Array.scalar(0.1);
        var initial = new State(net, zero);
        try (var all = Ebb.stepper(step).start(initial, rate)) {
            long least = all.plan().leastBytes();
            var budget = Budget.bytes((long) (0.6 * least)).with(Disk.in(folder, ROOM));
            try (var away = Ebb.stepper(step).within(budget).start(initial, rate)) {
                assertThat(away.plan().schedule().away()).isNotEmpty();
                for (int i = 0; i < 5; i++) assertSameBits(away.step(rate), all.step(rate));
                assertSameBits(away.state(), all.state());
                away.restore(initial);
                all.restore(initial);
                assertSameBits(away.step(rate), all.step(rate));
                var report = away.report();
                assertThat(report.measuredBytes()).isEqualTo(report.promisedBytes());
                assertThat(report.places().getFirst().measuredBytes())
                        .isEqualTo(report.places().getFirst().promisedBytes());
            }
        }
    }

    @Test
    void randomProgramsKeepTheirBitsAtEveryBudget() {
        for (int seed = 0; seed < 12; seed++) {
            var f = Ebb.valueAndGrad(random(seed));
            var net = Net.of(3, 24);
            try (var all = Ebb.compile(f)) {
                var expected = all.apply(net);
                var disk = Budget.unlimited().with(Disk.in(folder, ROOM));
                var curve = all.within(disk).plan(net).curve();
                long most = curve.storeAllBytes();
                long least = curve.leastBytes();
                double cost = 0;
                for (int i = 0; i <= 3; i++) {
                    long bytes = most - (most - least) * i / 3;
                    var budget = Budget.bytes(bytes).with(Disk.in(folder, ROOM));
                    try (var tight = all.within(budget)) {
                        assertSameBits(tight.verify(net), expected);
                        var report = tight.report();
                        assertThat(report.measuredBytes())
                                .isEqualTo(report.promisedBytes())
                                .isLessThanOrEqualTo(bytes);
                        var disked = report.places().getFirst();
                        assertThat(disked.measuredBytes()).isEqualTo(disked.promisedBytes());
                        double now = tight.plan(net).cost();
                        assertThat(now).isGreaterThanOrEqualTo(cost * (1 - 1e-12));
                        cost = now;
                    }
                }
            }
        }
    }

    private static Fn<Net, Tensor> random(int seed) {
        return net -> {
            var random = new Random(seed);
            var made = new ArrayList<>(net.weights());
            for (int i = 0; i < 14; i++) {
                var a = made.get(random.nextInt(made.size()));
                var b = made.get(made.size() - 1 - random.nextInt(Math.min(4, made.size())));
                made.add(
                        switch (random.nextInt(5)) {
                            case 0 -> a.add(b).tanh();
                            case 1 -> a.mul(b);
                            case 2 -> a.matmul(b);
                            case 3 -> a.transpose().matmul(b.sin());
                            default -> a.sub(b.softmax(1));
                        });
            }
            return made.getLast().add(made.get(made.size() / 2)).square().mean();
        };
    }

    @Test
    void explainsWhatLiesOnTheDisk() {
        var net = Net.of(8, 32);
        long least = GRADIENT.plan(net).leastBytes();
        var budget = Budget.bytes((long) (0.7 * least)).with(Disk.in(folder, ROOM));
        var plan = GRADIENT.within(budget).plan(net);
        assertThat(plan.schedule().steps()).anyMatch(s -> s instanceof Step.Fetch);
        assertThat(plan.explain()).contains("fetched").contains("to disk " + folder);
        assertThat(plan.layout().offloadedBytes()).isPositive();
    }

    @Test
    void aDiskTooSmallIsNotOverfilled() {
        var net = Net.of(8, 32);
        long least = GRADIENT.plan(net).leastBytes();
        long room = 24 << 10;
        try (var some = GRADIENT.within(Budget.bytes(least).with(Disk.in(folder, room)))) {
            some.apply(net);
            assertThat(some.report().places().getFirst().measuredBytes())
                    .isLessThanOrEqualTo(24 << 10);
        }
        var tight = Budget.bytes((long) (0.6 * least)).with(Disk.in(folder, room));
        assertThatThrownBy(() -> GRADIENT.within(tight).plan(net))
                .isInstanceOf(OverBudgetException.class);
    }

    @Test
    void aMissingFolderIsNamed() {
        var net = Net.of(8, 32);
        long least = GRADIENT.plan(net).leastBytes();
        var nowhere = folder.resolve("nowhere");
        var budget = Budget.bytes((long) (0.7 * least)).with(Disk.in(nowhere, ROOM));
        assertThatThrownBy(() -> GRADIENT.within(budget).apply(net))
                .isInstanceOf(PlaceException.class)
                .hasMessageContaining("nowhere")
                .hasMessageContaining("name another place");
    }

    @Test
    void wrongDisksAreRefused() {
        var budget = Budget.mebibytes(1);
        assertThatThrownBy(() -> Disk.in(folder, 0))
                .hasMessageContaining("must be positive, not 0");
        assertThatThrownBy(() -> budget.with(Disk.in(folder, ROOM)).with(Disk.in(folder, ROOM)))
                .hasMessageContaining("each place once");
        assertThatThrownBy(() -> new Tape(budget.with(Disk.in(folder, ROOM))))
                .hasMessageContaining("tape");
        assertThatThrownBy(() -> new Speed(0, 1, 0)).hasMessageContaining("bytes a second");
    }

    @Test
    void aDisksSpeedCanBeMeasured() {
        var speed = Speed.measured(folder);
        assertThat(speed.writing()).isGreaterThan(1e6);
        assertThat(speed.reading()).isGreaterThan(1e6);
        var plan =
                GRADIENT.within(Budget.share(0.5).with(new Disk(folder, ROOM, speed)))
                        .plan(Net.of(4, 32));
        assertThat(plan.peakBytes()).isLessThanOrEqualTo(plan.storeAllBytes() / 2);
    }
}
