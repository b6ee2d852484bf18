package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.RestoreSummary;
import dev.ebb.plan.TradeOff;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Speed;
import dev.ebb.plan.schedule.Step;
import dev.ebb.plan.schedule.Way;
import dev.ebb.plan.schedule.Ways;
import dev.ebb.solve.Leapfrog;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.grid.Grid;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/** What each way of bringing values back adds to the curve. */
class TradeOffTest {
    private static final long ROOM = 64L << 20;

    @TempDir Path folder;

    private static Tensor noise(int seed, int... dims) {
        return Key.of(seed).normal(new Type(DType.F32, Shape.of(dims)));
    }

    record Net(List<Tensor> weights) {}

    private static Net net(int layers) {
        return new Net(
                IntStream.range(0, layers).mapToObj(i -> noise(i, 32, 32).mul(0.1)).toList());
    }

    private static Fn<Net, Ebb.ValueAndGrad<Net>> plain() {
        var x = noise(99, 64, 32);
        return Ebb.valueAndGrad(
                n -> {
                    var h = x;
                    for (var w : n.weights()) h = h.matmul(w).tanh().mul(h.cos());
                    return h.square().mean();
                });
    }

    /** Monotone, a way more never above one less, each point explained to the last second. */
    private static void check(TradeOff curve) {
        TradeOff.Line before = curve.lines().getFirst();
        for (var line : curve.lines()) {
            double cost = 0;
            long bytes = Long.MAX_VALUE;
            for (var point : line.points()) {
                assertThat(point.cost()).isGreaterThanOrEqualTo(cost * (1 - 1e-12));
                assertThat(point.bytes()).isLessThan(bytes);
                cost = point.cost();
                bytes = point.bytes();
                double parts =
                        point.mix().parts().values().stream()
                                .mapToDouble(RestoreSummary.Part::cost)
                                .sum();
                assertThat(curve.storeAllCost() + parts)
                        .as("%s at %s: %s", line.ways(), bytes, point.mix())
                        .isCloseTo(cost, within(1e-9 * cost));
            }
            for (var point : before.points()) {
                assertThat(line.at(point.bytes()).orElseThrow().cost())
                        .isLessThanOrEqualTo(point.cost());
            }
            assertThat(line.leastBytes()).isLessThanOrEqualTo(before.leastBytes());
            assertThat(line.at(line.leastBytes() - 1)).isEmpty();
            before = line;
        }
    }

    private static boolean anywhere(
            TradeOff.Line line, Function<RestoreSummary, RestoreSummary.Part> part) {
        return line.points().stream().anyMatch(p -> part.apply(p.mix()).count() > 0);
    }

    @Test
    void aGraphWithoutOtherWaysHasOneLine() {
        var curve = Ebb.compile(plain()).curve(net(6));
        check(curve);
        assertThat(curve.lines()).hasSize(1);
        assertThat(curve.lines().getFirst().ways()).isEqualTo(Ways.recomputing());
        var line = curve.lines().getFirst();
        assertThat(anywhere(line, RestoreSummary::recomputed)).isTrue();
        assertThat(anywhere(line, RestoreSummary::inverted)).isFalse();
        assertThat(anywhere(line, RestoreSummary::fetched)).isFalse();
        var all = line.points().getFirst().mix();
        assertThat(all.kept().count()).isPositive();
        assertThat(all.recomputed()).isEqualTo(new RestoreSummary.Part(0, 0, 0));
    }

    @Test
    void inversesExtendTheLineOfAReversibleStack() {
        var net = ReversibleTest.Net.of(6, 6);
        var all = Ebb.compile(ReversibleTest.gradient());
        var curve = all.curve(net);
        check(curve);
        assertThat(curve.lines()).hasSize(2);
        var without = curve.lines().getFirst();
        var with = curve.lines().getLast();
        assertThat(with.ways()).isEqualTo(Ways.of(Way.INVERSES));
        assertThat(with.leastBytes()).isLessThan(without.leastBytes());
        assertThat(anywhere(with, RestoreSummary::inverted)).isTrue();
        assertThat(anywhere(without, RestoreSummary::inverted)).isFalse();
        for (var line : curve.lines()) {
            for (var point :
                    List.of(line.points().get(line.points().size() / 2), line.points().getLast())) {
                var plan = all.within(Budget.bytes(point.bytes())).only(line.ways()).plan(net);
                assertThat(plan.cost()).isEqualTo(point.cost());
            }
        }
        var tight = Budget.bytes(with.leastBytes());
        var alone = all.within(tight).only(Ways.recomputing());
        assertThatThrownBy(() -> alone.plan(net))
                .isInstanceOfSatisfying(
                        OverBudgetException.class,
                        e -> assertThat(e.leastBytes()).isEqualTo(without.leastBytes()));
    }

