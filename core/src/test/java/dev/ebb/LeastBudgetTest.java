package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Value;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.Plan;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Schedule;
import dev.ebb.plan.schedule.Speed;
import dev.ebb.plan.schedule.Step;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.grid.Grid;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The least budget of a program with loops is the least, and a share of the saved is kept to. */
class LeastBudgetTest {
    private static final int WIDTH = 40;

    private static Array noise(int seed, int... dims) {
        var shape = Shape.of(dims);
        var data = new float[(int) shape.size()];
        for (int i = 0; i < data.length; i++) data[i] = (float) Math.sin(seed + 0.7 * i) / 3;
        return Array.of(shape, data);
    }

    private static Tensor round(Tensor x) {
        return x.sin().mul(x).add(x.tanh()).mul(0.5);
    }

    private static Map<String, Fn<Tensor, Tensor>> programs() {
        var all = new LinkedHashMap<String, Fn<Tensor, Tensor>>();
        all.put("repeat", x -> Loop.repeat(30, x, LeastBudgetTest::round).square().sum());
        all.put("one iteration", x -> Loop.repeat(1, x, LeastBudgetTest::round).square().sum());
        all.put(
                "loops in a loop",
                x ->
                        Loop.repeat(5, x, y -> Loop.repeat(7, y, LeastBudgetTest::round).add(y))
                                .square()
                                .sum());
        all.put(
                "scan",
                x ->
                        Loop.scan(
                                        x,
                                        (Tensor) noise(3, 12, WIDTH),
                                        (c, s) -> {
                                            var next = round(c.add(s));
                                            return new Next<>(next, next.sum());
                                        })
                                .stacked()
                                .square()
                                .sum());
        all.put(
                "scan in a scan",
                x ->
                        Loop.scan(
                                        x,
                                        (Tensor) noise(4, 4, 6, WIDTH),
                                        (c, rows) ->
                                                new Next<>(
                                                        Loop.scan(
                                                                        c,
                                                                        rows,
                                                                        (d, row) ->
                                                                                new Next<>(
                                                                                        round(
                                                                                                d
                                                                                                        .add(
                                                                                                                row)),
                                                                                        d))
                                                                .carry(),
                                                        c))
                                .carry()
                                .square()
                                .sum());
        all.put(
                "while",
                x ->
                        Loop.whileTrue(20, x, c -> c.square().sum().gt(0.5), c -> c.mul(0.9).sin())
                                .square()
                                .sum());
        var grid = new Grid(16);
        all.put(
                "undone",
                x ->
                        Reversible.repeat(
                                        12,
                                        new Reversible.Streams(grid.enter(x), grid.enter(x)),
                                        s ->
                                                new Reversible.Streams(
                                                        grid.add(s.first(), s.second().sin()),
                                                        s.second()),
                                        s ->
                                                new Reversible.Streams(
                                                        grid.sub(s.first(), s.second().sin()),
                                                        s.second()))
                                .sum()
                                .square()
                                .sum());
        all.put(
                "beside other values",
                x -> {
                    var y = x.sin().outer(x.cos());
                    var z = Loop.repeat(9, x, LeastBudgetTest::round);
                    return y.mul(y.tanh()).sum().add(z.sum());
                });
        return all;
    }

    @TestFactory
    Stream<DynamicTest> theLeastRunsAndAByteLessIsRefused() {
        return programs().entrySet().stream()
                .map(p -> DynamicTest.dynamicTest(p.getKey(), () -> isLeast(p.getValue())));
    }

    private static void isLeast(Fn<Tensor, Tensor> f) {
        var x = noise(1, WIDTH);
        try (var all = Ebb.compile(Ebb.valueAndGrad(f))) {
            long least = all.plan(x).leastBytes();
            var expected = all.apply(x);
            try (var tight = all.within(Budget.bytes(least))) {
                var found = tight.apply(x);
                assertThat(found.grad().sameBits((Array) expected.grad())).isTrue();
                assertThat(tight.report().measuredBytes()).isLessThanOrEqualTo(least);
                assertThat(tight.plan(x).leastBytes()).isEqualTo(least);
            }
            try (var less = all.within(Budget.bytes(least - 1))) {
                assertThatThrownBy(() -> less.plan(x))
                        .isInstanceOfSatisfying(
                                OverBudgetException.class,
                                e -> assertThat(e.leastBytes()).isEqualTo(least))
                        .hasMessageContaining("the least that works is " + Budget.show(least))
                        .hasMessageContaining(" times the time of keeping everything");
            }
        }
    }

