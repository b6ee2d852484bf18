package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.Tensorwise;
import dev.ebb.exec.Device;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.plan.Budget;
import dev.ebb.reference.RandomModel;
import dev.ebb.reference.RandomProgram;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** One generated method gives the bits of the kernels, for any number of threads. */
final class SequenceBitsTest {
    private static final VectorCpu KERNELS = SequenceDevices.cpu(1, Integer.MAX_VALUE);
    private static final VectorCpu COMPILED = SequenceDevices.cpu(1, 0);
    private static final VectorCpu THREADS = SequenceDevices.cpu(3, 0);

    @AfterAll
    static void close() {
        KERNELS.close();
        COMPILED.close();
        THREADS.close();
    }

    /**
     * The results of {@code f} on {@code device} in its third run, and whether it ran as one
     * method.
     */
    private record Found(List<Tensor> arrays, boolean asOne) {
        static <P, R> Found of(Fn<P, R> f, P x, Device device, Budget budget) {
            try (var run = Ebb.compile(f).within(budget).on(device)) {
                run.apply(x);
                run.apply(x);
                var arrays = Tensorwise.list(run.apply(x));
                var report = run.report();
                assertThat(report.measuredBytes()).isEqualTo(report.promisedBytes());
                for (var peak : report.categories())
                    assertThat(peak.measuredBytes()).isEqualTo(peak.promisedBytes());
                return new Found(arrays, report.kernels().isEmpty());
            }
        }

        void holdTo(Found expected, String what) {
            for (int i = 0; i < arrays.size(); i++)
                assertThat(arrays.get(i).sameBits(expected.arrays.get(i)))
                        .as("result %d of %s: %s, not %s", i, what, arrays, expected.arrays)
                        .isTrue();
        }
    }

    private static <P, R> boolean same(Fn<P, R> f, P x, String what) {
        var expected = Found.of(f, x, KERNELS, Budget.unlimited());
        var one = Found.of(f, x, COMPILED, Budget.unlimited());
        one.holdTo(expected, what);
        Found.of(f, x, THREADS, Budget.unlimited()).holdTo(expected, what);
        assertThat(expected.asOne).isFalse();
        return one.asOne;
    }

    @Test
    void random_programs() {
        int asOne = 0;
        for (long seed = 0; seed < 20; seed++) {
            var program = RandomProgram.of(seed, 12);
            List<Tensor> x = new ArrayList<>(program.inputs());
            if (same(Ebb.valueAndGrad(program), x, program.toString())) asOne++;
        }
        assertThat(asOne).isGreaterThan(3);
    }

    @Test
    void random_models() {
        for (long seed = 0; seed < 6; seed++) {
            var model = RandomModel.of(new Random(seed));
            same(Ebb.valueAndGrad(model), model.inputs(), model.toString());
        }
    }

    @Test
    void at_the_least_budget() {
        int asOne = 0;
        for (long seed = 0; seed < 6; seed++) {
            var program = RandomProgram.of(seed, 12);
            List<Tensor> x = new ArrayList<>(program.inputs());
            var f = Ebb.valueAndGrad(program);
            var expected = Found.of(f, x, KERNELS, Budget.unlimited());
            var least = Budget.bytes(Ebb.compile(f).on(COMPILED).plan(x).leastBytes());
            var found = Found.of(f, x, COMPILED, least);
            found.holdTo(expected, program.toString());
            if (found.asOne) asOne++;
        }
        assertThat(asOne).isGreaterThan(3);
    }

    /** Folds of every small length and over every axis, with zeros of both signs among them. */
    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"F32", "F64"})
    void folds(DType dtype) {
        var random = new Random(1);
        for (int[] dims :
                new int[][] {
                    {1}, {2}, {7}, {8}, {9}, {16}, {17}, {31}, {33}, {40}, {63}, {64}, {3, 5},
                    {5, 3}, {2, 3, 4}, {4, 2, 3}, {1, 6}, {6, 1}
                }) {
            var type = new Type(dtype, Shape.of(dims));
            var x = values(type, random);
            Fn<Tensor, List<Tensor>> f =
                    t -> {
                        var all = new ArrayList<>(List.of(t.sum(), t.mean(), t.amax(), t.prod()));
                        for (int axis = 0; axis < dims.length; axis++)
                            all.addAll(List.of(t.sum(axis), t.amin(List.of(axis), false)));
                        all.add(t.neg().sum());
                        return all;
                    };
            assertThat(same(f, (Tensor) x, type.toString())).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"F32", "F64"})
    void products_rows_and_moves(DType dtype) {
        var random = new Random(2);
        var a = values(new Type(dtype, Shape.of(3, 4)), random);
        var b = values(new Type(dtype, Shape.of(4, 2)), random);
        Fn<List<Tensor>, List<Tensor>> f =
                in -> {
                    var x = in.get(0);
                    var y = in.get(1);
                    var product = x.matmul(y);
                    return List.of(
                            product.add(1).tanh(),
                            x.transpose().matmul(x.mul(2)).sum(0),
                            x.softmax(-1),
                            x.sub(x.mean(List.of(1), true)).square().sum(1),
                            y.transpose().exp().log(),
                            product.gt(0).cast(dtype).sum(0),
                            x.abs().add(1).pow(0.3).sum(1),
                            y.cast(DType.I32).add(3).mul(5).cast(dtype));
                };
        assertThat(same(f, List.<Tensor>of(a, b), "products")).isTrue();
    }

    @Test
    void rounds_of_loops() {
        Fn<Tensor, Tensor> repeated =
                x -> Loop.repeat(50, x, v -> v.sin().mul(1.1).add(v.square().mul(0.01))).sum();
        for (var x : List.of(Array.of(0.3, -0.2, 0.9), Array.of(0.3f, 0.1f)))
            same(Ebb.valueAndGrad(repeated), (Tensor) x, "a loop");
        Fn<Tensor, Tensor> scanned =
                xs ->
                        Loop.scan(
                                        xs.slice(0, 0, 1).sum(),
                                        xs,
                                        (c, x) -> new dev.ebb.Next<>(c.mul(x).add(0.5), c.sin()))
                                .stacked()
                                .sum();
        same(
                Ebb.valueAndGrad(scanned),
                (Tensor) values(new Type(DType.F64, Shape.of(40)), new Random(3)),
                "a scan");
    }

    private static Array values(Type type, Random random) {
        var data = random.doubles(type.size(), -2, 2).toArray();
        for (int i = 0; i < data.length; i++)
            if (random.nextInt(6) == 0) data[i] = random.nextBoolean() ? -0.0 : 0.0;
        return Array.of(type, data);
    }
}
