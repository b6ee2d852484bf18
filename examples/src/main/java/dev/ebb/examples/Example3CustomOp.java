package dev.ebb.examples;

import dev.ebb.Ebb;
import dev.ebb.ir.Scalar;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Unary;

/** A custom op: its value and its derivative, one line each. */
public final class Example3CustomOp {
    private Example3CustomOp() {}

    // [custom-op
    /** {@code x * exp(-x)}. */
    static Tensor ricker(Tensor x) {
        record Ricker() implements Unary {
            @Override
            public Scalar at(Scalar x) {
                return x.mul(x.neg().exp());
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                return dy.mul(x.neg().exp().sub(y));
            }
        }
        return x.apply(new Ricker());
    }

    static Tensor grown(Tensor x) {
        return ricker(x).sum();
    }

    // custom-op]

    public static void main(String[] args) {
        System.out.println(gradient());
        System.out.println(second());
    }

    static Tensor gradient() {
        return Ebb.grad(Example3CustomOp::grown).apply(Array.of(0.0, 1.0, 2.0));
    }

    /** The second derivative, which needs no further rule. */
    static Tensor second() {
        return Ebb.hvp(Example3CustomOp::grown)
                .apply(Array.of(0.0, 1.0, 2.0), Array.of(1.0, 1.0, 1.0));
    }
}
