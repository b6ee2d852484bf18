package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.exec.DigestException;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.plan.Binomial;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Every;
import dev.ebb.plan.Planner;
import dev.ebb.plan.RecomputeAll;
import dev.ebb.plan.Segments;
import dev.ebb.plan.StoreAll;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

class VerifyTest {
    private static final AtomicInteger CALLS = new AtomicInteger();

    /** Adds the number of times it has run, and may or may not own up to it. */
    private record Drifting(boolean honest) implements Differentiable {
        @Override
        public List<Type> infer(List<Type> in) {
            return in;
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return new Counting();
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, rule.dout(0).mul(rule.out(0)));
        }

        @Override
        public Set<Trait> traits() {
            return honest ? Set.of(Trait.NONDETERMINISTIC) : Set.of();
        }
    }

    private record Counting() implements Kernel.Library {
        @Override
        public long workspaceBytes() {
            return 0;
        }

        @Override
        public void run(List<Buffer> in, List<Buffer> out, Buffer workspace) {
            double drift = CALLS.incrementAndGet();
            for (long i = 0; i < in.getFirst().size(); i++)
                out.getFirst().set(i, in.getFirst().get(i) + drift);
        }
    }

    private static Fn<Tensor, Ebb.ValueAndGrad<Tensor>> gradient(boolean honest) {
        return Ebb.valueAndGrad(
                (Tensor x) -> {
                    Tensor y = Ebb.region("drift", () -> x.exp().apply(new Drifting(honest)));
                    return y.sin().square().sum();
                });
    }

    @Test
    void anOpThatLiesAboutBeingDeterministicIsNamed() {
        var x = Array.of(Type.of(DType.F64, 256), new double[256]);
        var lying = Ebb.compile(gradient(false)).with(new RecomputeAll());
        assertThatThrownBy(() -> lying.verify(x))
                .isInstanceOf(DigestException.class)
                .hasMessageContaining("drifting in drift computed different bits")
                .hasMessageContaining("NONDETERMINISTIC");
        var honest = Ebb.compile(gradient(true)).with(new RecomputeAll());
        assertThat(honest.verify(x).grad().shape()).isEqualTo(x.shape());
    }

    private static Fn<Tensor, Ebb.ValueAndGrad<Tensor>> loop(Fn<Tensor, Tensor> round) {
        return Ebb.valueAndGrad((Tensor x) -> Loop.repeat(9, x, round).square().sum());
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

    private static void assertNoAlarm(Fn<Tensor, Ebb.ValueAndGrad<Tensor>> f) {
        var x = Array.of(Type.of(DType.F64, 16), new double[16]);
        for (var s : strategies()) {
            try (var compiled = Ebb.compile(f).with(s)) {
                assertThat(compiled.verify(x).grad().shape()).isEqualTo(x.shape());
            }
        }
        var least = Ebb.compile(f).plan(x).curve().leastBytes();
        try (var compiled = Ebb.compile(f).within(Budget.bytes(least))) {
            assertThat(compiled.verify(x).grad().shape()).isEqualTo(x.shape());
        }
    }

    @Test
    void anOpThatLiesInsideALoopIsNamed() {
        var x = Array.of(Type.of(DType.F64, 16), new double[16]);
        Fn<Tensor, Tensor> round =
                c -> Ebb.region("drift", () -> c.sin().apply(new Drifting(false)).cos());
        for (var f :
                List.of(
                        loop(round),
                        loop(c -> Loop.repeat(3, c, round)),
                        loop(c -> Loop.cond(c.sum().gt(-1e9), () -> round.apply(c), () -> c)))) {
            try (var lying = Ebb.compile(f).with(new Binomial(2))) {
                assertThatThrownBy(() -> lying.verify(x))
                        .isInstanceOf(DigestException.class)
                        .hasMessageContaining("drifting in drift computed different bits");
            }
        }
    }

    @Test
    void honestLoopsNeverAlarm() {
        assertNoAlarm(loop(c -> c.sin().add(1).sqrt()));
        assertNoAlarm(loop(c -> c.sin().apply(new Drifting(true)).cos()));
        assertNoAlarm(loop(c -> Loop.repeat(3, c, d -> d.cos().mul(c))));
        assertNoAlarm(loop(c -> Loop.cond(c.sum().gt(3), () -> c.sin(), () -> c.cos())));
        assertNoAlarm(
                Ebb.valueAndGrad(
                        (Tensor x) ->
                                Loop.whileTrue(
                                                30,
                                                x,
                                                c -> c.square().sum().lt(20),
                                                c -> c.add(0.1).mul(x.add(1.2)))
                                        .sum()));
        assertNoAlarm(
                Ebb.valueAndGrad(
                        (Tensor x) -> {
                            var twice = Loop.repeat(9, x, c -> c.sin().add(0.5));
                            return twice.mul(twice.exp()).cos().sum();
                        }));
    }
}
