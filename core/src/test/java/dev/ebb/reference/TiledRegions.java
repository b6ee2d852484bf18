package dev.ebb.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Compiled;
import dev.ebb.Ebb;
import dev.ebb.Ebb.ValueAndGrad;
import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.Next;
import dev.ebb.exec.Device;
import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.schedule.Way;
import dev.ebb.plan.schedule.Ways;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Regions of many rows that a plan computes tile by tile, on a device: the bits are those of the
 * whole, at every budget, and the least budget is what a loop written by hand would need.
 */
public abstract class TiledRegions {
    private static final int PROGRAMS = 3;

    /** Every way but tiles. */
    private static final Ways WHOLE = Ways.every().without(Ways.of(Way.TILES));

    protected TiledRegions() {}

    protected abstract Device device();

    /** The types whose sums the device cuts. */
    protected abstract List<DType> types();

    /** How many rows a tile has at the least for {@code rows} rows. */
    protected abstract int tile(int rows);

    record Mixture(Tensor weights, Tensor means, Tensor factors) {}

    /** The log-likelihood of points under a mixture of normal distributions, up to constants. */
    private static Tensor terms(Tensor x, Mixture p) {
        int n = x.dim(0);
        int d = x.dim(1);
        int k = p.weights.dim(0);
        var turned = x.matmul(p.factors.reshape(k * d, d).transpose()).reshape(n, k, d);
        var centre = p.factors.matmul(p.means.unsqueeze(2)).squeeze(2);
        var squares = turned.sub(centre).square().sum(2);
        return p.weights.sub(squares.mul(0.5)).logsumexp(1).sum();
    }

    private static Mixture mixture(DType type, int k, int d) {
        return new Mixture(
                Key.of(2).normal(Type.of(type, k)),
                Key.of(3).normal(Type.of(type, k, d)),
                Key.of(4).normal(Type.of(type, k, d, d)));
    }

    @Test
    void a_mixture_takes_what_a_loop_by_hand_takes() {
        int n = 20 * tile(1_000) + 10;
        int k = 6;
        int d = 10;
        var type = types().getFirst();
        var x = (Array) Key.of(1).normal(Type.of(type, n, d));
        var p = mixture(type, k, d);
        try (var whole = compiled((Mixture q) -> terms(x, q));
                var byHand = compiled((Mixture q) -> byHand(x, q, n / tile(n)))) {
            long least = whole.plan(p).leastBytes();
            assertThat(least).isLessThan(2 * byHand.plan(p).leastBytes());
            assertThat(3 * least).isLessThan(whole.only(WHOLE).plan(p).leastBytes());
            assertRefused(whole, p, least);
            var expected = whole.apply(p);
            long all = whole.plan(p).storeAllBytes();
            for (double share : new double[] {0, 0.3}) {
                long bytes = least + (long) ((all - least) * share);
                assertSame(whole, p, bytes, expected);
            }
            assertThat(whole.within(Budget.bytes(least)).plan(p).explain())
                    .contains("in tiles        " + n / tile(n) + " of " + tile(n) + " rows");
        }
    }

    /**
     * The same as a scan over tiles that is written by hand, without the points that fill no tile.
     */
    private static Tensor byHand(Array x, Mixture p, int tiles) {
        int rows = x.dim(0) / tiles;
        var sum = Tensors.zeros(x.type().dtype());
        var sliced = x.slice(0, 0, tiles * rows).reshape(tiles, rows, x.dim(1));
        return Loop.scan(
                        sum,
                        sliced,
                        (Tensor s, Tensor some) -> new Next<>(s.add(terms(some, p)), List.of()))
                .carry();
    }

    private <P> Compiled<P, ValueAndGrad<P>> compiled(Fn<P, Tensor> f) {
        return Ebb.compile(Ebb.valueAndGrad(f)).on(device());
    }

    private static <P> void assertRefused(Compiled<P, ValueAndGrad<P>> program, P x, long least) {
        assertThatThrownBy(() -> program.within(Budget.bytes(least - 1)).plan(x))
                .isInstanceOf(OverBudgetException.class)
                .hasMessageContaining("the least that works is " + Budget.show(least));
    }

