package dev.ebb.plan.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.plan.Budget;
import dev.ebb.plan.Curve;
import dev.ebb.plan.Fit;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.Plan;
import dev.ebb.plan.cache.SearchCache;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.reference.Checker;
import dev.ebb.reference.ProcessorTime;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class FitTest {

    /** As that of a cache of keys and values, which later ops read. */
    @Test
    void aStateThatIsReadAfterItsUpdateCountsOnceInLowerBounds() {
        var toy = new Toy();
        var state = toy.weight(1024);
        var updated = toy.map("update", 1024, state, toy.input(16));
        var result = toy.product(1, 16, updated);
        var model = new SearchModel(toy.updating(state, updated, result), Toy.COST);
        var plain = new Ordering(model).plain();
        long peak = Member.of(model, plain).peak();
        assertThat(peak).isEqualTo(4 * (1024 + 16 + 16));
        assertThat(LowerBounds.peak(model)).isEqualTo(peak);
        assertThat(LowerBounds.extra(model, peak, plain)).isZero();
    }

    @Test
    void everyBudgetHolds() {
        for (var problem :
                List.of(Toy.transformerStep(4, 256, 64), Toy.unet(4, 4096), Toy.mlp(12, 1024))) {
            var curve = new Curve(problem, Toy.COST, Curve.Measure.ARENA);
            long most = curve.storeAllBytes();
            long least = curve.leastBytes();
            double last = 0;
            for (int k = 0; k <= 10; k++) {
                long bytes = most - (most - least) * k / 10;
                var plan = curve.at(Budget.bytes(bytes));
                var verdict = Checker.checkSizes(plan.layout(), Toy.COST);
                assertThat(plan.layout().arenaBytes()).isLessThanOrEqualTo(bytes);
                assertThat(verdict.peak()).isLessThanOrEqualTo(plan.peakBytes());
                assertThat(verdict.peak()).isEqualTo(plan.schedule().footprint().peakBytes());
                assertThat(verdict.cost()).isEqualTo(plan.cost());
                assertThat(plan.cost())
                        .isGreaterThanOrEqualTo(last)
                        .isGreaterThanOrEqualTo(plan.lowerBound() - 1e-9);
                last = plan.cost();
            }
            assertThat(least).isLessThan(most * 3 / 4);
        }
    }

    @Test
    void sameQuestionSameAnswer() {
        var problem = Toy.transformerStep(3, 256, 64);
        var first = new Fit(Budget.share(0.6)).plan(problem, Toy.COST);
        var second = new Fit(Budget.share(0.6)).plan(Toy.transformerStep(3, 256, 64), Toy.COST);
        assertThat(second.steps()).hasToString(first.steps().toString());
    }

    @Test
    void tooSmallIsRefusedWithTheLeastThatWorks() {
        var problem = Toy.unet(3, 1024);
        assertThatThrownBy(() -> new Fit(Budget.bytes(4096)).plan(problem, Toy.COST))
                .isInstanceOfSatisfying(
                        OverBudgetException.class,
                        e -> {
                            assertThat(e)
                                    .hasMessageContaining("4096 bytes")
                                    .hasMessageContaining("reads");
                            var plan =
                                    new Fit(Budget.bytes(e.leastBytes())).decide(problem, Toy.COST);
                            assertThat(plan.peakBytes()).isEqualTo(e.leastBytes());
                            assertThatThrownBy(
                                            () ->
                                                    new Fit(Budget.bytes(e.leastBytes() - 1))
                                                            .plan(problem, Toy.COST))
                                    .isInstanceOf(OverBudgetException.class);
                        });
    }

    /** It takes about a second. */
    @Test
    void fiveThousandNodesInTime() {
        var problem = Toy.transformerStep(115, 256, 64);
        assertThat(problem.graph().nodes().size()).isBetween(4500, 6000);
        for (double share : new double[] {0.9, 0.5}) {
            var plan = decidedSoon(problem, share);
            Checker.checkSizes(plan.layout(), Toy.COST);
            assertThat(plan.gap()).isLessThan(0.01);
        }
    }

    /** An answer does not hang on what was asked before, and the curve never rises with memory. */
    @Test
    void askedInAnyOrder() {
        var problem = Toy.transformerStep(3, 256, 64);
        var down = new Curve(problem, Toy.COST, Curve.Measure.ARENA);
        var up = new Curve(problem, Toy.COST, Curve.Measure.ARENA);
        long most = down.storeAllBytes();
        long least = up.leastBytes();
        var descending = new ArrayList<String>();
        var ascending = new ArrayList<String>();
        for (int k = 0; k <= 20; k++) {
            long bytes = most - (most - least) * k / 20;
            descending.add(down.at(Budget.bytes(bytes)).schedule().steps().toString());
            long other = most - (most - least) * (20 - k) / 20;
            ascending.add(up.at(Budget.bytes(other)).schedule().steps().toString());
            if (k % 7 > 0) continue;
            var alone = new Fit(Budget.bytes(bytes)).plan(problem, Toy.COST);
            assertThat(alone.steps()).hasToString(descending.getLast());
        }
        assertThat(ascending.reversed()).isEqualTo(descending);
        double cost = 0;
        long bytes = Long.MAX_VALUE;
        for (var point : down.points()) {
            assertThat(point.cost()).isGreaterThanOrEqualTo(cost);
            assertThat(point.bytes()).isLessThan(bytes);
            assertThat(down.at(Budget.bytes(point.bytes())).cost()).isEqualTo(point.cost());
            cost = point.cost();
            bytes = point.bytes();
        }
    }

    /** The family grows as far down as it is asked, and what comes later is never cheaper. */
    @Test
    void generationsGetDearer() {
        var model = new SearchModel(Toy.transformerStep(4, 256, 64), Toy.COST);
        var frontier = new Frontier(model, List.of(), SearchEffort.FULL, SearchCache.NONE);
        int generations = 1;
        double dearest = frontier.members(1).getLast().extra();
        while (frontier.grow()) {
            assertThat(frontier.size()).isEqualTo(++generations);
            var all = frontier.members(generations);
            for (var member : all.subList(frontier.members(generations - 1).size(), all.size()))
                assertThat(member.extra()).isGreaterThanOrEqualTo(dearest);
            assertThat(all.subList(0, frontier.members(generations - 1).size()))
                    .isEqualTo(frontier.members(generations - 1));
            dearest = all.getLast().extra();
        }
        assertThat(generations).isGreaterThan(3);
    }

    /** The layers of a network are recognised as alike, save a few nodes at its ends. */
    @Test
    void repeatedLayersAreRecognised() {
        var model = new SearchModel(Toy.transformerStep(24, 256, 64), Toy.COST);
        var alike = new RepeatedNodes(model);
        int repeated = 0;
        for (int u = 0; u < model.nodes.size(); u++) if (alike.of(u).length >= 20) repeated++;
        assertThat(repeated).isGreaterThan(model.nodes.size() * 9 / 10);
        var chain = new RepeatedNodes(new SearchModel(Toy.unet(5, 1 << 14), Toy.COST));
        assertThat(chain.of(0)).as("nothing is like the first of a U-Net").hasSize(1);
    }

    /** Layers are decided together, so many take little longer than few, for plans as good. */
    @Test
    void manyLayersTakeLittleLongerThanFew() {
        var few = Toy.transformerStep(12, 256, 64);
        var many = Toy.transformerStep(96, 256, 64);
        var small = decidedSoon(few, 0.5);
        var large = decidedSoon(many, 0.5);
        assertThat(large.cost() / large.curve().storeAllCost())
                .isLessThan(1.01 * small.cost() / small.curve().storeAllCost());
    }

    private static Plan decidedSoon(Problem problem, double share) {
        var plans = new ArrayList<Plan>();
        var planner = new Fit(Budget.share(share));
        assertThat(ProcessorTime.seconds(() -> plans.add(planner.decide(problem, Toy.COST))))
                .isLessThan(10);
        return plans.getFirst();
    }
}