    @Test
    void aDiskExtendsTheLineOfAPlainNet() {
        var disk = Budget.unlimited().with(Disk.in(folder, ROOM));
        var all = Ebb.compile(plain());
        var curve = all.within(disk).curve(net(6));
        check(curve);
        assertThat(curve.lines()).hasSize(2);
        var without = curve.lines().getFirst();
        var with = curve.lines().getLast();
        assertThat(with.ways()).isEqualTo(Ways.of(Way.DISK));
        assertThat(with.leastBytes()).isLessThan(without.leastBytes());
        assertThat(anywhere(with, RestoreSummary::fetched)).isTrue();
        assertThat(anywhere(without, RestoreSummary::fetched)).isFalse();
        assertThat(without.points()).hasSameSizeAs(all.curve(net(6)).points());
        var budget = Budget.bytes(with.leastBytes()).with(Disk.in(folder, ROOM));
        var plan = all.within(budget).plan(net(6));
        assertThat(plan.cost()).isEqualTo(with.points().getLast().cost());
        assertThatThrownBy(() -> all.within(budget).only(Ways.recomputing()).plan(net(6)))
                .isInstanceOf(OverBudgetException.class);
        var kept =
                all.within(Budget.bytes(without.leastBytes()).with(Disk.in(folder, ROOM)))
                        .only(Ways.recomputing())
                        .plan(net(6));
        assertThat(kept.schedule().steps()).noneMatch(s -> s instanceof Step.Fetch);
    }

    @Test
    void statesOfALoopGoToTheDisk() {
        var w = noise(3, 64, 64).mul(0.1);
        Fn<Tensor, Tensor> f =
                Ebb.grad((Tensor v) -> Loop.repeat(60, v, c -> c.matmul(w).tanh()).sum());
        var fast = Budget.unlimited().with(new Disk(folder, ROOM, new Speed(5e9, 5e9, 1e-7)));
        var x = noise(4, 64, 64);
        var curve = Ebb.compile(f).within(fast).curve(x);
        check(curve);
        assertThat(curve.lines()).hasSize(2);
        var without = curve.lines().getFirst();
        var with = curve.lines().getLast();
        assertThat(anywhere(without, RestoreSummary::iterated)).isTrue();
        assertThat(anywhere(without, RestoreSummary::fetched)).isFalse();
        assertThat(with.points())
                .anyMatch(p -> p.mix().fetched().count() > 0 && p.mix().fetched().cost() > 0);
        assertThat(curve.leastBytes()).isLessThan(curve.storeAllBytes() / 4);
        for (var line : curve.lines()) {
            var point = line.points().getLast();
            var plan =
                    Ebb.compile(f)
                            .within(
                                    Budget.bytes(point.bytes())
                                            .with(
                                                    new Disk(
                                                            folder,
                                                            ROOM,
                                                            fast.places().getFirst().speed())))
                            .only(line.ways())
                            .plan(x);
            assertThat(plan.peakBytes()).isLessThanOrEqualTo(point.bytes());
            assertThat(plan.mix().iterated().count()).isPositive();
            assertThat(plan.explain()).contains("restored", "iterated", " iterations, ");
        }
    }

    @Test
    void aLoopThatCanBeUndoneIsUndoneWhereInversesAreAllowed() {
        var curve = Ebb.compile(undoable()).curve(noise(5, 64, 64).mul(0.1));
        check(curve);
        assertThat(curve.lines()).hasSize(2);
        var without = curve.lines().getFirst();
        var with = curve.lines().getLast();
        assertThat(anywhere(without, RestoreSummary::inverted)).isFalse();
        assertThat(anywhere(without, RestoreSummary::iterated)).isTrue();
        assertThat(with.points()).anyMatch(p -> p.mix().inverted().count() == 40);
    }

    private static Fn<Tensor, Tensor> undoable() {
        return Ebb.grad(
                (Tensor x) ->
                        new Leapfrog(40, new Grid(16))
                                .solve(
                                        q -> q.matmul(q).sin().neg(),
                                        new Leapfrog.State(x, x.mul(0)),
                                        1)
                                .place()
                                .square()
                                .sum());
    }

    @Test
    void waysAreSets() {
        assertThat(Ways.every().oneByOne()).hasSize(6);
        assertThat(Ways.of(Way.DISK).oneByOne())
                .containsExactly(Ways.recomputing(), Ways.of(Way.DISK));
        assertThat(Ways.of(Way.DISK, Way.INVERSES)).hasToString("recompute + inverses + disk");
        assertThat(Ways.every().and(Ways.of(Way.DISK))).isEqualTo(Ways.of(Way.DISK));
    }
}
