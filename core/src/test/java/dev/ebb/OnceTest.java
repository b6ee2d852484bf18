package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.plan.Binomial;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Every;
import dev.ebb.plan.Planner;
import dev.ebb.plan.RecomputeAll;
import dev.ebb.plan.Segments;
import dev.ebb.plan.StoreAll;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Effects and chance inside loops and branches happen once, whatever the strategy and the budget.
 */
class OnceTest {
    private static final AtomicInteger CALLS = new AtomicInteger();
    private static final int ITERATIONS = 7;

    @TempDir Path folder;

    /** Adds a number that depends on how often it has run. */
    private record Noise(Trait trait) implements Differentiable, Kernel.Library {
        @Override
        public List<Type> infer(List<Type> in) {
            return in;
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return this;
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, rule.dout(0));
        }

        @Override
        public Set<Trait> traits() {
            return Set.of(trait);
        }

        @Override
        public long workspaceBytes() {
            return 0;
        }

        @Override
        public void run(List<Buffer> in, List<Buffer> out, Buffer workspace) {
            double noise = 0.3 * Math.sin(CALLS.incrementAndGet());
            for (long i = 0; i < in.getFirst().size(); i++)
                out.getFirst().set(i, in.getFirst().get(i) + noise);
        }
    }

    private record Program(String name, int calls, Fn<Tensor, Tensor> loss) {}

    private static Tensor repeat(Tensor first, Fn<Tensor, Tensor> body) {
        return Loop.repeat(ITERATIONS, first, body);
    }

    private static Tensor positive(Tensor c) {
        return c.sum().gt(-1e9);
    }

    private static List<Program> programs(Trait trait) {
        var op = new Noise(trait);
        Fn<Tensor, Tensor> round = c -> c.mul(1.1).sin().apply(op).cos();
        return List.of(
                new Program("repeat", ITERATIONS, x -> repeat(x, c -> round.apply(c).mul(x))),
                new Program(
                        "scan",
                        3,
                        x ->
                                Loop.scan(
                                                x.sum(0),
                                                x,
                                                (Tensor c, Tensor s) -> {
                                                    var y = round.apply(c.mul(s));
                                                    return new Next<>(y, y.square());
                                                })
                                        .stacked()),
                new Program(
                        "while",
                        5,
                        x ->
                                Loop.whileTrue(
                                                9,
                                                List.of(x, x.sum().mul(0)),
                                                s -> s.getLast().lt(4.5),
                                                s ->
                                                        List.of(
                                                                round.apply(s.getFirst()).mul(x),
                                                                s.getLast().add(1)))
                                        .getFirst()),
                new Program(
                        "while's condition",
                        6,
                        x ->
                                Loop.whileTrue(
                                                9,
                                                List.of(x, x.sum().mul(0)),
                                                s ->
                                                        s.getLast()
                                                                .apply(op)
                                                                .mul(0)
                                                                .add(s.getLast())
                                                                .lt(4.5),
                                                s ->
                                                        List.of(
                                                                s.getFirst().sin().mul(x),
                                                                s.getLast().add(1)))
                                        .getFirst()),
                new Program(
                        "cond",
                        1,
                        x ->
                                Loop.cond(
                                        positive(x),
                                        () -> round.apply(x).mul(x),
                                        () -> round.apply(round.apply(x)))),
                new Program(
                        "cond in repeat",
                        ITERATIONS,
                        x ->
                                repeat(
                                        x,
                                        c ->
                                                Loop.cond(
                                                        positive(c),
                                                        () -> round.apply(c).mul(x),
                                                        () -> c.neg()))),
                new Program(
                        "repeat in repeat",
                        ITERATIONS * ITERATIONS,
                        x -> repeat(x, c -> repeat(c.mul(x), round).sin())),
                new Program(
                        "repeat in cond",
                        ITERATIONS,
                        x -> Loop.cond(positive(x), () -> repeat(x, round), () -> x)),
                new Program(
                        "while in repeat",
                        2 * ITERATIONS,
                        x ->
                                repeat(
                                        x,
                                        c ->
                                                Loop.whileTrue(
                                                                4,
                                                                List.of(c, c.sum().mul(0)),
                                                                s -> s.getLast().lt(1.5),
                                                                s ->
                                                                        List.of(
                                                                                round.apply(
                                                                                        s
                                                                                                .getFirst()),
                                                                                s.getLast().add(1)))
                                                        .getFirst())));
    }

    private static List<Planner> strategies() {
        return List.of(
                new StoreAll(),
                new RecomputeAll(),
                new Every(2),
                Segments.sqrt(),
                new Binomial(1),
                new Binomial(3));
    }

    private static final Array X =
            Array.of(
                    Shape.of(3, 4), new double[] {.1, .2, .3, .4, .5, .6, .7, .8, .9, 1, 1.1, 1.2});

    private static Fn<Tensor, Tensor> scalar(Program p) {
        return x -> p.loss().apply(x).square().sum();
    }

    private record Found(double value, double[] grad) {}

    private static Found run(Compiled<Tensor, Ebb.ValueAndGrad<Tensor>> f, int calls, String what) {
        CALLS.set(0);
        try (f) {
            var both = f.apply(X);
            assertThat(CALLS.get()).as("calls of %s", what).isEqualTo(calls);
            return new Found(both.value().item(), both.grad().toDoubles());
        }
    }

    private static Found run(Compiled<Tensor, Ebb.ValueAndGrad<Tensor>> f, Program p, String what) {
        return run(f, p.calls(), what);
    }

    private static void assertSame(Found found, Found expected, String what) {
        assertThat(found.value()).as(what).isEqualTo(expected.value());
        assertThat(found.grad()).as(what).isEqualTo(expected.grad());
    }

    @Test
    void underEveryStrategyAndBudget() {
        for (var trait : List.of(Trait.EFFECT, Trait.NONDETERMINISTIC)) {
            for (var p : programs(trait)) {
                var what = p.name() + " with " + trait;
                var f = Ebb.valueAndGrad(scalar(p));
                var kept = Ebb.compile(f).on(Devices.best());
                var expected = run(kept, p.calls(), what);
                assertRight(p, expected, what);
                for (var s : strategies()) {
                    var other = Ebb.compile(f).on(Devices.best()).with(s);
                    assertSame(run(other, p.calls(), what + ", " + s), expected, what + ", " + s);
                }
                var curve = Ebb.compile(f).on(Devices.best()).plan(X).curve();
                for (long bytes : List.of(curve.leastBytes(), curve.storeAllBytes() * 2 / 3)) {
                    var budget = Budget.bytes(Math.max(bytes, curve.leastBytes()));
                    var less = Ebb.compile(f).within(budget).on(Devices.best());
                    assertSame(run(less, p.calls(), what + ", " + budget), expected, what);
                    var disk = budget.with(Disk.in(folder, 1L << 20));
                    var hauled = Ebb.compile(f).within(disk).on(Devices.best());
                    assertSame(run(hauled, p.calls(), what + ", " + disk), expected, what);
                }
                assertSame(onTape(p), expected, what + " on a tape");
            }
        }
    }

    private static Found onTape(Program p) {
        CALLS.set(0);
        try (var tape = new Tape(Budget.mebibytes(1), Devices.best())) {
            var x = tape.watch((Tensor) X);
            var loss = scalar(p).apply(x);
            var grad = tape.array(tape.gradient(loss, x));
            assertThat(CALLS.get()).as("calls of %s on a tape", p.name()).isEqualTo(p.calls());
            return new Found(loss.item(), grad.toDoubles());
        }
    }

    /** By finite differences: the noise of a call depends on its number alone. */
    private static void assertRight(Program p, Found found, String what) {
        double h = 1e-5;
        for (int i = 0; i < X.type().size(); i += 5) {
            var at = new double[2];
            for (int side = 0; side < 2; side++) {
                var moved = X.toDoubles();
                moved[i] += side == 0 ? -h : h;
                CALLS.set(0);
                try (var f = Ebb.compile(scalar(p)).on(Devices.best())) {
                    at[side] = f.apply(Array.of(X.shape(), moved)).item();
                }
                assertThat(CALLS.get()).as("calls of %s alone", what).isEqualTo(p.calls());
            }
            assertThat(found.grad()[i]).as(what).isCloseTo((at[1] - at[0]) / (2 * h), within(1e-6));
        }
    }

    @Test
    void secondDerivativesRunNothingAgain() {
        for (var p : programs(Trait.NONDETERMINISTIC)) {
            Fn<Tensor, Tensor> norm = x -> Ebb.grad(scalar(p)).apply(x).mul(x.sin()).sum();
            var f = Ebb.grad(norm);
            var results = new ArrayList<double[]>();
            for (var s : List.of(new StoreAll(), new RecomputeAll())) {
                CALLS.set(0);
                try (var compiled = Ebb.compile(f).on(Devices.best()).with(s)) {
                    results.add(compiled.apply(X).toDoubles());
                    assertThat(CALLS.get()).as(p.name()).isEqualTo(p.calls());
                }
            }
            assertThat(results.getFirst()).as(p.name()).isEqualTo(results.getLast());
        }
    }

    private static List<Program> programsAndOneWithoutLoop(Trait trait) {
        var all = new ArrayList<>(programs(trait));
        all.add(new Program("no loop", 1, x -> x.sin().apply(new Noise(trait)).cos().mul(x)));
        return all;
    }

    /** Forward mode gives what one run gave, and the derivative along a direction at that run. */
    @Test
    void tangentsRunNothingAgain() {
        Tensor direction = X.cos().mul(0.7);
        for (var trait : List.of(Trait.EFFECT, Trait.NONDETERMINISTIC)) {
            for (var p : programsAndOneWithoutLoop(trait)) {
                var what = p.name() + " with " + trait;
                var expected =
                        run(Ebb.compile(Ebb.valueAndGrad(scalar(p))).on(Devices.best()), p, what);
                double slope = 0;
                for (int i = 0; i < expected.grad().length; i++)
                    slope += expected.grad()[i] * direction.toDoubles()[i];
                CALLS.set(0);
                Fn<Tensor, List<Tensor>> f =
                        x -> {
                            var both = Ebb.jvp(scalar(p)).apply(x, direction);
                            return List.of(both.value(), both.tangent());
                        };
                try (var forward = Ebb.compile(f).on(Devices.best())) {
                    var found = forward.apply(X);
                    assertThat(CALLS.get()).as("calls of %s", what).isEqualTo(p.calls());
                    assertThat(found.getFirst().item()).as(what).isEqualTo(expected.value());
                    assertThat(found.getLast().item()).as(what).isCloseTo(slope, within(1e-9));
                }
            }
        }
    }

    /** All rows, or columns, are of the one run. */
    @Test
    void jacobiansRunNothingAgain() {
        for (var trait : List.of(Trait.EFFECT, Trait.NONDETERMINISTIC)) {
            for (var p : programsAndOneWithoutLoop(trait)) {
                var what = p.name() + " with " + trait;
                var expected =
                        run(Ebb.compile(Ebb.valueAndGrad(scalar(p))).on(Devices.best()), p, what);
                Fn<Tensor, Tensor> twice =
                        x -> {
                            var y = scalar(p).apply(x);
                            return Tensors.concat(List.of(y.reshape(1), y.reshape(1).mul(3)), 0);
                        };
                var rows = jacobian(twice, p, what);
                // more results than arguments: by columns
                var columns = jacobian(x -> twice.apply(x).repeat(7, 0), p, what);
                for (int i = 0; i < expected.grad().length; i++) {
                    double g = expected.grad()[i];
                    double near = 1e-9 * Math.max(1, Math.abs(g));
                    assertThat(rows.get(0, i / 4, i % 4)).as(what).isCloseTo(g, within(near));
                    assertThat(rows.get(1, i / 4, i % 4)).as(what).isCloseTo(3 * g, within(near));
                    assertThat(columns.at(0, 0).get(i / 4, i % 4))
                            .as(what)
                            .isCloseTo(g, within(near));
                }
            }
        }
    }

    private static Tensor jacobian(Fn<Tensor, Tensor> f, Program p, String what) {
        CALLS.set(0);
        try (var compiled = Ebb.compile(Ebb.jacobian(f)).on(Devices.best())) {
            var found = compiled.apply(X);
            assertThat(CALLS.get()).as("calls of %s", what).isEqualTo(p.calls());
            return found;
        }
    }

    @Test
    void secondDerivativesByBlocksAreOfOneRun() {
        var op = new Noise(Trait.NONDETERMINISTIC);
        Fn<List<Tensor>, Tensor> f =
                in -> in.get(0).sin().apply(op).mul(in.get(1).sum()).square().sum();
        Tensor half = X.mul(0.5);
        CALLS.set(0);
        try (var blocks = Ebb.compile(Ebb.hessianBlocks(f)).on(Devices.best())) {
            var found = blocks.apply(List.of(X, half));
            assertThat(CALLS.get()).isEqualTo(1);
            var mixed = found.get(0).get(1).toDoubles();
            var other = found.get(1).get(0).reshape(12, 12).transpose().toDoubles();
            for (int i = 0; i < mixed.length; i++)
                assertThat(mixed[i]).isCloseTo(other[i], within(1e-9));
        }
    }

    @Test
    void aLoopThatIsNotReversedKeepsNothing() {
        var op = new Noise(Trait.EFFECT);
        Fn<Tensor, Tensor> few = x -> Loop.repeat(2, x, c -> c.apply(op));
        Fn<Tensor, Tensor> many = x -> Loop.repeat(200, x, c -> c.apply(op));
        long least = Ebb.compile(few).on(Devices.best()).plan(X).peakBytes();
        assertThat(Ebb.compile(many).on(Devices.best()).plan(X).peakBytes()).isEqualTo(least);
    }
}
