package dev.ebb.tensor.op;

import static dev.ebb.tensor.Literals.lit;

import dev.ebb.ir.Fn1;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Scalar.Fn2;
import dev.ebb.tensor.Binary;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.Unary;

/** Exponentials, logarithms and powers. */
final class Exponentials {
    private Exponentials() {}

    /** A constant power. */
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

    /** Powers. The slopes at a base of zero are the limits where there are any: 0^0 is 1. */
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

    /**
     * log(exp(x) + exp(y)) without overflow, infinities included. Within 4 units in the last place
     * of the largest of one, x and y, which is more than its own where the two powers add up to
     * nearly one.
     */
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

    /** x log(y), and zero where x is zero, even at y = 0. */
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
}
