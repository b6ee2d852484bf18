package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Tensorwise;
import dev.ebb.exec.Device;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Maps over the same positions that generated loops compute together, and a fold among them, give
 * the bits of one kernel after the other: random programs with their gradients, also in the least
 * memory, where values reuse the memory of others.
 */
final class MapGroupBitsTest {
    private static final VectorCpu KERNELS = SequenceDevices.cpu(1, Integer.MAX_VALUE);
    private static final VectorCpu TOGETHER = SequenceDevices.atOnce(2);

    @AfterAll
    static void close() {
        KERNELS.close();
        TOGETHER.close();
    }

    private record Found(List<Tensor> arrays, boolean asOne) {
        static <P, R> Found of(Fn<P, R> f, P x, Device device, Budget budget) {
            try (var run = Ebb.compile(f).within(budget).on(device)) {
                run.apply(x);
                var arrays = Tensorwise.list(run.apply(x));
                var report = run.report();
                assertThat(report.measuredBytes()).isEqualTo(report.promisedBytes());
                return new Found(arrays, report.kernels().isEmpty());
            }
        }
    }

    private static <P, R> boolean same(Fn<P, R> f, P x, String what) {
        var expected = Found.of(f, x, KERNELS, Budget.unlimited());
        assertThat(expected.asOne).isFalse();
        var found = Found.of(f, x, TOGETHER, Budget.unlimited());
        hold(found, expected, what);
        var least = Budget.bytes(Ebb.compile(f).on(TOGETHER).plan(x).leastBytes());
        hold(Found.of(f, x, TOGETHER, least), expected, what + " in the least memory");
        return found.asOne;
    }

    private static void hold(Found found, Found expected, String what) {
        for (int i = 0; i < expected.arrays.size(); i++)
            assertThat(found.arrays.get(i).sameBits(expected.arrays.get(i)))
                    .as("result %d, %s", i, what)
                    .isTrue();
    }

    private static Tensor values(DType dtype, Random random, int n) {
        var type = new Type(dtype, Shape.of(n));
        return Array.of(type, random.doubles(type.size(), -2, 2).toArray());
    }

    /**
     * A random program of {@code steps} steps, each computed from earlier values, and the sum of
     * the last ones; the last two ops give booleans, which end a group.
     */
    private record Program(long seed, int steps, int ops) implements Fn<List<Tensor>, Tensor> {
        @Override
        public Tensor apply(List<Tensor> in) {
            var random = new Random(seed);
            var all = new ArrayList<>(in.subList(0, 2));
            for (int i = 0; i < steps; i++) {
                var x = all.get(random.nextInt(all.size()));
                var y = all.get(random.nextInt(all.size()));
                all.add(
                        switch (random.nextInt(ops)) {
                            case 0 -> x.sin().mul(y);
                            case 1 -> x.exp().add(1).log();
                            case 2 -> x.erf().sub(y);
                            case 3 -> x.tanh().mul(y.tanh());
                            case 4 -> x.square().add(1).sqrt();
                            case 5 -> x.div(y.square().add(0.5));
                            case 6 -> x.abs().mul(in.getLast().detach());
                            case 7 -> x.sub(y).mul(0.7);
                            case 8 -> x.neg().exp().mul(0.1);
                            case 9 -> x.add(y).mul(0.5);
                            case 10 -> x.maximum(y).sub(0.25);
                            default -> Tensors.where(x.gt(y), x, y.neg());
                        });
            }
            var sum = all.getLast().add(all.get(all.size() - 2)).mul(all.get(all.size() - 3));
            return sum.sum();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"F32", "F64"})
    void random_programs_and_their_gradients(DType dtype) {
        // no multiple of a vector, or more than one block of a fold and of registers
        int n = dtype == DType.F32 ? 131 : 1030;
        for (int i = 0; i < 2; i++) {
            long seed = 100L * n + 10L * dtype.ordinal() + i;
            var random = new Random(seed);
            var in =
                    List.of(
                            values(dtype, random, n),
                            values(dtype, random, n),
                            values(dtype, random, 1).sum());
            var f = Ebb.valueAndGrad(new Program(seed, 7, 10 + 2 * i));
            boolean together = same(f, in, "program " + seed);
            assertThat(together || i == 1).as("program %d", seed).isTrue();
        }
    }

    /** While loops are warmed up on samples, the memory that they write is restored. */
    @Test
    void every_run_of_a_program_has_the_same_bits_while_its_loops_warm_up() {
        var random = new Random(7);
        var in = List.of(values(DType.F64, random, 300), values(DType.F64, random, 300));
        var f =
                Ebb.valueAndGrad(
                        (List<Tensor> at) -> {
                            var x = at.get(0);
                            var y = at.get(1);
                            var z = x.mul(y).tanh();
                            var u = z.square().add(0.3).sqrt().mul(y);
                            return u.div(x.square().add(1)).add(z.mul(x)).mul(u.exp()).sum();
                        });
        try (var device = SequenceDevices.warming();
                var run = Ebb.compile(f).on(device)) {
            var expected = Tensorwise.list(run.apply(in));
            for (int i = 0; i < 12; i++) {
                var found = Tensorwise.list(run.apply(in));
                for (int r = 0; r < expected.size(); r++)
                    assertThat(found.get(r).sameBits(expected.get(r)))
                            .as("result %d of run %d", r, i)
                            .isTrue();
            }
            assertThat(run.report().kernels()).isEmpty();
        }
    }
}