    /** Iterations computed again from few states cost much, and a few states more little. */
    @Test
    void aRefusalNamesTheKnee() {
        Fn<Tensor, Tensor> f = x -> Loop.repeat(1000, x, LeastBudgetTest::round).square().sum();
        var x = noise(1, WIDTH);
        try (var all = Ebb.compile(Ebb.grad(f))) {
            var plan = all.plan(x);
            long least = plan.leastBytes();
            var knee = plan.knee();
            double leastCost = all.within(Budget.bytes(least)).plan(x).cost();
            double there = all.within(Budget.bytes(knee.bytes())).plan(x).cost();
            assertThat(there).isLessThanOrEqualTo(knee.cost() * (1 + 1e-9));
            assertThat(there).isLessThan(leastCost / 10);
            assertThat(knee.bytes()).isLessThan(plan.storeAllBytes() / 4);
            assertThatThrownBy(() -> all.within(Budget.bytes(least - 1)).plan(x))
                    .hasMessageContaining(
                            "the least that works is %s, at %s times the time of keeping everything"
                                    .formatted(Budget.show(least), times(leastCost, plan)))
                    .hasMessageContaining(
                            "; with %s it is %s"
                                    .formatted(
                                            Budget.show(knee.bytes()), times(knee.cost(), plan)));
        }
    }

    private static String times(double cost, Plan plan) {
        return String.format(Locale.ROOT, "%.3g", cost / plan.storeAllCost());
    }

    /**
     * The bytes of values of the forward half that are there when all of it has been computed once,
     * and that the backward half reads as they are: counted step by step.
     */
    private static long kept(Schedule schedule) {
        var steps = schedule.steps();
        int first = 0;
        var begun = new HashSet<Node>();
        for (int i = 0; i < steps.size(); i++)
            if (steps.get(i) instanceof Step.Compute(Node n, _) && !n.reverse() && begun.add(n))
                first = i + 1;
        Set<Value> there = new HashSet<>();
        for (int i = 0; i < first; i++) {
            switch (steps.get(i)) {
                case Step.Compute(var node, var reuses) -> {
                    reuses.forEach(r -> there.remove(r.from()));
                    there.addAll(node.outputs());
                }
                case Step.Free(var v) -> there.remove(v);
                case Step.Invert _, Step.Offload _, Step.Fetch _ ->
                        throw new AssertionError(steps.get(i).toString());
            }
        }
        long sum = 0;
        var seen = new HashSet<Value>();
        for (var step : steps.subList(first, steps.size())) {
            if (!(step instanceof Step.Compute(var node, _))) continue;
            for (Value v : node.inputs())
                if (node.reverse() && there.contains(v) && seen.add(v))
                    sum += schedule.problem().bytes(v);
            there.removeAll(node.outputs());
        }
        return sum;
    }

    private static long keptOf(Plan plan) {
        return kept(plan.schedule());
    }

    @TestFactory
    Stream<DynamicTest> aShareOfTheSavedIsKeptToWithLoops() {
        return Stream.of("repeat", "scan", "scan in a scan", "while", "beside other values")
                .map(name -> DynamicTest.dynamicTest(name, () -> saves(programs().get(name))));
    }

    private static void saves(Fn<Tensor, Tensor> f) {
        var x = noise(1, WIDTH);
        try (var all = Ebb.compile(Ebb.valueAndGrad(f)).within(Budget.ofSaved(1))) {
            long saved = keptOf(all.plan(x));
            assertThat(saved).isPositive();
            var expected = all.apply(x);
            for (double share : new double[] {0, 0.3, 0.6}) {
                try (var less = all.within(Budget.ofSaved(share))) {
                    assertThat(keptOf(less.plan(x)))
                            .as("share %s of %s", share, saved)
                            .isLessThanOrEqualTo((long) (saved * share));
                    var found = less.apply(x);
                    assertThat(found.grad().sameBits((Array) expected.grad())).isTrue();
                }
            }
        }
    }

    @Test
    void aShareOfTheSavedIsKeptToBesideADisk(@TempDir Path folder) {
        Fn<Tensor, Tensor> f =
                x -> {
                    var y = x;
                    for (int i = 0; i < 6; i++) y = y.matmul(x).tanh();
                    return y.square().sum();
                };
        var x = noise(1, WIDTH, WIDTH);
        var fast = new Speed(1e12, 1e12, 0);
        try (var all = Ebb.compile(Ebb.valueAndGrad(f)).within(Budget.ofSaved(1))) {
            long saved = keptOf(all.plan(x));
            for (double share : new double[] {0, 0.4}) {
                var budget = Budget.ofSaved(share).with(new Disk(folder, 16L << 20, fast));
                try (var less = all.within(budget)) {
                    assertThat(keptOf(less.plan(x))).isLessThanOrEqualTo((long) (saved * share));
                    var found = (Array) less.apply(x).grad();
                    assertThat(found.sameBits((Array) all.apply(x).grad())).isTrue();
                }
            }
        }
    }
}
