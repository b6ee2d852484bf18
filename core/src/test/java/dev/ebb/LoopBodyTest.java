package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Fit;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.Plan;
import dev.ebb.plan.schedule.Ways;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.trace.Tree;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What is inside a loop is kept or computed again under the same budget as everything else. */
class LoopBodyTest {

    /** The weights of a transformer block, or of several, stacked. */
    record Block(
            Tensor scale1,
            Tensor shift1,
            Tensor query,
            Tensor key,
            Tensor value,
            Tensor out,
            Tensor scale2,
            Tensor shift2,
            Tensor up,
            Tensor upBias,
            Tensor down,
            Tensor downBias) {

        /** Those of a block, each with further axes in front. */
        static Block of(int width, int seed, int... front) {
            return new Block(
                    noise(seed, front, width),
                    noise(seed + 1, front, width),
                    noise(seed + 2, front, width, width),
                    noise(seed + 3, front, width, width),
                    noise(seed + 4, front, width, width),
                    noise(seed + 5, front, width, width),
                    noise(seed + 6, front, width),
                    noise(seed + 7, front, width),
                    noise(seed + 8, front, width, 4 * width),
                    noise(seed + 9, front, 4 * width),
                    noise(seed + 10, front, 4 * width, width),
                    noise(seed + 11, front, width));
        }
    }

    record Model<B>(B blocks, Tensor x) {}

    private static Tensor noise(int seed, int[] front, int... shape) {
        var all = new int[front.length + shape.length];
        System.arraycopy(front, 0, all, 0, front.length);
        System.arraycopy(shape, 0, all, front.length, shape.length);
        return ((Array) Key.of(seed).uniform(new Type(DType.F32, Shape.of(all)))).mul(0.2);
    }

    private static Tensor block(Tensor x, Block p) {
        var normed = x.layerNorm(p.scale1, p.shift1, 1e-5);
        var read =
                heads(normed.matmul(p.query))
                        .attention(heads(normed.matmul(p.key)), heads(normed.matmul(p.value)));
        var y = x.add(read.permute(0, 2, 1, 3).reshape(x.shape()).matmul(p.out));
        var wide = y.layerNorm(p.scale2, p.shift2, 1e-5).matmul(p.up).add(p.upBias).gelu();
        return y.add(wide.matmul(p.down).add(p.downBias));
    }

    private static Tensor heads(Tensor x) {
        int width = x.shape().dim(2);
        return x.reshape(x.shape().dim(0), x.shape().dim(1), 2, width / 2).permute(0, 2, 1, 3);
    }

    private static Tensor scanned(Model<Block> m) {
        return Loop.scan(
                        m.x,
                        m.blocks,
                        (Tensor c, Block p) -> new Next<>(block(c, p), List.<Tensor>of()))
                .carry()
                .square()
                .mean();
    }

    private static Tensor unrolled(Model<List<Block>> m) {
        var x = m.x;
        for (var p : m.blocks) x = block(x, p);
        return x.square().mean();
    }

    private static <P> Plan plan(Fn<P, Tensor> f, P at, Budget budget) {
        try (var compiled = Ebb.compile(Ebb.valueAndGrad(f)).within(budget)) {
            return compiled.plan(at);
        }
    }

    @Test
    void aScannedTransformerCostsWhatTheUnrolledOneCosts() {
        int layers = 8;
        int width = 128;
        var x = noise(1, new int[0], 64, 64, width);
        var stacked = new Model<>(Block.of(width, 2, layers), x);
        var apart = new ArrayList<Block>();
        for (int i = 0; i < layers; i++) apart.add(Block.of(width, 2));
        var all = plan(LoopBodyTest::scanned, stacked, Budget.unlimited());
        var quarter = Budget.bytes(all.peakBytes() / 4);
        var scanned = plan(LoopBodyTest::scanned, stacked, quarter);
        var unrolled = plan(LoopBodyTest::unrolled, new Model<>(List.copyOf(apart), x), quarter);
        assertThat(scanned.peakBytes()).isLessThanOrEqualTo(all.peakBytes() / 4);
        assertThat(scanned.cost()).isLessThan(1.05 * unrolled.cost());
        assertThat(scanned.explain()).contains("the reverse of an iteration repeating ");
    }

    @Test
    void theBodyOfAScanIsComputedAgainAndKeepsItsBits() {
        check(LoopBodyTest::scanned, new Model<>(Block.of(8, 2, 5), noise(1, new int[0], 4, 6, 8)));
    }

    /** A chain of values that are all read at the end: it can be run in the memory of a few. */
    private static Tensor wide(Tensor x, int values) {
        var all = new ArrayList<Tensor>();
        var v = x;
        for (int i = 0; i < values; i++) all.add(v = v.sin().cumsum(0));
        var sum = v;
        for (var a : all.reversed()) sum = sum.mul(a).cumsum(0).tanh();
        return sum;
    }

