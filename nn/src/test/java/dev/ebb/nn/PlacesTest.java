package dev.ebb.nn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.Next;
import dev.ebb.Tensorwise;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Shape;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.optim.LearningRateSchedule;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.nn.optim.Sgd;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Curve;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.Plan;
import dev.ebb.plan.TradeOff;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Host;
import dev.ebb.plan.schedule.Place;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** A GPT in several places at once: the arena, pools of host memory and a disk. */
class PlacesTest {
    @TempDir Path folder;

    private static final Array TOKENS = tokens();

    private static final Fn<Gpt2, Ebb.ValueAndGrad<Gpt2>> GRADIENT =
            m -> Ebb.valueAndGrad((Gpt2 g) -> g.loss(TOKENS, TOKENS)).apply(m);

    private static Array tokens() {
        var tokens = new long[2 * 32];
        for (int i = 0; i < tokens.length; i++) tokens[i] = i * 7919L % 64;
        return Array.of(Shape.of(2, 32), tokens);
    }

    @Test
    void eachPlaceKeepsItsPromise() {
        var model = Gpt2.of(Gpt2.Config.of(64, 32, 32, 1, 2), new Seed(1));
        var host = Host.memory(32 << 10);
        var disk = Disk.in(folder, 8 << 20);
        try (var cpu = new Cpu(1);
                var all = Ebb.compile(GRADIENT).on(cpu)) {
            var expected = Tensorwise.list(all.apply(model));
            var three = all.within(new Budget.WithPlaces(Budget.unlimited(), List.of(host, disk)));
            var memory = Budget.bytes(three.plan(model).leastBytes());
            try (var away = Ebb.compile(GRADIENT).within(memory.with(host).with(disk)).on(cpu)) {
                var found = Tensorwise.list(away.apply(model));
                for (int i = 0; i < expected.size(); i++) {
                    var e = ((Array) expected.get(i)).data().segment();
                    var r = ((Array) found.get(i)).data().segment();
                    assertThat(r.mismatch(e)).isEqualTo(-1);
                }
                var report = away.report();
                assertThat(report.measuredBytes())
                        .isEqualTo(report.promisedBytes())
                        .isLessThanOrEqualTo(memory.resolve(0));
                for (var there : report.places())
                    assertThat(there.measuredBytes())
                            .isEqualTo(there.promisedBytes())
                            .isPositive()
                            .isLessThanOrEqualTo(there.place().bytes());
            }
        }
    }

    private record State(Gpt2 model, Optimizer.State<Gpt2> optimizer) {}

    /** Shares of what keeping everything takes, down to those that only the disk allows. */
    private static final double[] SHARES = {0.8, 0.6};

    /** In each of these budgets all places together cost no more than any selection of them. */
    private void assertNeverSlower(ToDoubleFunction<Budget> cost) {
        var places =
                List.of(Host.pinned(16 << 10), Host.memory(32 << 10), Disk.in(folder, 8 << 20));
        double less = 0;
        for (double share : SHARES) {
            var costs = new ArrayList<Double>();
            for (int some = 0; some < 1 << places.size(); some++) {
                var selected = new ArrayList<Place>();
                for (int k = 0; k < places.size(); k++)
                    if ((some >> k & 1) == 1) selected.add(places.get(k));
                var budget = new Budget.WithPlaces(Budget.share(share), selected);
                costs.add(cost.applyAsDouble(budget));
            }
            assertLastIsLeast(share, costs);
            assertThat(costs.getLast()).isFinite().isGreaterThanOrEqualTo(less);
            less = costs.getLast();
        }
    }

    /** At every corner of every curve two places together cost no more than one or none. */
    private void assertNeverAbove(Function<Budget, TradeOff> curve) {
        var pinned = Host.pinned(16 << 10);
        var host = Host.memory(32 << 10);
        var selections =
                List.<List<Place>>of(
                        List.of(), List.of(pinned), List.of(host), List.of(pinned, host));
        var curves =
                selections.stream()
                        .map(p -> curve.apply(new Budget.WithPlaces(Budget.unlimited(), p)))
                        .toList();
        var budgets = new TreeSet<Long>();
        for (var some : curves) some.points().forEach(p -> budgets.add(p.bytes()));
        assertThat(budgets).hasSizeGreaterThan(20);
        for (long bytes : budgets) {
            var costs = new ArrayList<Double>();
            for (var some : curves) {
                var points = some.lines().getLast().at(bytes);
                costs.add(points.map(Curve.Point::cost).orElse(Double.POSITIVE_INFINITY));
            }
            assertLastIsLeast(bytes, costs);
        }
    }

    private static void assertLastIsLeast(double budget, List<Double> costs) {
        for (double fewer : costs)
            assertThat(costs.getLast()).as("in %s: %s", budget, costs).isLessThanOrEqualTo(fewer);
    }

    private static double cost(Supplier<Plan> planning) {
        try {
            return planning.get().cost();
        } catch (OverBudgetException e) {
            return Double.POSITIVE_INFINITY;
        }
    }

    @Test
    void noSelectionOfThreePlacesIsFasterThanAllOfThemForATrainingStep() {
        var model = Gpt2.of(Gpt2.Config.of(64, 32, 32, 1, 2), new Seed(1));
        // one slot a weight: states to move, and fewer values to plan for than with two
        var optimizer = new Sgd(LearningRateSchedule.constant(0.001), 0.9);
        var state = new State(model, optimizer.start(model));
        Fn2<State, Tensor, Next<State, Tensor>> step =
                (s, tokens) -> {
                    var slope =
                            Ebb.valueAndGrad((Gpt2 m) -> m.loss(tokens, tokens)).apply(s.model());
                    var next = optimizer.update(s.model(), slope.grad(), s.optimizer());
                    return new Next<>(new State(next.params(), next.state()), slope.value());
                };
        try (var cpu = new Cpu(1)) {
            var all = Ebb.stepper(step).on(cpu);
            assertNeverAbove(budget -> all.within(budget).curve(state, TOKENS));
            assertNeverSlower(budget -> cost(() -> all.within(budget).plan(state, TOKENS)));
        }
    }
}
