package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.Next;
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
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Merged loops give the bits of the kernels: small functions mapped over many examples, and
 * iterations of loops on short vectors.
 */
final class MergedLoopBitsTest {
    private static final VectorCpu KERNELS = SequenceDevices.cpu(1, Integer.MAX_VALUE);
    private static final VectorCpu LOOPS = SequenceDevices.cpu(1, 0);
    private static final VectorCpu THREADS = SequenceDevices.cpu(3, 0);

    @AfterAll
    static void close() {
        KERNELS.close();
        LOOPS.close();
        THREADS.close();
    }

    /**
     * The results of {@code f} in its second run; {@code asOne} is whether no single kernel was
     * left.
     */
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

    private static <P, R> boolean same(Fn<P, R> f, P x) {
        var expected = Found.of(f, x, KERNELS, Budget.unlimited());
        assertThat(expected.asOne).isFalse();
        var least = Budget.bytes(Ebb.compile(f).on(LOOPS).plan(x).leastBytes());
        var found = Found.of(f, x, LOOPS, Budget.unlimited());
        hold(found, expected, "one thread");
        hold(Found.of(f, x, THREADS, Budget.unlimited()), expected, "threads");
        hold(Found.of(f, x, LOOPS, least), expected, "least");
        return found.asOne;
    }

    private static void hold(Found found, Found expected, String what) {
        for (int i = 0; i < expected.arrays.size(); i++)
            assertThat(found.arrays.get(i).sameBits(expected.arrays.get(i)))
                    .as("result %d, %s", i, what)
                    .isTrue();
    }

    private static Tensor values(DType dtype, int seed, int... dims) {
        var random = new Random(seed);
        var type = new Type(dtype, Shape.of(dims));
        var data = random.doubles(type.size(), -2, 2).toArray();
        for (int i = 0; i < data.length; i++)
            if (random.nextInt(9) == 0) data[i] = random.nextBoolean() ? -0.0 : 0.0;
        return Array.of(type, data);
    }

