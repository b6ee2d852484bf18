package dev.ebb.science;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Type;
import dev.ebb.ir.math.Bessel;
import dev.ebb.ir.math.Incomplete;
import dev.ebb.ir.math.IncompleteSlopes;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** Functions of up to three numbers that are computed one by one; the last one is {@code x}. */
@SuppressWarnings("ImmutableEnumChecker") // functions without state
enum Pointwise {
    GAMMA_LOWER((a, x, _) -> Incomplete.gammaLower(a, x)),
    GAMMA_UPPER((a, x, _) -> Incomplete.gammaUpper(a, x)),
    BETA(Incomplete::beta),
    GAMMA_BY_SHAPE((a, x, _) -> IncompleteSlopes.gammaLower(a, x)),
    BETA_BY_FIRST(IncompleteSlopes::betaByFirst),
    BETA_BY_SECOND(IncompleteSlopes::betaBySecond),
    BESSEL_J0((x, _, _) -> Bessel.j0(x)),
    BESSEL_J1((x, _, _) -> Bessel.j1(x)),
    BESSEL_I0((x, _, _) -> Bessel.i0(x)),
    BESSEL_I1((x, _, _) -> Bessel.i1(x)),
    BESSEL_I0_SCALED((x, _, _) -> Bessel.i0Scaled(x)),
    BESSEL_I1_SCALED((x, _, _) -> Bessel.i1Scaled(x));

    interface Meaning {
        double at(double first, double second, double third);
    }

    private final Meaning meaning;

    Pointwise(Meaning meaning) {
        this.meaning = meaning;
    }

    String title() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The derivative by operand {@code i}, given the operands and the value. */
    private Tensor slope(int i, List<Tensor> in, Tensor y) {
        var x = in.getLast();
        boolean byShape = i < in.size() - 1;
        return switch (this) {
            case GAMMA_LOWER -> byShape ? of(GAMMA_BY_SHAPE, in) : gammaDensity(in.getFirst(), x);
            case GAMMA_UPPER ->
                    (byShape ? of(GAMMA_BY_SHAPE, in) : gammaDensity(in.getFirst(), x)).neg();
            case BETA ->
                    byShape
                            ? of(i == 0 ? BETA_BY_FIRST : BETA_BY_SECOND, in)
                            : betaDensity(in.get(0), in.get(1), x);
            case GAMMA_BY_SHAPE -> {
                if (byShape) throw noSecond();
                var density = gammaDensity(in.getFirst(), x);
                yield density.xlogy(x).sub(density.mul(in.getFirst().digamma()));
            }
            case BETA_BY_FIRST -> {
                if (byShape) throw noSecond();
                var density = betaDensity(in.get(0), in.get(1), x);
                var both = in.get(0).add(in.get(1)).digamma();
                yield density.xlogy(x).add(density.mul(both.sub(in.get(0).digamma())));
            }
            case BETA_BY_SECOND -> {
                if (byShape) throw noSecond();
                var density = betaDensity(in.get(0), in.get(1), x);
                var both = in.get(0).add(in.get(1)).digamma();
                yield density.xlogy(x.neg().add(1)).add(density.mul(both.sub(in.get(1).digamma())));
            }
            case BESSEL_J0 -> SpecialFunctions.besselJ1(x).neg();
            case BESSEL_J1 -> SpecialFunctions.besselJ0(x).sub(over(y, x));
            case BESSEL_I0 -> SpecialFunctions.besselI1(x);
            case BESSEL_I1 -> SpecialFunctions.besselI0(x).sub(over(y, x));
            case BESSEL_I0_SCALED -> SpecialFunctions.besselI1Scaled(x).sub(x.sign().mul(y));
            case BESSEL_I1_SCALED ->
                    SpecialFunctions.besselI0Scaled(x).sub(over(y, x)).sub(x.sign().mul(y));
        };
    }

    private static Tensor of(Pointwise function, List<Tensor> in) {
        var others = in.subList(1, in.size()).toArray(new Tensor[0]);
        return in.getFirst().apply(new Apply(function), others);
    }

    private IllegalStateException noSecond() {
        return new IllegalStateException(
                title()
                        + " is a derivative by a shape parameter and can only be differentiated"
                        + " again by x; detach the shape parameter in one of the derivatives");
    }

    private static Tensor gammaDensity(Tensor a, Tensor x) {
        return a.sub(1).xlogy(x).sub(x).sub(a.lgamma()).exp();
    }

    private static Tensor betaDensity(Tensor a, Tensor b, Tensor x) {
        var size = a.add(b).lgamma().sub(a.lgamma()).sub(b.lgamma());
        return a.sub(1).xlogy(x).add(b.sub(1).xlogy(x.neg().add(1))).add(size).exp();
    }

    /** {@code y / x} for a function of order one, whose limit at zero is a half. */
    private static Tensor over(Tensor y, Tensor x) {
        var zero = x.eq(0);
        return Tensors.where(zero, x.literal(0.5), y.div(Tensors.where(zero, x.literal(1), x)));
    }

    /** One of these functions of operands of one shape. */
    record Apply(Pointwise function) implements EachLine.LineOp {
        @Override
        public String name() {
            return function.title();
        }

        @Override
        public List<Type> infer(List<Type> in) {
            return List.of(in.getLast());
        }

        @Override
        public Kernel kernel(List<Type> in) {
            long size = in.getLast().size();
            return new EachLine(1, 0, (_, from, to, _) -> all(size, from, to.getFirst()));
        }

        private void all(long size, List<Buffer> in, Buffer out) {
            var second = in.get(Math.min(1, in.size() - 1));
            for (long i = 0; i < size; i++) {
                double first = in.getFirst().get(i);
                out.set(i, function.meaning.at(first, second.get(i), in.getLast().get(i)));
            }
        }

        @Override
        public void vjp(Rule rule) {
            int last = rule.operands() - 1;
            var in = IntStream.rangeClosed(0, last).mapToObj(rule::in).toList();
            for (int i = 0; i <= last; i++) {
                if (rule.wants(i))
                    rule.add(i, rule.dout(0).mul(function.slope(i, in, rule.out(0))));
            }
        }
    }
}
