package dev.ebb.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.network.Pool;
import dev.ebb.tensor.network.Reduction;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Sums of many terms, which their own type would lose or overflow on the way. */
public abstract class WideSums extends OnDevice {
    private static final List<DType> NARROW = List.of(DType.BF16, DType.F16);

    /** A multiple of 16, so that all types hold it; bf16 stops counting at 256. */
    private static final int MANY = 2000;

    /** Where f32 stops counting. */
    private static final double END = 0x1p24;

    protected WideSums() {}

    private static Tensor filled(DType type, double x, int... dims) {
        return Array.of(new double[] {x}).cast(type).broadcastTo(Shape.of(dims)).add(0);
    }

    private static double last(double[] x) {
        return x[x.length - 1];
    }

    /** The largest f32 that counts, and 64 ones. */
    private static Tensor end() {
        var x = new float[65];
        Arrays.fill(x, 1);
        x[0] = (float) END;
        return Array.of(x);
    }

    @Test
    void an_embedding_that_is_read_often_gets_every_cotangent() {
        for (var type : NARROW) {
            var index = Tensors.zeros(DType.I64, Shape.of(MANY));
            var table = filled(type, 1, 3, 70);
            var d = slope(t -> t.embedding(index), table);
            assertThat(d[0]).isEqualTo(MANY);
            assertThat(d[69]).isEqualTo(MANY);
            assertThat(d[70]).isZero();
        }
        var zeros = Tensors.zeros(DType.I64, Shape.of(65));
        var sum = value(t -> t.mul(0).slice(0, 0, 1).indexAdd(0, zeros, t), end());
        assertThat(sum).containsExactly(END + 64);
    }

    @Test
    void running_sums_do_not_stop() {
        for (var type : NARROW) {
            assertThat(last(value(t -> t.cumsum(0), filled(type, 1, MANY)))).isEqualTo(MANY);
            assertThat(slope(t -> t.cumsum(0), filled(type, 1, MANY))[0]).isEqualTo(MANY);
            var columns = value(t -> t.cumsum(0), filled(type, 1, MANY, 3));
            assertThat(last(columns)).isEqualTo(MANY);
        }
        assertThat(last(value(t -> t.cumsum(0), end()))).isEqualTo(END + 64);
    }

    @Test
    void statistics_of_f16_do_not_overflow() {
        var x = filled(DType.F16, 1000, MANY);
        var all = List.of(0);
        assertThat(value(t -> t.mean(), x)).containsExactly(1000);
        assertThat(slope(t -> t.mean(), x)[0]).isCloseTo(1.0 / MANY, within(1e-6));
        assertThat(value(t -> t.norm(2, all, false), filled(DType.F16, 100, MANY))[0])
                .isCloseTo(100 * Math.sqrt(MANY), within(2.0));
        var steps = new float[MANY];
        for (int i = 0; i < MANY; i++) steps[i] = i % 2 * 200;
        var halves = Array.of(steps).cast(DType.F16);
        assertThat(value(t -> t.variance(all, 0, false), halves)).containsExactly(10_000);
        assertThat(value(t -> t.deviation(all, 0, false), halves)).containsExactly(100);
        assertThat(value(t -> t.logsumexp(0), filled(DType.F16, 0, 70_000))[0])
                .isCloseTo(Math.log(70_000), within(0.01));
    }

    @Test
    void losses_of_f16_do_not_overflow() {
        var x = Array.of(new float[] {320, 0, 0, 0}).cast(DType.F16);
        Fn<Tensor, Tensor> zero = t -> t.mul(0);
        assertThat(value(t -> t.mseLoss(zero.apply(t)), x)).containsExactly(25_600);
        var many = filled(DType.F16, 100, MANY);
        assertThat(value(t -> t.l1Loss(zero.apply(t)), many)).containsExactly(100);
        assertThat(value(t -> t.huberLoss(zero.apply(t), 200), many)).containsExactly(5000);
        assertThat(value(t -> t.bceWithLogits(zero.apply(t)), many)).containsExactly(100);
        assertThat(value(t -> t.l1Loss(zero.apply(t), Reduction.SUM), x)).containsExactly(320);
    }

    @Test
    void a_value_that_is_used_often_gets_every_cotangent() {
        for (var type : NARROW) {
            Fn<Tensor, Tensor> often =
                    x -> {
                        var y = x;
                        for (int i = 1; i < 400; i++) y = y.mul(0).add(x);
                        return Tensors.concat(List.of(y, repeated(x, 399)), 0);
                    };
            assertThat(slope(often, filled(type, 1, 2))).containsExactly(400, 400);
        }
    }

    private static Tensor repeated(Tensor x, int times) {
        var all = new ArrayList<Tensor>();
        for (int i = 0; i < times; i++) all.add(x.mul(1));
        return Tensors.concat(all, 0);
    }

    @Test
    void a_constant_of_a_loop_gets_every_cotangent() {
        for (var type : NARROW) {
            Fn<Tensor, Tensor> loop = x -> Loop.repeat(400, x.mul(0), c -> c.mul(1).add(x));
            assertThat(slope(loop, filled(type, 1, 2))).containsExactly(400, 400);
        }
    }

    @Test
    void pooling_of_sixteen_bits_adds_in_32() {
        // 255 windows of 129 x 1 share the largest element, three times over
        var x = new float[257];
        x[128] = 1;
        for (var type : NARROW) {
            var rows = Array.of(x).cast(type).reshape(1, 1, 257);
            var d = slope(t -> t.maxPool(Pool.of(129).stride(1)).mul(3), rows);
            assertThat(d[128]).isEqualTo(type == DType.BF16 ? 388 : 387);
            var ones = filled(type, 1, 1, 1, 20);
            assertThat(value(t -> t.avgPool(Pool.of(7).stride(1)), ones)).containsOnly(1);
            assertThat(value(t -> t.adaptiveAvgPool(3), ones)).containsOnly(1);
        }
    }

    @Test
    void counting_in_sixteen_bits_is_rounded_once() {
        Fn<Tensor, Tensor> line = t -> Tensors.linspace(DType.BF16, 0, 1, 1001).add(t);
        var x = value(line, filled(DType.BF16, 0, 1));
        for (int i = 0; i <= 1000; i++) {
            assertThat(x[i]).isCloseTo(i / 1000.0, within(i / 1000.0 * 0x1p-8));
        }
        Fn<Tensor, Tensor> range = t -> Tensors.arange(DType.F16, 0, 3, 0.001).add(t);
        assertThat(value(range, filled(DType.F16, 0, 1))[2999]).isCloseTo(2.999, within(2e-3));
    }
}
