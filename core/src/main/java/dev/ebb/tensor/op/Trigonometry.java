package dev.ebb.tensor.op;

import dev.ebb.ir.Scalar;
import dev.ebb.ir.Scalar.Fn1;
import dev.ebb.ir.Scalar.Fn2;
import dev.ebb.tensor.Binary;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Unary;

/** Circular and hyperbolic functions and their inverses. */
final class Trigonometry {
    private Trigonometry() {}

    record Sin() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return x.apply(Fn1.SIN);
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(x.cos());
        }
    }

    record Cos() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return x.apply(Fn1.COS);
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(x.sin()).neg();
        }
    }

    record Tan() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return x.apply(Fn1.TAN);
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(y.square().add(1));
        }
    }

    record Asin() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return x.apply(Fn1.ASIN);
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(x.square().neg().add(1).rsqrt());
        }
    }

    record Acos() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return x.apply(Fn1.ACOS);
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(x.square().neg().add(1).rsqrt()).neg();
        }
    }

    record Atan() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return x.apply(Fn1.ATAN);
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.div(x.square().add(1));
        }
    }

    record Sinh() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return x.apply(Fn1.SINH);
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(x.cosh());
        }
    }

    record Cosh() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return x.apply(Fn1.COSH);
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(x.sinh());
        }
    }

    record Tanh() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return x.tanh();
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(y.square().neg().add(1));
        }
    }

    record Asinh() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return x.apply(Fn1.ASINH);
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(x.square().add(1).rsqrt());
        }
    }

    record Acosh() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return x.apply(Fn1.ACOSH);
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(x.square().sub(1).rsqrt());
        }
    }

    record Atanh() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return x.apply(Fn1.ATANH);
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.div(x.square().neg().add(1));
        }
    }

    /** The angle of the point with ordinate x and abscissa y. */
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
}
