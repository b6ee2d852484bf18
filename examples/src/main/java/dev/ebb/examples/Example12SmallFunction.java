package dev.ebb.examples;

import dev.ebb.Ebb;
import dev.ebb.tensor.Array;

/** A small function on doubles that is called many times. */
public final class Example12SmallFunction {
    private Example12SmallFunction() {}

    public static void main(String[] args) {
        System.out.println(descend(20_000)[0]);
    }

    // [small-function
    /** Walks down Rosenbrock's valley by plain gradient steps. */
    static double[] descend(int steps) {
        var x = new double[] {-1.2, 1};
        try (var compiled = Ebb.compile(Ebb.valueAndGrad(Example5HessianVector::valley))) {
            var valley = compiled.primitive(Array.of(x));
            var out = new double[valley.outputs()]; // the value, then the gradient
            for (int i = 0; i < steps; i++) {
                valley.apply(x, out);
                for (int j = 0; j < x.length; j++) x[j] -= 1e-3 * out[1 + j];
            }
        }
        return x;
    }
    // small-function]
}
