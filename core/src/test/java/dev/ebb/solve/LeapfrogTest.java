package dev.ebb.solve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Compiled;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.Reversible;
import dev.ebb.Tape;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.plan.Binomial;
import dev.ebb.plan.Budget;
import dev.ebb.plan.StoreAll;
import dev.ebb.solve.Leapfrog.State;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.grid.Grid;

import org.junit.jupiter.api.Test;

class LeapfrogTest {
    private static final Grid GRID = new Grid(44);

    /** Three bodies in the plane, of masses 3, 4 and 5, that do not come too close. */
    private static final State BODIES =
            new State(
                    Array.of(Shape.of(3, 2), 1.0, 3, -2, -1, 1, -1),
                    Array.of(Shape.of(3, 2), 0.4, -0.1, 0.1, 0.5, -0.3, -0.4));

    static Tensor gravity(Tensor x) {
        var masses = Array.of(Shape.of(1, 3, 1), 3.0, 4, 5);
        var apart = x.reshape(1, 3, 2).sub(x.reshape(3, 1, 2));
        var distance = apart.square().sum(java.util.List.of(2), true).add(0.05);
        return apart.mul(masses)
                .div(distance.mul(distance.sqrt()))
                .sum(java.util.List.of(1), false);
    }

    private static Tensor distance(State s) {
        return s.place().square().sum().add(s.velocity().sum());
    }

    private static Fn<State, Ebb.ValueAndGrad<State>> gradient(int steps) {
        return Ebb.valueAndGrad(
                (State s) ->
                        distance(
                                new Leapfrog(steps, GRID)
                                        .solve(LeapfrogTest::gravity, s, steps * 1e-3)));
    }

    private static void sameBits(Ebb.ValueAndGrad<State> a, Ebb.ValueAndGrad<State> b) {
        assertThat(a.value().sameBits((Array) b.value())).isTrue();
        assertThat(a.grad().place().sameBits((Array) b.grad().place())).isTrue();
        assertThat(a.grad().velocity().sameBits((Array) b.grad().velocity())).isTrue();
    }

    private static Compiled<State, Ebb.ValueAndGrad<State>> inLeast(int steps) {
        return Ebb.compile(gradient(steps)).within(Budget.bytes(6000));
    }

    @Test
    void aPendulumSwingsAsItShould() {
        var once =
                new Leapfrog(2000, GRID)
                        .solve(x -> x.neg(), new State(Array.of(1.0), Array.of(0.0)), 2 * Math.PI);
        assertThat(((Array) once.place()).data().get(0)).isCloseTo(1, within(1e-5));
        assertThat(((Array) once.velocity()).data().get(0)).isCloseTo(0, within(1e-5));
    }

    @Test
    void everyStepIsTakenBack() {
        var frog = new Leapfrog(500, GRID);
        Fn<State, State> thereAndBack =
                s -> {
                    var end = frog.solve(LeapfrogTest::gravity, s, 5);
                    return Loop.repeat(500, end, e -> frog.back(LeapfrogTest::gravity, e, 0.01));
                };
        var back = Ebb.compile(thereAndBack).apply(BODIES);
        assertThat(back.place().sameBits((Array) GRID.enter(BODIES.place()))).isTrue();
        assertThat(back.velocity().sameBits((Array) GRID.enter(BODIES.velocity()))).isTrue();
    }

    /** Undone, stored and checkpointed, and as a loop that does not know how to undo. */
    @Test
    void theGradientHasTheBitsOfEveryOtherWay() {
        int steps = 300;
        var undone = inLeast(steps);
        var found = undone.apply(BODIES);
        assertThat(undone.report().measuredBytes()).isLessThanOrEqualTo(6000);
        assertThat(undone.plan(BODIES).schedule().problem().graph().nodes())
                .anyMatch(n -> n.op().name().equals("scan(300, reverse) undoing"));
        sameBits(found, Ebb.compile(gradient(steps)).with(new StoreAll()).apply(BODIES));
        sameBits(found, Ebb.compile(gradient(steps)).with(new Binomial(7)).apply(BODIES));
        Fn<State, Tensor> plain =
                s -> {
                    var frog = new Leapfrog(steps, GRID);
                    var start = new State(GRID.enter(s.place()), GRID.enter(s.velocity()));
                    return distance(
                            Loop.repeat(
                                    steps, start, x -> frog.step(LeapfrogTest::gravity, x, 1e-3)));
                };
        sameBits(found, Ebb.compile(Ebb.valueAndGrad(plain)).with(new Binomial(5)).apply(BODIES));
        sameBits(found, undone.verify(BODIES));
    }

