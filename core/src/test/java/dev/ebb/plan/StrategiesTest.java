package dev.ebb.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.ir.Trait;
import dev.ebb.plan.loop.Revolve;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Schedule;
import dev.ebb.plan.schedule.Step;
import dev.ebb.plan.search.Toy;
import dev.ebb.reference.Checker;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;

class StrategiesTest {

    @Test
    void allAreValidOnAllGraphs() {
        var planners =
                List.<Planner>of(
                        new StoreAll(),
                        new RecomputeAll(),
                        new Every(1),
                        new Every(3),
                        Segments.sqrt(),
                        Segments.of(2),
                        new Binomial(1),
                        new Binomial(3),
                        new Keep(Policy.ops("product").or(Policy.atMost(4))),
                        new KeepExpensive(),
                        new SavedShare(0.5),
                        PerRegion.of(new StoreAll())
                                .in("block 1", new RecomputeAll())
                                .in("down 0", new KeepExpensive()));
        for (var problem :
                List.of(Toy.transformerStep(4, 64, 64), Toy.unet(3, 1024), Toy.mlp(9, 256))) {
            for (Planner planner : planners) {
                var plan = planner.decide(problem, Toy.COST);
                var verdict = Checker.checkSizes(plan.layout(), Toy.COST);
                assertThat(verdict.cost())
                        .as("%s", planner)
                        .isGreaterThanOrEqualTo(plan.curve().storeAllCost() - 1e-9);
            }
        }
    }

    @Test
    void storeAllComputesOnce() {
        assertThat(new StoreAll().plan(Toy.mlp(9, 256), Toy.COST).footprint().recomputed())
                .isZero();
    }

    @Test
    void lessKeptIsLessMemory() {
        var problem = Toy.mlp(16, 1 << 16);
        long all = peak(new StoreAll(), problem);
        assertThat(peak(new Every(1), problem)).isLessThan(all * 7 / 10);
        assertThat(peak(Segments.sqrt(), problem)).isLessThan(all * 6 / 10);
        assertThat(peak(new RecomputeAll(), problem)).isLessThan(all * 4 / 10);
        assertThat(peak(new KeepExpensive(), problem)).isLessThan(all);
    }

    private static long peak(Planner planner, Problem problem) {
        return planner.plan(problem, Toy.COST).footprint().peakBytes();
    }

    /**
     * Every region is one step of a chain; the last one is not run ahead of, since its tape comes
     * first.
     */
    @Test
    void binomialFollowsTheFormula() {
        for (int layers : new int[] {4, 9, 16}) {
            for (int slots = 1; slots < layers; slots++) {
                var schedule = new Binomial(slots).plan(Toy.mlp(layers, 1024), Toy.COST);
                long products = count(schedule, "product");
                assertThat(products)
                        .as("%s layers, %s slots", layers, slots)
                        .isLessThanOrEqualTo(Revolve.forwards(layers, slots));
            }
        }
    }

    /**
     * PyTorch's published case: five equal products, each followed by a cheap function; ten values
     * are saved.
     */
    @Test
    void budgetOfSavedActivationsKeepsAsManyProducts() {
        var problem = Toy.mlp(5, 512);
        for (int k = 0; k <= 5; k++) {
            var schedule = new SavedShare(k / 10.0).plan(problem, Toy.COST);
            assertThat(count(schedule, "product")).as("budget %s/10", k).isEqualTo(5 + 5 - k);
        }
    }

    private static long count(Schedule schedule, String op) {
        return schedule.steps().stream()
                .filter(s -> s instanceof Step.Compute(var node, _) && node.op().name().equals(op))
                .count();
    }

    @Test
    void regionsDecideForThemselves() {
        var problem = Toy.mlp(6, 256);
        var mixed = PerRegion.of(new StoreAll()).in("layer 3", new RecomputeAll());
        var schedule = mixed.plan(problem, Toy.COST);
        var recomputed =
                schedule.steps().stream()
                        .filter(Step.Compute.class::isInstance)
                        .map(s -> ((Step.Compute) s).node())
                        .filter(n -> !n.reverse())
                        .collect(
                                java.util.stream.Collectors.groupingBy(
                                        n -> n.region().toString(),
                                        java.util.TreeMap::new,
                                        java.util.stream.Collectors.counting()));
        assertThat(recomputed.get("layer 3")).isEqualTo(4);
        assertThat(recomputed.get("layer 2")).isEqualTo(2);
    }

    @Test
    void whatMayRunOnceRunsOnce() {
        var toy = new Toy();
        var x = toy.map("in", 4096, toy.input(4096));
        for (int l = 0; l < 8; l++) {
            toy.region("layer " + l);
            var y = toy.product(10, 4096, x, toy.weight(16));
            var trait = l % 2 == 0 ? Trait.NONDETERMINISTIC : Trait.EFFECT;
            x = toy.map("mul", 4096, y, toy.emit("noise", 1, 4096, Set.of(trait), false, y));
        }
        toy.region();
        var problem = toy.gradient(toy.emit("loss", 1, 1, Set.of(), false, x));
        for (Planner p :
                List.of(
                        new RecomputeAll(),
                        new Every(2),
                        new Binomial(2),
                        new Fit(Budget.share(0.8)))) {
            Checker.checkSizes(p.decide(problem, Toy.COST).layout(), Toy.COST);
        }
    }

    @Test
    void expensiveIsComputedAgainOnlyIfNothingElseFits() {
        var toy = new Toy();
        var x = toy.map("in", 4096, toy.input(4096));
        for (int l = 0; l < 6; l++) {
            toy.region("layer " + l);
            var y = toy.emit("factor", 1, 4096, Set.of(Trait.EXPENSIVE), false, x, toy.weight(16));
            x = toy.product(5, 4096, y, toy.weight(16));
        }
        toy.region();
        var problem = toy.gradient(toy.emit("loss", 1, 1, Set.of(), false, x));
        var schedule = new Fit(Budget.share(0.8)).plan(problem, Toy.COST);
        assertThat(schedule.footprint().recomputed()).isPositive();
        assertThat(count(schedule, "factor")).isEqualTo(6);
    }

    @Test
    void nonsenseIsRefused() {
        assertThatThrownBy(() -> new Every(0)).hasMessageContaining("at least 1");
        assertThatThrownBy(() -> new Binomial(0)).hasMessageContaining("slot");
        assertThatThrownBy(() -> Segments.of(0)).hasMessageContaining("segment");
        assertThatThrownBy(() -> new SavedShare(1.5)).hasMessageContaining("[0, 1]");
        assertThatThrownBy(() -> Budget.bytes(0)).hasMessageContaining("positive");
        assertThatThrownBy(() -> Budget.bytes(-5)).hasMessageContaining("-5");
        assertThatThrownBy(() -> Budget.gibibytes(1L << 40)).hasMessageContaining("overflows");
        assertThatThrownBy(() -> Budget.share(1.2)).hasMessageContaining("(0, 1]");
    }
}
