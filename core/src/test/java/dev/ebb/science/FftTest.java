package dev.ebb.science;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Differences;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.ir.DType;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.util.List;

class FftTest {

    private static Complex random(int seed, int... dims) {
        return new Complex(Differences.normal(seed, dims), Differences.normal(seed + 1, dims));
    }

    /** The sum that defines it. */
    private static double[][] slow(double[] re, double[] im) {
        int n = re.length;
        var out = new double[2][n];
        for (int k = 0; k < n; k++) {
            for (int j = 0; j < n; j++) {
                double angle = -2 * Math.PI * ((long) j * k % n) / n;
                out[0][k] += re[j] * Math.cos(angle) - im[j] * Math.sin(angle);
                out[1][k] += re[j] * Math.sin(angle) + im[j] * Math.cos(angle);
            }
        }
        return out;
    }

    @Test
    void every_length_is_the_sum_that_defines_it() {
        for (int n : new int[] {1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 16, 17, 31, 60, 64, 97, 100, 128}) {
            var x = random(n, 2, n);
            var y = Fft.forward(x);
            for (int line = 0; line < 2; line++) {
                var expected = slow(x.re().at(0, line).toDoubles(), x.im().at(0, line).toDoubles());
                assertThat(y.re().at(0, line).toDoubles())
                        .containsExactly(expected[0], within(3e-15 * n + 1e-14));
                assertThat(y.im().at(0, line).toDoubles())
                        .containsExactly(expected[1], within(3e-15 * n + 1e-14));
            }
            var back = Fft.inverse(y);
            assertThat(back.re().sub(x.re()).abs().amax().item()).isLessThan(1e-14);
            assertThat(back.im().sub(x.im()).abs().amax().item()).isLessThan(1e-14);
            var real = Fft.realInverse(Fft.real(x.re()), n);
            assertThat(real.sub(x.re()).abs().amax().item()).isLessThan(1e-14);
        }
    }

    @Test
    void derivatives_are_transforms() {
        for (int n : new int[] {8, 6}) {
            Fn<List<Tensor>, Tensor> f =
                    in -> {
                        var y = Fft.forward(new Complex(in.get(0), in.get(1)));
                        return Fft.inverse(y.mul(y)).re().add(y.abs());
                    };
            Differences.check(f, Differences.normal(1, 2, n), Differences.normal(2, 2, n));
        }
        Differences.check(
                in -> Fft.realInverse(Fft.real(in.getFirst()).mul(Fft.real(in.getLast())), 5),
                Differences.normal(3, 5),
                Differences.normal(4, 5));
    }

    @Test
    void many_at_once_in_either_precision() {
        var x = random(5, 3, 10);
        var mapped = Ebb.vmap(Fft::forward).apply(x);
        assertThat(((Array) mapped.re()).sameBits((Array) Fft.forward(x).re())).isTrue();
        var single = new Complex(x.re().cast(DType.F32), x.im().cast(DType.F32));
        var off = Fft.forward(single).re().cast(DType.F64).sub(mapped.re()).abs().amax().item();
        assertThat(off).isLessThan(2e-6);
    }

    @Test
    void arithmetic_of_complex_numbers() {
        var a = new Complex(Array.of(3.0, -1.0), Array.of(4.0, 0.5));
        var b = new Complex(Array.of(1.0, 2.0), Array.of(-2.0, 0.25));
        pair(a.mul(b), new double[] {11, -2.125}, new double[] {-2, 0.75});
        pair(a.div(b).mul(b), a.re().toDoubles(), a.im().toDoubles());
        pair(a.log().exp(), a.re().toDoubles(), a.im().toDoubles());
        pair(a.pow(0.5).mul(a.pow(0.5)), a.re().toDoubles(), a.im().toDoubles());
        assertThat(a.abs().toDoubles()[0]).isEqualTo(5);
        pair(a.add(b).sub(b).neg().conjugate(), new double[] {-3, 1}, new double[] {4, 0.5});
        var m = new Complex(Differences.normal(1, 2, 2), Differences.normal(2, 2, 2));
        var mm = m.adjoint().matmul(m);
        assertThat(mm.im().diagonal().abs().amax().item()).isLessThan(1e-15);
        // an argument and a gradient like any record
        Fn<Complex, Tensor> f = z -> z.mul(z).exp().sum().re();
        var g = Ebb.compile(Ebb.grad(f)).apply(b);
        var slope = b.mul(b).exp().mul(b).mul(2);
        pair(g, slope.re().toDoubles(), slope.conjugate().im().toDoubles());
        Differences.check(
                in -> {
                    var z = new Complex(in.get(0), in.get(1));
                    return z.log().mul(z.exp()).div(z.pow(1.5)).abs();
                },
                Array.of(3.0, -1.0),
                Array.of(4.0, 0.5));
    }

    private static void pair(Complex got, double[] re, double[] im) {
        assertThat(got.re().toDoubles()).containsExactly(re, within(1e-13));
        assertThat(got.im().toDoubles()).containsExactly(im, within(1e-13));
    }

    @Test
    void what_does_not_fit_is_named() {
        assertThatThrownBy(() -> new Complex(Array.of(1.0), Array.of(1f)))
                .hasMessageContaining("one type");
        assertThatThrownBy(() -> Fft.realInverse(random(1, 5), 20))
                .hasMessageContaining("must be 11");
        assertThatThrownBy(() -> Fft.forward(Complex.of(Tensors.zeros(DType.F64, 0))))
                .hasMessageContaining("not empty");
    }
}