    @Test
    void memoryDoesNotGrowWithTheSteps() {
        long few = inLeast(100).plan(BODIES).layout().arenaBytes();
        long many = inLeast(1_000_000).plan(BODIES).layout().arenaBytes();
        assertThat(many).isEqualTo(few).isLessThanOrEqualTo(6000);
    }

    @Test
    void theGradientIsThatOfSmallSteps() {
        Fn<Tensor, Tensor> end =
                x ->
                        distance(
                                new Leapfrog(200, GRID)
                                        .solve(
                                                LeapfrogTest::gravity,
                                                new State(x, BODIES.velocity()),
                                                2));
        var gradient = (Array) Ebb.grad(end).apply(BODIES.place());
        var data = BODIES.place().toDoubles();
        for (int i = 0; i < data.length; i++) {
            var up = data.clone();
            var down = data.clone();
            up[i] += 1e-4;
            down[i] -= 1e-4;
            double slope =
                    (end.apply(Array.of(Shape.of(3, 2), up)).item()
                                    - end.apply(Array.of(Shape.of(3, 2), down)).item())
                            / 2e-4;
            assertThat(gradient.data().get(i))
                    .isCloseTo(slope, within(1e-5 * Math.abs(slope) + 1e-5));
        }
    }

    @Test
    void onATape() {
        try (var tape = new Tape(Budget.mebibytes(16))) {
            var x = tape.watch(BODIES.place());
            var end =
                    new Leapfrog(50, GRID)
                            .solve(
                                    LeapfrogTest::gravity,
                                    new State(x, tape.watch(BODIES.velocity())),
                                    0.05);
            var found = tape.array(tape.gradient(distance(end), x));
            var expected = Ebb.compile(gradient(50)).apply(BODIES).grad().place();
            assertThat(found.sameBits((Array) expected)).isTrue();
        }
    }

    @Test
    void aSecondDerivativeToo() {
        Fn<Tensor, Tensor> end =
                x ->
                        new Leapfrog(20, new Grid(30))
                                .solve(q -> q.sin().neg(), new State(x, x.mul(0)), 1)
                                .place()
                                .square()
                                .sum();
        var x = Array.of(0.5, 1.2);
        Fn<Tensor, Tensor> hvp = t -> Ebb.hvp(end).apply(t, Array.of(1.0, 1.0));
        var stored = (Array) Ebb.compile(hvp).apply(x);
        var tight = Ebb.compile(hvp).within(Budget.share(0.5));
        assertThat(tight.apply(x).sameBits(stored)).isTrue();
    }

    @Test
    void anInverseThatIsNoneIsFoundOut() {
        Fn<State, State> turn =
                s -> {
                    var place = s.place().add(s.velocity().sin());
                    return new State(place, s.velocity().add(place.cos()));
                };
        Fn<State, State> nearlyBack =
                s -> {
                    var velocity = s.velocity().sub(s.place().cos());
                    return new State(s.place().sub(velocity.sin()), velocity);
                };
        Fn<State, Tensor> f =
                s ->
                        distance(
                                Ebb.region(
                                        "spiral",
                                        () -> Reversible.repeat(1000, s, turn, nearlyBack)));
        var compiled = Ebb.compile(Ebb.grad(f)).within(Budget.bytes(4000));
        assertThatThrownBy(() -> compiled.apply(BODIES))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the inverse of scan(1000) in spiral did not restore")
                .hasMessageContaining("carry 0");
        // with memory enough nothing is undone
        assertThat(((Array) Ebb.compile(Ebb.grad(f)).apply(BODIES).place()).data().get(0))
                .isNotNaN();
    }

    @Test
    void wrongInputsAreNamed() {
        assertThatThrownBy(() -> new Leapfrog(0, GRID)).hasMessageContaining("at least one step");
        var x = Array.of(1.0, 2);
        assertThatThrownBy(() -> Reversible.repeat(3, (Tensor) x, c -> c, c -> c.sum()))
                .isInstanceOf(ShapeException.class)
                .hasMessageContaining("must return the types that the body takes");
    }
}
