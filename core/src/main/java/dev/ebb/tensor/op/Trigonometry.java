package dev.ebb.tensor.op;

import dev.ebb.ir.Scalar;
import dev.ebb.ir.Scalar.Fn2;
import dev.ebb.tensor.Binary;
import dev.ebb.tensor.Tensor;

/** Circular and hyperbolic functions and their inverses. */
final class Trigonometry {
    private Trigonometry() {}

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
