package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.Loop;
import dev.ebb.Tape;
import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.plan.Binomial;
import dev.ebb.plan.Budget;
import dev.ebb.solve.Rk4;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Loops and tapes that are so long that only a fast device can run them. */
class LongLoopTest {
    private static final int WIDTH = 1000;

    @Test
    void twentyThousandStepsOfAWideStateInTwentySlots() {
        int steps = 20_000;
        Fn<Tensor, Tensor> f = x -> Loop.repeat(steps, x, c -> c.sub(c.mul(c).mul(1e-5))).sum();
        var x = (Array) Key.of(1).uniform(Type.of(DType.F64, WIDTH)).add(0.5);
        try (var device = Cpu.allCores();
                var grad = Ebb.compile(Ebb.grad(f)).on(device).with(new Binomial(20))) {
            var g = (Array) grad.apply(x);
            var report = grad.report();
            assertThat(report.measuredBytes()).isEqualTo(report.promisedBytes());
            assertThat(report.promisedBytes() - grad.plan(x).workerBytes())
                    .isLessThan(32L * WIDTH * Double.BYTES);
            for (int i = 0; i < WIDTH; i += 111) {
                assertThat(g.data().get(i))
                        .isCloseTo(derivative(x.data().get(i), steps), within(1e-10));
            }
        }
    }

    /** The number of kept states follows from the budget, and changes no bit. */
    @Test
    void aBudgetDecidesHowManyStatesAreKept() {
        int steps = 4_000;
        Fn<Tensor, Tensor> f = x -> Loop.repeat(steps, x, c -> c.sub(c.mul(c).mul(1e-5))).sum();
        var x = (Array) Key.of(1).uniform(Type.of(DType.F64, WIDTH)).add(0.5);
        try (var device = Cpu.allCores();
                var all = Ebb.compile(Ebb.grad(f)).on(device)) {
            var expected = (Array) all.apply(x);
            assertThat(all.report().promisedBytes())
                    .isGreaterThan((long) steps * WIDTH * Double.BYTES);
            long state = (long) WIDTH * Double.BYTES;
            for (int room : new int[] {12, 30, 200}) {
                long bytes = all.plan(x).workerBytes() + room * state;
                try (var few = Ebb.compile(Ebb.grad(f)).within(Budget.bytes(bytes)).on(device)) {
                    assertThat(few.apply(x).sameBits(expected)).isTrue();
                    assertThat(few.report().measuredBytes())
                            .isEqualTo(few.report().promisedBytes());
                    assertThat(few.report().promisedBytes()).isBetween(bytes - 4 * state, bytes);
                }
            }
        }
    }

    private static double derivative(double x, int steps) {
        double d = 1;
        double c = x;
        for (int i = 0; i < steps; i++) {
            d *= 1 - 2e-5 * c;
            c -= c * c * 1e-5;
        }
        return d;
    }

    @Test
    void theAdjointOfALongSimulationIsItsTangent() {
        Fn2<Tensor, List<Tensor>, List<Tensor>> vanDerPol =
                (_, y) -> {
                    var x = y.getFirst();
                    var v = y.getLast();
                    return List.of(v, x.square().neg().add(1).mul(v).mul(1.5).sub(x));
                };
        Fn<Tensor, Tensor> last =
                p ->
                        new Rk4(40_000)
                                .solve(vanDerPol, List.of(p.at(0, 0), p.at(0, 1)), 0, 100)
                                .getFirst();
        var at = Array.of(2.0, 0.0);
        var along = Array.of(0.3, -0.2);
        try (var device = Cpu.allCores();
                var forward = Ebb.compile((Tensor p) -> Ebb.jvp(last).apply(p, along)).on(device);
                var backward = Ebb.compile(Ebb.grad(last)).on(device).with(new Binomial(20))) {
            double tangent = forward.apply(at).tangent().item();
            double adjoint = backward.apply(at).mul(along).sum().item();
            assertThat(tangent).isNotZero();
            assertThat(adjoint).isCloseTo(tangent, within(1e-8));
        }
    }

    @Test
    void aTapeKeepsItsBitsWhereverItsValuesLie() {
        var w = (Array) Key.of(2).normal(Type.of(DType.F32, 33, 33)).mul(0.2f);
        var gradients = new ArrayList<Array>();
        try (var device = Cpu.allCores()) {
            for (long room : new long[] {Long.MAX_VALUE, 200_000, 90_000}) {
                // a small tape sets half of its budget aside for the device
                long budget = room == Long.MAX_VALUE ? room : 2 * room;
                try (var tape = new Tape(Budget.bytes(budget), device)) {
                    var x = tape.watch(w);
                    Tensor h = x;
                    for (int i = 0; i < 36; i++) h = h.matmul(x).tanh().add(x);
                    gradients.add(tape.array(tape.gradient(h.square().mean(), x)));
                    assertThat(tape.report().measuredBytes()).isLessThanOrEqualTo(budget);
                }
            }
        }
        assertThat(gradients.get(1).sameBits(gradients.getFirst())).isTrue();
        assertThat(gradients.get(2).sameBits(gradients.getFirst())).isTrue();
    }
}
