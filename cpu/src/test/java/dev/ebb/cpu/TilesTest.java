package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.tile.ProgramScratch;
import dev.ebb.cpu.tile.ScratchArray;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.ir.DType;
import dev.ebb.ir.Node;
import dev.ebb.ir.Type;
import dev.ebb.plan.Plan;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.lang.reflect.Modifier;
import java.util.List;

/** The bytes that a program owns outside the arena are those that are allocated for it. */
class TilesTest {
    private static final int WORKERS = 5;

    private static Plan plan(Fn<Tensor, Tensor> f, Type type) {
        var x =
                (Array)
                        Key.of(1)
                                .uniform(Type.of(DType.F32, type.shape().toArray()))
                                .cast(type.dtype());
        try (var cpu = new Cpu(WORKERS);
                var compiled = Ebb.compile(f).on(cpu)) {
            return compiled.plan(x);
        }
    }

    private static List<Node> nodes(Plan plan) {
        return plan.schedule().problem().graph().nodes();
    }

    /** The bytes of all arrays that a tile refers to, found by reflection. */
    private static long allocated(Object of) throws IllegalAccessException {
        return switch (of) {
            case float[] a -> 4L * a.length;
            case int[] a -> 4L * a.length;
            case double[] a -> 8L * a.length;
            case long[] a -> 8L * a.length;
            case short[] a -> 2L * a.length;
            case byte[] a -> a.length;
            case Object[] parts -> {
                long sum = 0;
                for (var part : parts) sum += allocated(part);
                yield sum;
            }
            case Tile tile -> {
                long sum = 0;
                for (var field : Tile.class.getDeclaredFields()) {
                    boolean ours = !Modifier.isStatic(field.getModifiers());
                    if (!ours || !field.getType().isArray()) continue;
                    field.setAccessible(true);
                    sum += allocated(field.get(tile));
                }
                yield sum;
            }
            default -> throw new AssertionError(of);
        };
    }

    private static void check(Fn<Tensor, Tensor> f, Type type) throws IllegalAccessException {
        var plan = plan(f, type);
        var scratch = KernelScratchSizes.all(nodes(plan));
        var tiles = new Tiles(scratch, WORKERS);
        long sum = 0;
        for (int i = 0; i < WORKERS; i++) sum += allocated(tiles.of(i));
        assertThat(sum).isEqualTo(scratch.bytes(WORKERS)).isEqualTo(plan.workerBytes());
        for (int w = 1; w <= WORKERS; w++)
            assertThat(scratch.bytes(w)).isGreaterThanOrEqualTo(scratch.bytes(w - 1));
    }

    private static final Fn<Tensor, Tensor> MIXED =
            x -> x.matmul(x).tanh().softmax(1).mul(x.sum(List.of(0), true)).mean();

    @Test
    void theBooksAreRight() throws IllegalAccessException {
        for (var type : List.of(DType.F32, DType.F64, DType.BF16))
            for (int n : new int[] {1, 3, 64, 300}) {
                check(MIXED, Type.of(type, n, n));
                check(Ebb.grad(MIXED), Type.of(type, n, n));
                check(x -> x.exp(), Type.of(type, n, 1000));
            }
    }

    @Test
    void kernelsThatNeverRunCostNothing() {
        var scratch = KernelScratchSizes.all(nodes(plan(MIXED, Type.of(DType.F32, 300, 300))));
        for (var bank :
                List.of(
                        ScratchArray.F64,
                        ScratchArray.I64,
                        ScratchArray.F64_PANEL,
                        ScratchArray.F64_SUMS,
                        ScratchArray.HALVES))
            assertThat(scratch.worker(0).of(bank)).as("%s", bank).isZero();
        assertThat(scratch.worker(0).of(ScratchArray.F32_PANEL)).isPositive();
        var plain =
                KernelScratchSizes.all(
                        nodes(plan(x -> x.exp().sum(), Type.of(DType.F32, 300, 300))));
        assertThat(plain.worker(0).of(ScratchArray.F32_PANEL)).isZero();
    }

    @Test
    void whatOneWorkerRunsIsOnlyItsOwn() {
        var small = KernelScratchSizes.all(nodes(plan(MIXED, Type.of(DType.F32, 20, 20))));
        assertThat(small.bytes(64)).isEqualTo(small.bytes(1)).isPositive();
        var large = KernelScratchSizes.all(nodes(plan(MIXED, Type.of(DType.F32, 300, 300))));
        assertThat(large.bytes(2)).isGreaterThan(large.bytes(1));
        assertThat(large.bytes(64)).isLessThan(64 * KernelScratchSizes.MOST.bytes());
    }

    @Test
    void aKernelThatWasNotCountedIsNotBound() {
        var node = nodes(plan(MIXED, Type.of(DType.F32, 64, 64))).getFirst();
        var tiles = new Tiles(ProgramScratch.NONE, 2);
        assertThatThrownBy(() -> tiles.check("mat_mul", KernelScratchSizes.of(node)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("mat_mul")
                .hasMessageContaining("reserve memory for all nodes");
    }

    @Test
    void aTapeGrowsWhatItHas() {
        var exp = nodes(plan(x -> x.exp(), Type.of(DType.F32, 10, 10)));
        var product = nodes(plan(x -> x.matmul(x), Type.of(DType.F32, 64, 64)));
        var scratch = KernelScratchSizes.all(exp);
        var one = new Tiles(scratch, 1);
        assertThat(one.with(scratch, 1)).isSameAs(one);
        var two = one.with(KernelScratchSizes.all(product), 2);
        assertThat(two.with(scratch, 2)).isSameAs(two);
        try (var cpu = new VectorCpu(2, new FusedLoops());
                var queue = cpu.open()) {
            queue.reserve(exp, 1);
            queue.reserve(product, 2);
            assertThat(queue.ownBytes(List.of()).applyAsLong(2))
                    .isEqualTo(scratch.and(KernelScratchSizes.all(product)).bytes(2));
        }
    }
}