    /** Folds, slices, rolls, products and concatenations of few numbers. */
    private static Tensor small(Tensor x) {
        var a = x.slice(0, 0, 3);
        var b = x.slice(0, 3, 6);
        var long1 = a.square().sum().add(0.5).sqrt();
        var crossed = a.roll(-1, 0).mul(b.roll(-2, 0)).sub(a.roll(-2, 0).mul(b.roll(-1, 0)));
        var turned = crossed.mul(long1.sin()).add(b.div(long1)).sub(a.amax());
        var square = Tensors.concat(List.of(a, b, turned), 0).reshape(Shape.of(3, 3));
        var product = square.matmul(turned.reshape(Shape.of(3, 1))).reshape(Shape.of(3));
        return Tensors.concat(List.of(product, long1.reshape(Shape.of(1))), 0).mul(x.at(0, 6));
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"F32", "F64"})
    void jacobians_of_many_examples(DType dtype) {
        Fn<Tensor, Tensor> f = Ebb.<Tensor, Tensor>vmap(Ebb.jacobian(MergedLoopBitsTest::small));
        // one share of iterations in whole blocks, or more than a share and a part of a block
        int n = dtype == DType.F32 ? 1024 : 5001;
        assertThat(same(f, values(dtype, n, n, 7))).isTrue();
    }

    @Test
    void a_gradient_that_sums_over_examples() {
        Fn<List<Tensor>, List<Tensor>> f =
                Ebb.grad(
                        (List<Tensor> in) ->
                                Ebb.<Tensor, Tensor>vmap(x -> small(x.mul(in.get(1))).sum())
                                        .apply(in.get(0))
                                        .exp()
                                        .sum());
        same(f, List.of(values(DType.F64, 1, 1030, 7).mul(0.1), values(DType.F64, 2, 7)));
    }

    /**
     * Operands that are broadcast along some of the leading axes are addressed by the position of
     * an iteration.
     */
    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"F32", "F64"})
    void operands_that_some_leading_axes_repeat(DType dtype) {
        Fn<List<Tensor>, List<Tensor>> f =
                in -> {
                    var a = in.get(0);
                    var first = a.sub(in.get(1)).mul(in.get(3)).square().sum(3);
                    var last = a.mul(in.get(2)).sub(in.get(3)).sum(3);
                    return List.of(first, last, a.mul(first.unsqueeze(3)).add(in.get(1)));
                };
        var x =
                List.of(
                        values(dtype, 18, 40, 10, 13, 2),
                        values(dtype, 19, 10, 1, 2),
                        values(dtype, 20, 40, 1, 13, 1),
                        values(dtype, 21, 13, 2));
        assertThat(same(f, x)).isTrue();
    }

    @Test
    void rows_of_several_leading_axes() {
        Fn<List<Tensor>, List<Tensor>> f =
                in -> {
                    var apart = in.get(0).sub(in.get(1));
                    var squares = apart.square().sum(2);
                    return List.of(squares, apart.mul(squares.unsqueeze(2)).sum(2), apart.neg());
                };
        same(f, List.of(values(DType.F64, 3, 60, 30, 2), values(DType.F64, 4, 30, 2)));
    }

    private static Tensor indices(DType dtype, int seed, int bound, int count) {
        var all = new Random(seed).ints(count, 0, bound).toArray();
        return Array.of(all).cast(dtype);
    }

    /**
     * Rows that many examples gather: from a whole table, from one per direction, from a part of
     * one.
     */
    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"F32", "F64"})
    void rows_picked_by_an_index(DType dtype) {
        int n = 1300;
        Fn<List<Tensor>, List<Tensor>> f =
                in -> {
                    var a = in.get(0).indexSelect(0, in.get(3));
                    var b = in.get(1).slice(1, 1, 5).indexSelect(0, in.get(4));
                    var joined = Tensors.concat(List.of(a, b), 1);
                    var each =
                            Ebb.<Tensor, Tensor>vmap(Ebb.jacobian(MergedLoopBitsTest::small))
                                    .apply(joined);
                    var many = in.get(2).indexSelect(1, in.get(3));
                    var turned = many.mul(a.unsqueeze(0)).add(b.slice(1, 0, 1).unsqueeze(0));
                    return List.of(each, turned, turned.sum(2), a);
                };
        var x =
                List.of(
                        values(dtype, 8, 30, 3),
                        values(dtype, 9, 20, 6),
                        values(dtype, 10, 4, 30, 3),
                        indices(DType.I64, 11, 30, n),
                        indices(DType.I32, 12, 20, n));
        assertThat(same(f, x)).isTrue();
    }

    @Test
    void an_index_outside_its_axis_names_the_op() {
        Fn<List<Tensor>, Tensor> f =
                in -> in.get(0).indexSelect(0, in.get(1)).square().sum(1).mul(2);
        var table = values(DType.F64, 13, 30, 3);
        var good = indices(DType.I64, 14, 30, 2000);
        var bad = indices(DType.I64, 14, 31, 2000);
        try (var run = Ebb.compile(f).on(LOOPS);
                var plain = Ebb.compile(f).on(KERNELS)) {
            var expected = plain.apply(List.of(table, good));
            for (int i = 0; i < 3; i++)
                assertThat(run.apply(List.of(table, good)).sameBits(expected)).isTrue();
            assertThat(run.report().kernels()).isEmpty();
            var message = assertThrows(() -> plain.apply(List.of(table, bad)));
            assertThat(message).contains("index 30 is outside an axis of 30 elements");
            assertThat(assertThrows(() -> run.apply(List.of(table, bad)))).isEqualTo(message);
            assertThat(run.apply(List.of(table, good)).sameBits(expected)).isTrue();
        }
    }

    private static String assertThrows(Runnable run) {
        return assertThatThrownBy(run::run)
                .isInstanceOf(IndexOutOfBoundsException.class)
                .actual()
                .getMessage();
    }

    /** A result that is read again, and a value that is two results. */
    @Test
    void results_that_others_read_too() {
        Fn<Tensor, List<Tensor>> f =
                x -> {
                    var each = Ebb.<Tensor, Tensor>vmap(MergedLoopBitsTest::small).apply(x);
                    return List.of(each, each.sum(0), each, each.slice(0, 3, 9));
                };
        assertThat(same(f, values(DType.F64, 15, 2100, 7))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 14})
    void rounds_on_short_vectors(int width) {
        Fn<List<Tensor>, Tensor> loss =
                in -> {
                    var w = in.get(0);
                    var begin = List.of(in.get(1), in.get(1).mul(0.5));
                    return Loop.scan(begin, in.get(2), (s, x) -> round(w, s, x)).stacked().sum();
                };
        same(
                Ebb.valueAndGrad(loss),
                List.of(
                        values(DType.F64, 5, 3, 2, width),
                        values(DType.F64, 6, 3, width),
                        values(DType.F64, 7, 20, width)));
    }

    /** Sixty-four examples have more numbers at once than there are registers for. */
    @Test
    void rounds_with_more_numbers_than_registers() {
        var each = Ebb.<Tensor, Tensor>vmap(Ebb.jacobian(MergedLoopBitsTest::small));
        Fn<List<Tensor>, Tensor> f =
                in ->
                        Loop.scan(
                                        in.get(0),
                                        in.get(1),
                                        (s, x) -> {
                                            var d = each.apply(s.add(x));
                                            return new Next<>(s.mul(0.9), d);
                                        })
                                .stacked();
        same(f, List.of(values(DType.F64, 16, 64, 7), values(DType.F64, 17, 6, 7)));
    }

    @Test
    void values_without_elements_between_others() {
        var x = values(DType.F64, 18, 1100, 3);
        Fn<Tensor, List<Tensor>> many =
                Ebb.vmap(
                        (Tensor v) -> {
                            var none = v.slice(0, 3, 3).mul(v.sum());
                            var all = Tensors.concat(List.of(v.roll(1, 0), none), 0);
                            return List.of(none.add(1), all.mul(none.sum().add(2)));
                        });
        same(many, x);
        Fn<Tensor, Tensor> rounds =
                in ->
                        Loop.repeat(
                                12,
                                in,
                                c -> {
                                    var none = c.slice(0, 8, 8).sin();
                                    var all = Tensors.concat(List.of(none, c.roll(1, 0)), 0);
                                    var a = all.mul(0.9).add(none.sum());
                                    return a.sub(a.sum()).mul(c).tanh().add(c.flip(0));
                                });
        same(rounds, values(DType.F64, 19, 8));
    }

    private static Next<List<Tensor>, Tensor> round(Tensor w, List<Tensor> state, Tensor x) {
        var input = x;
        var hidden = new ArrayList<Tensor>();
        var cells = new ArrayList<Tensor>();
        for (int l = 0; l < 3; l++) {
            var own = w.at(0, l);
            var gate = input.mul(own.at(0, 0)).add(state.get(0).at(0, l)).sigmoid();
            var cell = gate.mul(state.get(1).at(0, l)).add(input.mul(own.at(0, 1)).tanh());
            cells.add(cell);
            input = cell.mul(gate).sub(cell.mean());
            hidden.add(input);
        }
        var all = input.sub(input.exp().sum().add(2).log());
        return new Next<>(
                List.of(Tensors.stack(hidden, 0), Tensors.stack(cells, 0)), all.mul(x).sum());
    }
}
