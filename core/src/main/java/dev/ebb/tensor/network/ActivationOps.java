package dev.ebb.tensor.network;

import static dev.ebb.tensor.Literals.lit;
import static dev.ebb.tensor.op.Elementwise.choose;

import dev.ebb.ir.Fn1;
import dev.ebb.ir.Scalar;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.Unary;

/**
 * Activations of networks, element by element. Piecewise linear ones keep only bits for their
 * derivative.
 */
public interface ActivationOps {

    private Tensor self() {
        return (Tensor) this;
    }

    default Tensor relu() {
        record Relu() implements Unary {
            @Override
            public Scalar at(Scalar x) {
                return x.max(lit(0));
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                return choose(y.le(0), dy.literal(0), dy);
            }
        }
        return self().apply(new Relu());
    }

    /** {@link #relu}, at most 6. */
    default Tensor relu6() {
        record Relu6() implements Unary {
            @Override
            public Scalar at(Scalar x) {
                return x.max(lit(0)).min(lit(6));
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                return choose(y.le(0).or(y.ge(6)), dy.literal(0), dy);
            }
        }
        return self().apply(new Relu6());
    }

    default Tensor leakyRelu(double slope) {
        record LeakyRelu(double slope) implements Unary {
            @Override
            public String name() {
                return "leaky_relu(" + slope + ")";
            }

            @Override
            public Scalar at(Scalar x) {
                return x.gt(lit(0)).select(x, x.mul(lit(slope)));
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                return choose(x.gt(0), dy, dy.mul(slope));
            }
        }
        return self().apply(new LeakyRelu(slope));
    }

    /** The straight line to the right of zero, {@code alpha (exp(x) - 1)} to its left. */
    default Tensor elu(double alpha) {
        record Elu(double alpha) implements Unary {
            @Override
            public String name() {
                return "elu(" + alpha + ")";
            }

            @Override
            public Scalar at(Scalar x) {
                return x.gt(lit(0)).select(x, x.apply(Fn1.EXPM1).mul(lit(alpha)));
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                var left = Tensors.where(x.gt(0), x.literal(0), x);
                return Tensors.where(x.gt(0), dy, dy.mul(left.exp().mul(alpha)));
            }
        }
        return self().apply(new Elu(alpha));
    }

    /**
     * {@link #elu} with the constants of Klambauer et al. (2017), which keep mean 0 and variance 1.
     */
    default Tensor selu() {
        return elu(1.6732632423543772).mul(1.0507009873554805);
    }

    /** 1 / (1 + exp(-x)), without overflow. Takes exponentials of negative numbers only. */
    default Tensor sigmoid() {
        record Sigmoid() implements Unary {
            @Override
            public Scalar at(Scalar x) {
                var small = x.abs().neg().exp();
                return x.ge(lit(0)).select(lit(1), small).div(small.add(lit(1)));
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                return dy.mul(y.mul(y.neg().add(1)));
            }
        }
        return self().apply(new Sigmoid());
    }

    /** The logarithm of {@link #sigmoid}, without underflow. */
    default Tensor logSigmoid() {
        return self().neg().softplus().neg();
    }

    /** log(1 + exp(x)), without overflow. */
    default Tensor softplus() {
        record Softplus() implements Unary {
            @Override
            public Scalar at(Scalar x) {
                return x.max(lit(0)).add(x.abs().neg().exp().log1p());
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                return dy.mul(x.sigmoid());
            }
        }
        return self().apply(new Softplus());
    }

    /** {@code x * sigmoid(x)}. */
    default Tensor silu() {
        record Silu() implements Unary {
            @Override
            public Scalar at(Scalar x) {
                var small = x.abs().neg().exp();
                return x.mul(x.ge(lit(0)).select(lit(1), small)).div(small.add(lit(1)));
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                var s = x.sigmoid();
                return dy.mul(s.mul(x.mul(s.neg().add(1)).add(1)));
            }
        }
        return self().apply(new Silu());
    }

    /** {@code x * tanh(softplus(x))}. Within 8 units in the last place. */
    default Tensor mish() {
        record Mish() implements Unary {
            @Override
            public Scalar at(Scalar x) {
                return x.mul(x.max(lit(0)).add(x.abs().neg().exp().log1p()).tanh());
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                var t = x.softplus().tanh();
                return dy.mul(t.add(x.mul(x.sigmoid()).mul(t.square().neg().add(1))));
            }
        }
        return self().apply(new Mish());
    }

    /**
     * {@code x} times the normal distribution function. Right of zero within 4 units in the last
     * place; left of it within 4 + 2 x^2, as the rounding of x over the root of two is magnified by
     * x^2.
     */
    default Tensor gelu() {
        record Gelu() implements Unary {
            @Override
            public Scalar at(Scalar x) {
                return x.mul(lit(0.5)).mul(x.mul(lit(-Math.sqrt(0.5))).apply(Fn1.ERFC));
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                var below = x.mul(-Math.sqrt(0.5)).erfc().mul(0.5);
                var density = x.square().mul(-0.5).exp().mul(1 / Math.sqrt(2 * Math.PI));
                return dy.mul(below.add(x.mul(density)));
            }
        }
        return self().apply(new Gelu());
    }

    /**
     * The approximation of {@link #gelu} by a hyperbolic tangent. Its derivative reads x alone:
     * recomputing the gate takes less time than keeping it.
     */
    default Tensor geluTanh() {
        // The factor of x: (1 + tanh u) / 2 with u = c (x + a x^3), written as the logistic
        // function of 2u, which is one exponential instead of a hyperbolic tangent. Within 4 units
        // in the last place right of zero, and 4 + 6 |u| left of it, as the exponential magnifies
        // the rounding of its argument.
        record GeluGate() implements Unary {
            private static final double SLOPE = 2 * Math.sqrt(2 / Math.PI);
            private static final double CUBIC = SLOPE * 0.044715;

            @Override
            public Scalar at(Scalar x) {
                var minus = x.mul(x.mul(x).mul(lit(-CUBIC)).add(lit(-SLOPE)));
                return lit(1).div(minus.exp().add(lit(1)));
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                return dy.mul(y.sub(y.square())).mul(x.square().mul(3 * CUBIC).add(SLOPE));
            }
        }

        record GeluTanh() implements Unary {
            @Override
            public Scalar at(Scalar x) {
                return x.mul(new GeluGate().at(x));
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                var rule = new GeluGate();
                var gate = x.apply(rule);
                return dy.mul(gate.add(rule.vjp(x, gate, x)));
            }
        }
        return self().apply(new GeluTanh());
    }

    /** {@code x * relu6(x + 3) / 6}. */
    default Tensor hardswish() {
        record Hardswish() implements Unary {
            @Override
            public Scalar at(Scalar x) {
                return x.mul(x.add(lit(3)).max(lit(0)).min(lit(6))).div(lit(6));
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                return choose(
                        x.le(-3), dy.literal(0), choose(x.lt(3), dy.mul(x.div(3).add(0.5)), dy));
            }
        }
        return self().apply(new Hardswish());
    }

    /** {@code relu6(x + 3) / 6}. */
    default Tensor hardsigmoid() {
        return self().add(3).relu6().div(6);
    }

    /** {@code x / (1 + |x|)}. */
    default Tensor softsign() {
        record Softsign() implements Unary {
            @Override
            public Scalar at(Scalar x) {
                return x.div(x.abs().add(lit(1)));
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                return dy.div(x.abs().add(1).square());
            }
        }
        return self().apply(new Softsign());
    }
}
