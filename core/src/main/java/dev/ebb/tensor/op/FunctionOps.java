package dev.ebb.tensor.op;

import static dev.ebb.tensor.Literals.lit;

import dev.ebb.ir.Fn1;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Scalar.Fn2;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.tensor.Binary;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.Unary;
import dev.ebb.tensor.ZeroDerivative;

import java.util.List;

/**
 * Functions, element by element: powers, exponentials, circular and hyperbolic functions, the error
 * and the gamma function, rounding.
 */
public interface FunctionOps {

    private Tensor self() {
        return (Tensor) this;
    }

    /**
     * This to the power of {@code y}. The slopes at a base of zero are the limits where there are
     * any: 0^0 is 1.
     */
    default Tensor pow(Tensor y) {
        record Pow() implements Binary {
            @Override
            public Scalar at(Scalar x, Scalar y) {
                return x.apply(Fn2.POW, y);
            }

            @Override
            public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
                var lower = Tensors.where(y.eq(0), y.literal(0), y.sub(1));
                var base = Tensors.where(x.eq(0).and(y.ge(0)), x.literal(1), x);
                return new Pair(dz.mul(y).mul(x.pow(lower)), dz.mul(z).mul(base.log()));
            }
        }
        return self().apply(new Pow(), y);
    }

    default Tensor pow(double exponent) {
        record PowScalar(double exponent) implements Unary {
            @Override
            public String name() {
                return "pow(" + exponent + ")";
            }

            @Override
            public Scalar at(Scalar x) {
                return x.apply(Fn2.POW, lit(exponent));
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                return exponent == 0
                        ? Tensors.fill(x.type(), 0)
                        : dy.mul(x.pow(exponent - 1).mul(exponent));
            }
        }
        return self().apply(new PowScalar(exponent));
    }

    /** The angle of the point with ordinate {@code this} and abscissa {@code y}. */
    default Tensor atan2(Tensor y) {
        record Atan2() implements Binary {
            @Override
            public Scalar at(Scalar x, Scalar y) {
                return x.apply(Fn2.ATAN2, y);
            }

            @Override
            public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
                var d = dz.div(x.square().add(y.square()));
                return new Pair(d.mul(y), d.mul(x).neg());
            }
        }
        return self().apply(new Atan2(), y);
    }

    /** The length of the hypotenuse, without overflow. */
    default Tensor hypot(Tensor y) {
        record Hypot() implements Binary {
            @Override
            public Scalar at(Scalar x, Scalar y) {
                return x.apply(Fn2.HYPOT, y);
            }

            @Override
            public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
                return new Pair(dz.mul(x.div(z)), dz.mul(y.div(z)));
            }
        }
        return self().apply(new Hypot(), y);
    }

    /**
     * The logarithm of a sum of exponentials, without overflow, infinities included. Within 4 units
     * in the last place of the largest of one, x and y, which is more than its own where the two
     * powers add up to nearly one.
     */
    default Tensor logaddexp(Tensor y) {
        record Logaddexp() implements Binary {
            @Override
            public Scalar at(Scalar x, Scalar y) {
                var apart = x.max(y).add(x.sub(y).abs().neg().exp().log1p());
                return x.eq(y).select(x.add(lit(StrictMath.log(2))), apart);
            }

            @Override
            public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
                // equals share, infinite ones too, whose difference is NaN
                var apart = Tensors.where(x.eq(y), x.literal(0), x.sub(y));
                return new Pair(dz.mul(apart.sigmoid()), dz.mul(apart.neg().sigmoid()));
            }
        }
        return self().apply(new Logaddexp(), y);
    }

    /** {@code this * log(y)}, and zero where this is zero, even at y = 0. */
    default Tensor xlogy(Tensor y) {
        record Xlogy() implements Binary {
            @Override
            public Scalar at(Scalar x, Scalar y) {
                return x.eq(lit(0)).select(y.apply(Fn1.IS_NAN).select(y, lit(0)), x.mul(y.log()));
            }

            @Override
            public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
                var safe = Tensors.where(x.eq(0).and(y.le(0)), y.literal(1), y);
                return new Pair(dz.mul(safe.log()), dz.mul(x).div(y));
            }
        }
        return self().apply(new Xlogy(), y);
    }

    default Tensor sqrt() {
        return self().apply(new Function(Fn1.SQRT));
    }

    /** The cube root, of negative numbers too. */
    default Tensor cbrt() {
        return self().apply(new Function(Fn1.CBRT));
    }

    default Tensor rsqrt() {
        record Rsqrt() implements Unary {
            @Override
            public Scalar at(Scalar x) {
                return lit(1).div(x.sqrt());
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                return dy.mul(y.mul(y.square())).mul(-0.5);
            }
        }
        return self().apply(new Rsqrt());
    }

    default Tensor exp() {
        return self().apply(new Function(Fn1.EXP));
    }

    default Tensor expm1() {
        return self().apply(new Function(Fn1.EXPM1));
    }

    default Tensor log() {
        return self().apply(new Function(Fn1.LOG));
    }

    default Tensor log1p() {
        return self().apply(new Function(Fn1.LOG1P));
    }

    default Tensor log2() {
        return self().apply(new Function(Fn1.LOG2));
    }

    default Tensor sin() {
        return self().apply(new Function(Fn1.SIN));
    }

    default Tensor cos() {
        return self().apply(new Function(Fn1.COS));
    }

    default Tensor tan() {
        return self().apply(new Function(Fn1.TAN));
    }

    default Tensor asin() {
        return self().apply(new Function(Fn1.ASIN));
    }

    default Tensor acos() {
        return self().apply(new Function(Fn1.ACOS));
    }

    default Tensor atan() {
        return self().apply(new Function(Fn1.ATAN));
    }

    default Tensor sinh() {
        return self().apply(new Function(Fn1.SINH));
    }

    default Tensor cosh() {
        return self().apply(new Function(Fn1.COSH));
    }

    default Tensor tanh() {
        return self().apply(new Function(Fn1.TANH));
    }

    default Tensor asinh() {
        return self().apply(new Function(Fn1.ASINH));
    }

    default Tensor acosh() {
        return self().apply(new Function(Fn1.ACOSH));
    }

    default Tensor atanh() {
        return self().apply(new Function(Fn1.ATANH));
    }

    default Tensor erf() {
        return self().apply(new Function(Fn1.ERF));
    }

    default Tensor erfc() {
        return self().apply(new Function(Fn1.ERFC));
    }

    default Tensor erfinv() {
        return self().apply(new Function(Fn1.ERFINV));
    }

    default Tensor lgamma() {
        return self().apply(new Function(Fn1.LGAMMA));
    }

    /** The derivative of {@link #lgamma}. */
    default Tensor digamma() {
        return polygamma(0);
    }

    /** The derivative of this order of {@link #digamma}. */
    default Tensor polygamma(int order) {
        record Polygamma(int order) implements Unary {
            Polygamma {
                if (order < 0) {
                    throw new ShapeException(
                            "polygamma: order " + order + " is negative; 0 is digamma itself");
                }
            }

            @Override
            public String name() {
                return "polygamma(" + order + ")";
            }

            @Override
            public Scalar at(Scalar x) {
                return lit(order).apply(Fn2.POLYGAMMA, x);
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                return dy.mul(x.polygamma(order + 1));
            }
        }
        return self().apply(new Polygamma(order));
    }

    default Tensor sign() {
        return step(Fn1.SIGN);
    }

    default Tensor floor() {
        return step(Fn1.FLOOR);
    }

    default Tensor ceil() {
        return step(Fn1.CEIL);
    }

    /** The nearest whole number, half to even. */
    default Tensor round() {
        return step(Fn1.ROUND);
    }

    /** A function that is constant between its jumps, so the derivative is zero. */
    private Tensor step(Fn1 fn) {
        record Step(Fn1 fn) implements ZeroDerivative {
            @Override
            public String name() {
                return fn.text();
            }

            @Override
            public List<Type> infer(List<Type> in) {
                var x = in.getFirst();
                if (!x.dtype().isFloat() && !(fn == Fn1.SIGN && x.dtype().isInteger())) {
                    throw new ShapeException(
                            name() + " does not take " + x + "; cast it first, for example to f32");
                }
                return in;
            }

            @Override
            public Kernel kernel(List<Type> in) {
                var shape = in.getFirst().shape();
                return Kernel.Map.of(
                        shape, List.of(View.contiguous(shape)), Scalar.arg(0).apply(fn));
            }
        }
        return self().apply(new Step(fn));
    }
}