    /**
     * Iterations of reversible blocks: the reverse of an iteration walks back through its streams.
     */
    @Test
    void theBodyOfALoopIsRebuiltByInverses() {
        var w = noise(7, new int[0], 8, 8);
        var x = noise(9, new int[0], 24, 8);
        var blocks =
                Collections.nCopies(
                        6, Reversible.block(t -> t.matmul(w).tanh(), t -> t.matmul(w).gelu()));
        Fn<Tensor, Tensor> round =
                c -> Reversible.stack(blocks).apply(Reversible.Streams.of(c)).sum();
        Fn<Tensor, Tensor> f = v -> Loop.repeat(2, v, round).square().mean();
        var all = Ebb.compile(Ebb.grad(f));
        long least = all.plan(x).leastBytes();
        assertThat(least).isLessThan(all.only(Ways.recomputing()).plan(x).leastBytes());
        try (all;
                var few = all.within(Budget.bytes(least))) {
            assertThat(((Array) few.apply(x)).sameBits((Array) all.apply(x))).isTrue();
            assertThat(few.report().measuredBytes())
                    .isEqualTo(few.report().promisedBytes())
                    .isLessThanOrEqualTo(least);
        }
    }

    @Test
    void theBodyOfALoopThatIsNotReversedIsToo() {
        var x = noise(3, new int[0], 200);
        Fn<Tensor, Tensor> f = v -> Loop.repeat(3, v, c -> wide(c, 5));
        check(f, x);
        long least = Ebb.compile(f).plan(x).leastBytes();
        assertThat(Ebb.compile(f).within(Budget.bytes(least)).plan(x).explain())
                .containsPattern("inside +scan\\(3\\); an iteration repeats [1-9]");
    }

    @Test
    void soIsABranchAndALoopInALoop() {
        var x = noise(3, new int[0], 200);
        check(v -> Loop.cond(v.sum().gt(0), () -> wide(v, 5), () -> v.mul(2)), x);
        check(v -> Loop.repeat(3, v, c -> Loop.repeat(2, c, d -> wide(d, 3)).mul(0.5)), x);
        Fn<Tensor, Tensor> nested =
                v -> Loop.repeat(4, v, c -> Loop.repeat(3, c, d -> wide(d, 2)).mul(v)).sum();
        check(Ebb.valueAndGrad(nested), x);
        Fn<Tensor, Tensor> branching =
                v ->
                        Loop.repeat(
                                        4,
                                        v,
                                        c ->
                                                Loop.cond(
                                                        c.sum().gt(v.sum()),
                                                        () -> wide(c, 2),
                                                        () -> c.mul(v)))
                                .sum();
        check(Ebb.valueAndGrad(branching), x);
    }

    @Test
    void fittingIsTheDefault() {
        var x = noise(3, new int[0], 200);
        Fn<Tensor, Tensor> f = v -> Loop.repeat(20, v, c -> wide(c, 2).mul(v)).sum();
        var budget = Budget.bytes(Ebb.compile(Ebb.grad(f)).plan(x).peakBytes() / 3);
        var asked = Ebb.compile(Ebb.grad(f)).with(new Fit(budget)).plan(x);
        var plain = Ebb.compile(Ebb.grad(f)).within(budget).plan(x);
        assertThat(asked.schedule().steps()).isEqualTo(plain.schedule().steps());
        assertThat(asked.peakBytes()).isEqualTo(plain.peakBytes());
    }

    private static void check(Fn<Model<Block>, Tensor> f, Model<Block> at) {
        check(Ebb.valueAndGrad(f), at);
    }

    /** In every budget the same bits, what is promised is measured, and the least is the least. */
    private static <P, R> void check(Fn<P, R> f, P at) {
        List<Tensor> expected;
        long all;
        long least;
        try (var kept = Ebb.compile(f)) {
            expected = Tree.flatten(kept.apply(at));
            all = kept.plan(at).peakBytes();
            least = kept.plan(at).leastBytes();
        }
        assertThat(least).isLessThan(all);
        double before = 0;
        for (int i = 2; i >= 0; i--) {
            long bytes = least + (all - least) * i / 3;
            try (var less = Ebb.compile(f).within(Budget.bytes(bytes))) {
                var found = Tree.flatten(less.verify(at));
                for (int k = 0; k < found.size(); k++)
                    assertThat(((Array) found.get(k)).sameBits((Array) expected.get(k))).isTrue();
                var report = less.report();
                assertThat(report.measuredBytes())
                        .isEqualTo(report.promisedBytes())
                        .isLessThanOrEqualTo(bytes);
                assertThat(less.plan(at).leastBytes()).isEqualTo(least);
                assertThat(less.plan(at).cost()).isGreaterThanOrEqualTo(before * (1 - 1e-9));
                before = less.plan(at).cost();
            }
        }
        assertThatThrownBy(() -> Ebb.compile(f).within(Budget.bytes(least - 1)).plan(at))
                .isInstanceOf(OverBudgetException.class);
    }
}
