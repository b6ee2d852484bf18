package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.plan.Binomial;
import dev.ebb.plan.Every;
import dev.ebb.plan.Keep;
import dev.ebb.plan.Plan;
import dev.ebb.plan.Planner;
import dev.ebb.plan.Policy;
import dev.ebb.plan.RecomputeAll;
import dev.ebb.plan.Segments;
import dev.ebb.plan.StoreAll;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.List;

/** A strategy plans what is inside loops and branches as it plans what is outside. */
class LoopStrategyTest {
    private static final int ITERATIONS = 6;
    private static final long ROWS_BYTES = 64 * 8 * Double.BYTES;

    record Weights(Tensor first, Tensor second) {}

    private static final Weights WEIGHTS =
            new Weights(noise(1, 8, 8).mul(0.3), noise(2, 8, 8).mul(0.3));

    private static Tensor noise(int seed, int... shape) {
        return Key.of(seed).normal(Type.of(DType.F64, shape));
    }

    /** An iteration of two regions, each of which its reverse reads two values of. */
    private static Tensor round(Tensor x, Weights w) {
        var middle = Ebb.region("one", () -> Ebb.name(x.matmul(w.first()).sin(), "middle").exp());
        return Ebb.region("two", () -> middle.matmul(w.second()).sin().tanh());
    }

    private static final Tensor START = noise(3, 64, 8);

    private static final Fn<Weights, Tensor> LOOP =
            w -> Loop.repeat(ITERATIONS, START, x -> round(x, w)).square().sum();

    private static Plan checked(Fn<Weights, Tensor> f, Planner planner) {
        try (var expected = Ebb.compile(Ebb.grad(f)).on(Devices.reference());
                var found = Ebb.compile(Ebb.grad(f)).on(Devices.best()).with(planner)) {
            var e = expected.apply(WEIGHTS);
            var r = found.apply(WEIGHTS);
            assertThat(((Array) r.first()).sameBits((Array) e.first())).as("%s", planner).isTrue();
            assertThat(((Array) r.second()).sameBits((Array) e.second()))
                    .as("%s", planner)
                    .isTrue();
            assertThat(found.report().measuredBytes()).isEqualTo(found.report().promisedBytes());
            return found.plan(WEIGHTS);
        }
    }

    private static String loop(Plan plan) {
        return plan.schedule().problem().graph().nodes().stream()
                .map(n -> n.op().name())
                .filter(n -> n.contains("keeping"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aTapeHoldsWhatTheStrategyKeepsOfARound() {
        var all = checked(LOOP, new StoreAll());
        assertThat(loop(all)).contains("keeping all");
        var none = checked(LOOP, new Keep(_ -> false));
        assertThat(loop(none)).contains("keeping a tape of every iteration").contains("repeating");
        var one = checked(LOOP, new Keep(Policy.names("middle")));
        // the tape of each iteration holds one value more
        assertThat(one.peakBytes() - none.peakBytes())
                .isBetween(ITERATIONS * ROWS_BYTES - 2 * ROWS_BYTES, ITERATIONS * ROWS_BYTES);
        assertThat(one.cost()).isLessThan(none.cost());
        assertThat(none.cost()).isGreaterThan(all.cost());
        assertThat(one.peakBytes()).isLessThan(all.peakBytes());
    }

    @Test
    void aRoundWithRegionsIsDividedAndOneWithoutIsNot() {
        Fn<Weights, Tensor> plain =
                w ->
                        Loop.repeat(
                                        ITERATIONS,
                                        START,
                                        x ->
                                                x.matmul(w.first())
                                                        .sin()
                                                        .exp()
                                                        .matmul(w.second())
                                                        .sin()
                                                        .tanh())
                                .square()
                                .sum();
        for (Planner planner :
                List.of(new Every(1), Segments.of(ITERATIONS), new Binomial(ITERATIONS))) {
            assertThat(loop(checked(plain, planner))).as("%s", planner).contains("keeping all");
        }
        assertThat(loop(checked(LOOP, new Every(1)))).contains("repeating");
        assertThat(loop(checked(LOOP, Segments.sqrt()))).contains("repeating");
    }

    @Test
    void keepingNothingTakesLeastInLoopsToo() {
        var plan = checked(LOOP, new RecomputeAll());
        assertThat(loop(plan)).contains("keeping 1 state,").contains("repeating");
        assertThat(plan.peakBytes()).isLessThan(checked(LOOP, new StoreAll()).peakBytes());
    }

    @Test
    void branchesAndLoopsInLoopsArePlannedTheSameWay() {
        Fn<Weights, Tensor> nested =
                w ->
                        Loop.repeat(
                                        2,
                                        START,
                                        x -> Loop.repeat(2, x, y -> round(y, w)).add(x.mul(0.5)))
                                .square()
                                .sum();
        Fn<Weights, Tensor> branch =
                w ->
                        Loop.cond(
                                        w.first().sum().gt(0),
                                        () -> round(START, w),
                                        () -> round(START.neg(), w))
                                .square()
                                .sum();
        for (var planner :
                List.of(
                        new RecomputeAll(),
                        new Keep(Policy.names("middle")),
                        new Every(1),
                        new Binomial(1))) {
            checked(nested, planner);
            checked(branch, planner);
        }
    }
}
