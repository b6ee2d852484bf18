package dev.ebb.reference;

import static dev.ebb.reference.Sample.spread;
import static dev.ebb.reference.Sample.unary;

import dev.ebb.ir.Shape;
import dev.ebb.science.Banded;
import dev.ebb.science.Complex;
import dev.ebb.science.Eigenvalues;
import dev.ebb.science.Fft;
import dev.ebb.science.Interpolation;
import dev.ebb.science.Normal;
import dev.ebb.science.SpecialFunctions;
import dev.ebb.science.Tridiagonal;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;

/** Samples of what {@code dev.ebb.science} adds: its own ops, and compositions of some size. */
final class ScienceSamples implements SampleTable {

    @Override
    public List<Sample> samples() {
        return List.of(
                unary("normal density", -2, 2, Normal::density),
                unary("normal distribution", -2, 2, Normal::distribution),
                unary("normal log distribution", -4, 2, Normal::logDistribution),
                unary("normal quantile", 0.05, 0.95, Normal::quantile),
                unary("besselJ1", -3, 3, SpecialFunctions::besselJ1),
                unary("besselI0", -3, 3, SpecialFunctions::besselI0),
                Sample.of(
                        "tridiagonal",
                        n -> List.of(spread(-1, 1, 1, 2, n), spread(-1, 1, 2, 3, n + 1)),
                        n -> Shape.of(3, n + 1),
                        in -> tridiagonal(in.get(0), in.get(1))),
                Sample.of(
                        "banded",
                        n -> List.of(spread(-1, 1, 1, n + 1, 4), spread(-1, 1, 2, 2, n + 1)),
                        n -> Shape.of(2, n + 1),
                        in -> banded(in.get(0), in.get(1))),
                Sample.of(
                        "fft",
                        n -> List.of(spread(-1, 1, 1, 2, n + 1), spread(-1, 1, 2, 2, n + 1)),
                        n -> Shape.of(2, n + 1),
                        in -> Fft.forward(new Complex(in.get(0), in.get(1))).re()),
                Sample.of(
                                "eigenvalues",
                                n -> List.of(spread(-1, 1, 1, 2, 3, 3)),
                                n -> Shape.of(2, 3),
                                in -> Eigenvalues.of(steep(in.getFirst())).re())
                        .only(3),
                unary("linear interpolation", 0.1, 3.9, ScienceSamples::linear),
                unary("spline", -0.4, 4.4, ScienceSamples::spline));
    }

    private static Tensor tridiagonal(Tensor sides, Tensor right) {
        var diagonal = right.mul(0.3).add(2.5);
        return Tridiagonal.solve(sides.at(0, 0), diagonal, sides.at(0, 1), right);
    }

    private static Tensor banded(Tensor bands, Tensor right) {
        var main = Tensors.ones(bands.dtype(), 1).mul(4).pad(List.of(1), List.of(2));
        return Banded.solve(bands.add(main), 1, right);
    }

    /** Small elements beside a diagonal of 1, 2, 3. */
    private static Tensor steep(Tensor x) {
        return x.mul(0.1).add(Tensors.linspace(x.dtype(), 1, 3, 3).diag());
    }

    private static Tensor linear(Tensor x) {
        var xs = Tensors.linspace(x.dtype(), 0, 4, 5);
        return Interpolation.linear(xs, xs.sin(), x);
    }

    private static Tensor spline(Tensor x) {
        var xs = Tensors.linspace(x.dtype(), 0, 4, 6);
        return Interpolation.spline(xs, xs.cos(), Interpolation.Ends.NATURAL).at(x);
    }
}
