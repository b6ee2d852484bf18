package dev.ebb.science;

import dev.ebb.Fn;
import dev.ebb.ir.DType;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

/**
 * Integrals by Gauss and Legendre's rule with a fixed number of points: exact for polynomials of
 * degree up to twice the number of points minus one, and accurate for functions that such
 * polynomials approximate well. A kink or a pole between the bounds ruins it: cut the integral
 * there.
 *
 * @param points how many, from 1 to 1000
 */
public record Quadrature(int points) {

    public Quadrature {
        if (points < 1 || points > 1000) {
            throw new IllegalArgumentException(
                    "a rule of " + points + " points; it can have 1 to 1000");
        }
    }

    /**
     * The integral of {@code f} from {@code low} to {@code high}, two tensors of one shape. {@code
     * f} takes all points at once, along a new last axis, and works element by element. Gradients
     * flow to the bounds and to what {@code f} closes over.
     */
    public Tensor integrate(Fn<Tensor, Tensor> f, Tensor low, Tensor high) {
        Floats.alike("Quadrature.integrate", low, high);
        var half = high.sub(low).mul(0.5);
        var middle = low.add(high).mul(0.5);
        var places = middle.unsqueeze(-1).add(half.unsqueeze(-1).mul(constant(nodes(), low)));
        return f.apply(places).mul(constant(weights(), low)).sum(-1).mul(half);
    }

    /** The integral between two numbers, in f64. */
    public Tensor integrate(Fn<Tensor, Tensor> f, double low, double high) {
        return integrate(f, Array.scalar(low), Array.scalar(high));
    }

    private static Tensor constant(double[] x, Tensor like) {
        Tensor all = Array.of(x);
        return like.dtype() == DType.F64 ? all : all.cast(like.dtype());
    }

    /** The places between -1 and 1, ascending. */
    public double[] nodes() {
        var x = new double[points];
        for (int i = 0; i < points; i++) x[i] = -root(i);
        return x;
    }

    /** The weight of each point; the weights add up to 2. */
    public double[] weights() {
        var w = new double[points];
        for (int i = 0; i < points; i++) {
            double x = root(i);
            double slope = legendre(x)[1];
            w[i] = 2 / ((1 - x * x) * slope * slope);
        }
        return w;
    }

    /** Root {@code i} of the Legendre polynomial, the largest first, by Newton's method. */
    private double root(int i) {
        if (2 * i + 1 == points) return 0;
        if (i >= points / 2) return -root(points - 1 - i);
        double x = StrictMath.cos(Math.PI * (i + 0.75) / (points + 0.5));
        for (int iteration = 0; iteration < 8; iteration++) {
            var p = legendre(x);
            x -= p[0] / p[1];
        }
        return x;
    }

    /** The Legendre polynomial of degree {@code points} at x, and its derivative. */
    private double[] legendre(double x) {
        double before = 1;
        double here = x;
        for (int k = 2; k <= points; k++) {
            double next = ((2 * k - 1) * x * here - (k - 1) * before) / k;
            before = here;
            here = next;
        }
        return new double[] {here, points * (x * here - before) / (x * x - 1)};
    }
}
