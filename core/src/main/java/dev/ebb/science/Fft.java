package dev.ebb.science;

import dev.ebb.ir.Kernel;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;

/**
 * The discrete Fourier transform along the last axis, of any length, in time n log n. It is
 * computed in double, on a card's host; its derivative is a transform again.
 */
public final class Fft {
    private Fft() {}

    /** {@code y[k] = sum_j x[j] exp(-2 pi i j k / n)}. */
    public static Complex forward(Complex x) {
        return apply(x, false);
    }

    /** The inverse: {@code x[j] = 1/n sum_k y[k] exp(2 pi i j k / n)}. */
    public static Complex inverse(Complex y) {
        return apply(y, true).mul(1.0 / y.re().dim(-1));
    }

    /**
     * The first {@code n / 2 + 1} elements of the transform of real numbers; they are all of it.
     */
    public static Complex real(Tensor x) {
        var y = forward(Complex.of(x));
        int half = x.dim(-1) / 2 + 1;
        return new Complex(y.re().slice(-1, 0, half), y.im().slice(-1, 0, half));
    }

    /**
     * The {@code n} real numbers whose transform begins with the {@code n / 2 + 1} of {@code y}.
     */
    public static Tensor realInverse(Complex y, int n) {
        if (y.re().rank() == 0 || n < 1 || y.re().dim(-1) != n / 2 + 1) {
            throw new ShapeException(
                    "Fft.realInverse to length %s of %s; its last axis must be %s"
                            .formatted(n, y.re().type(), n / 2 + 1));
        }
        int mirrored = (n + 1) / 2;
        var re = y.re().slice(-1, 1, mirrored).flip(-1);
        var im = y.im().slice(-1, 1, mirrored).flip(-1).neg();
        var whole =
                new Complex(
                        Tensors.concat(List.of(y.re(), re), -1),
                        Tensors.concat(List.of(y.im(), im), -1));
        return inverse(whole).re();
    }

    private static Complex apply(Complex x, boolean inverse) {
        if (x.re().rank() == 0 || x.re().dim(-1) == 0) {
            throw new ShapeException(
                    "Fft of " + x.re().type() + "; it goes along a last axis that is not empty");
        }
        var y = x.re().applyAll(new Transform(inverse), x.im());
        return new Complex(y.get(0), y.get(1));
    }

    /** Without a factor in either direction, so that each is the other's adjoint. */
    record Transform(boolean inverse) implements EachLine.LineOp {
        @Override
        public String name() {
            return inverse ? "fft_inverse" : "fft";
        }

        @Override
        public List<Type> infer(List<Type> in) {
            return in;
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var shape = in.getFirst().shape();
            int n = shape.dim(shape.rank() - 1);
            int count = Math.toIntExact(in.getFirst().size() / n);
            double sign = inverse ? 1 : -1;
            return new EachLine(
                    count,
                    FourierLine.doubles(n),
                    (number, from, to, workspace) -> {
                        var line = new FourierLine(n, sign, workspace.segment());
                        if (number == 0) line.prepare();
                        line.run((long) number * n, from, to);
                    });
        }

        @Override
        public void vjp(Rule rule) {
            var other = new Transform(!inverse);
            var back = rule.dout(0).applyAll(other, rule.dout(1));
            rule.add(0, back.get(0));
            rule.add(1, back.get(1));
        }
    }
}
