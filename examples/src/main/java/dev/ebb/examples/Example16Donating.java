package dev.ebb.examples;

import dev.ebb.Ebb;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

/** A result that is written to the memory of the argument that it replaces. */
public final class Example16Donating {
    private Example16Donating() {}

    // [donating
    static Tensor decay(int calls) {
        try (var f = Ebb.compile((Tensor x) -> x.mul(0.5)).donating()) {
            Tensor x = Array.of(64f, 32f);
            for (int i = 0; i < calls; i++) x = f.apply(x);
            return x;
        }
    }

    // donating]

    public static void main(String[] args) {
        System.out.println(decay(5));
    }
}
