package dev.ebb.examples;

import dev.ebb.Ebb;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

/** A function, and its gradient as another function. */
public final class Example1FirstGradient {
    private Example1FirstGradient() {}

    public static void main(String[] args) {
        System.out.println(gradient());
        System.out.println(withResiduals(Array.of(1f, 2f)));
    }

    // [first-gradient
    static Tensor bowl(Tensor x) {
        return x.square().sum();
    }

    static Tensor gradient() {
        var gradient = Ebb.compile(Ebb.grad(Example1FirstGradient::bowl));
        return gradient.apply(Array.of(1f, 2f, 3f)); // 2x: [2, 4, 6]
    }

    // first-gradient]

    // [extra
    static Ebb.ValueGradAndExtra<Tensor, Tensor> withResiduals(Tensor x) {
        return Ebb.valueGradAndExtra(
                        (Tensor w) -> {
                            var residuals = w.sub(1);
                            return new Ebb.WithExtra<>(residuals.square().sum(), residuals);
                        })
                .apply(x);
    }
    // extra]
}