    private static <P> void assertSame(
            Compiled<P, ValueAndGrad<P>> program, P x, long bytes, ValueAndGrad<P> expected) {
        try (var run = program.within(Budget.bytes(bytes))) {
            var plan = run.plan(x);
            assertThat(plan.peakBytes()).isLessThanOrEqualTo(bytes);
            var found = run.apply(x);
            assertThat(run.report().measuredBytes()).isEqualTo(plan.peakBytes());
            assertThat(found.value().sameBits(expected.value())).isTrue();
            var grads = leaves(found.grad());
            for (int i = 0; i < grads.size(); i++)
                assertThat(grads.get(i).sameBits(leaves(expected.grad()).get(i))).isTrue();
        }
    }

    private static List<Tensor> leaves(Object grad) {
        return switch (grad) {
            case Mixture(var a, var b, var c) -> List.of(a, b, c);
            case Rows(var a, var b, var c) -> List.of(a, b, c);
            default -> throw new AssertionError(grad);
        };
    }

    /** Rows of numbers, one row for all, and a matrix. */
    record Rows(Tensor x, Tensor row, Tensor matrix) {}

    @TestFactory
    Stream<DynamicTest> random_programs_have_the_bits_of_the_whole() {
        long first = (long) PROGRAMS * Math.floorMod(device().name().hashCode(), 1_000);
        return LongStream.range(first, first + PROGRAMS)
                .mapToObj(seed -> DynamicTest.dynamicTest("seed " + seed, () -> check(seed)));
    }

    private void check(long seed) {
        var random = new Random(seed);
        int n = 2 * tile(1_000) + random.nextInt(300);
        int m = 3 + random.nextInt(6);
        var type = types().get(Math.floorMod(seed, types().size()));
        var steps = random.ints(5, 0, 13).toArray();
        Array fixed = (Array) Key.of(seed + 7).normal(Type.of(type, n, m));
        try (var program = compiled((Rows p) -> loss(p, steps, fixed))) {
            var p =
                    new Rows(
                            Key.of(seed).normal(Type.of(type, n, m)),
                            Key.of(seed + 1).normal(Type.of(type, m)),
                            Key.of(seed + 2).normal(Type.of(type, m, m)).mul(0.3));
            var plan = program.plan(p);
            long least = plan.leastBytes();
            assertRefused(program, p, least);
            var expected = program.apply(p);
            assertSame(program, p, least, expected);
            long more = (long) ((plan.storeAllBytes() - least) * random.nextDouble());
            assertSame(program, p, least + more, expected);
        }
    }

    private static Tensor loss(Rows p, int[] steps, Array fixed) {
        var all = new ArrayList<>(List.of(p.x));
        int m = p.row.dim(0);
        for (int step : steps) {
            var x = all.getLast();
            all.add(
                    switch (step) {
                        case 0 -> x.tanh();
                        case 1 -> x.mul(p.row);
                        case 2 -> x.matmul(p.matrix);
                        case 3 -> x.relu().add(all.getFirst());
                        case 4 -> x.sub(x.mean(List.of(1), true));
                        case 5 -> x.sub(x.mean(List.of(0), true));
                        case 6 -> x.mul(fixed).sigmoid();
                        case 7 ->
                                Tensors.concat(
                                        List.of(x.slice(1, 1, m), x.slice(1, 0, 1).sin()), 1);
                        case 8 -> x.cumsum(1).mul(0.3);
                        case 9 -> x.add(all.get(all.size() / 2).square().mul(0.1));
                        case 10 -> x.dropout(0.2, Key.of(5));
                        case 11 -> x.amax(List.of(0), true).mul(0.5).add(x);
                        case 12 -> x.unsqueeze(2).mul(p.row).tanh().sum(2);
                        default -> throw new AssertionError(step);
                    });
        }
        var last = all.getLast();
        return last.softplus().sum(0).mul(p.row).sum().add(last.mul(last).sum(1).tanh().sum());
    }
}
