package dev.ebb.plan.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.ir.Value;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Curve;
import dev.ebb.plan.Plan;
import dev.ebb.plan.schedule.Binding;
import dev.ebb.plan.schedule.Host;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Schedule;
import dev.ebb.plan.schedule.Speed;
import dev.ebb.plan.schedule.Step;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** How long plans take that move values out of the arena and back beside the computation. */
class TransferTimesTest {
    private static final Place HOST =
            new Host(Host.Kind.PINNED, 1L << 40, new Speed(20_000, 20_000, 0.01));

    private static Problem step() {
        return Toy.transformerStep(4, 1024, 512);
    }

    /** The bytes of all states. */
    private static long states(Problem problem) {
        long sum = 0;
        for (int p = 0; p < problem.bindings().size(); p++) {
            if (problem.bindings().get(p) instanceof Binding.Replaced)
                sum += problem.bytes(problem.graph().params().get(p));
        }
        return sum;
    }

    /** The time of what takes longest by itself: the computation or the transfers of a lane. */
    private static double busiest(Plan plan) {
        double computing = 0;
        double out = 0;
        double in = 0;
        boolean oneLane = false;
        var problem = plan.schedule().problem();
        for (var step : plan.schedule().steps()) {
            switch (step) {
                case Step.Work work -> computing += Toy.COST.of(work.node());
                case Step.Free _ -> {}
                case Step.Offload(var v, var place) -> out += place.toWrite(problem.bytes(v));
                case Step.Fetch(var v, var place) -> {
                    in += place.toRead(problem.bytes(v));
                    oneLane = !place.isTwoWay();
                }
            }
        }
        return Math.max(computing, oneLane ? out + in : Math.max(out, in));
    }

    @Test
    void aTrainingStepInHalfOfItsLeastBudgetTakesLittleLongerThanItsBusiestLane() {
        var problem = step();
        var alone = new Curve(problem, Toy.COST, Curve.Measure.ARENA);
        long half = alone.leastBytes() / 2;
        double rate = states(problem) / (0.3 * alone.storeAllCost());
        for (var kind : Host.Kind.values()) {
            Place place = new Host(kind, 1L << 40, new Speed(rate, rate, 0));
            var curve = new Curve(problem.with(List.of(place)), Toy.COST, Curve.Measure.ARENA);
            var plan = curve.at(Budget.bytes(half));
            assertThat(plan.layout().arenaBytes()).isLessThanOrEqualTo(half);
            assertThat(plan.cost()).as("%s", kind).isLessThan(1.15 * busiest(plan));
        }
    }

    /** Where the gradients can be offloaded, a state need not be in memory with them. */
    @Test
    void statesAreUpdatedLateWhereThatTakesLessMemory() {
        var toy = new Toy();
        var x = toy.map("in", 2048, toy.input(2048));
        for (int l = 0; l < 4; l++)
            x = toy.map("tanh", 2048, toy.product(4, 2048, x, toy.weight(2048)));
        var problem = toy.train(toy.emit("loss", 1, 1, Set.of(), false, x)).with(List.of(HOST));
        var curve = new Curve(problem, Toy.COST, Curve.Measure.ARENA);
        // the two operands of a product, its result and one value more
        assertThat(curve.leastBytes()).isLessThan(4 * 4 * 2048 + 128);
    }

    @Test
    void moreMemoryNeverCostsTime() {
        var problem = Toy.transformerStep(2, 256, 64).with(List.of(HOST));
        var curve = new Curve(problem, Toy.COST, Curve.Measure.ARENA);
        long most = curve.storeAllBytes();
        long least = curve.leastBytes();
        double last = Double.POSITIVE_INFINITY;
        for (int k = 0; k <= 10; k++) {
            var plan = curve.at(Budget.bytes(least + (most - least) * k / 10));
            assertThat(plan.cost()).isLessThanOrEqualTo(last);
            last = plan.cost();
        }
    }

    @Test
    void aStateIsNotFetchedOnceItsNextVersionHasTakenItsBytes() {
        var toy = new Toy();
        var w = toy.weight(2048);
        var loss = toy.emit("loss", 1, 1, Set.of(), false, toy.map("square", 2048, w));
        var problem = toy.train(loss).with(List.of(HOST));
        Value next = problem.graph().results().get(1);
        var steps = new ArrayList<Step>();
        steps.add(new Step.Fetch(w, HOST));
        for (var node : problem.graph().nodes()) steps.add(new Step.Compute(node));
        steps.add(new Step.Free(w));
        steps.add(new Step.Offload(next, HOST));
        new Schedule(problem, steps);
        steps.add(new Step.Fetch(w, HOST));
        assertThatThrownBy(() -> new Schedule(problem, steps))
                .hasMessageContaining("is fetched after its next version");
    }
}
