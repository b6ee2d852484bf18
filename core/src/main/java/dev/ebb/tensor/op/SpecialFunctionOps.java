package dev.ebb.tensor.op;

import static dev.ebb.tensor.Literals.lit;

import dev.ebb.ir.Scalar;
import dev.ebb.ir.Scalar.Fn2;
import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Unary;

/** The error function, the gamma function and their kin. */
final class SpecialFunctionOps {
    private SpecialFunctionOps() {}

    /** The derivative of order {@code order} of digamma, which is that of log gamma. */
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
}
