package dev.ebb.nn;

import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;

/** Initial arrays that are not random. */
final class ConstantArrays {
    private static final Seed ANY = new Seed(0);

    private ConstantArrays() {}

    static Array ones(Shape shape) {
        return Init.ones().of(shape, ANY);
    }

    static Array zeros(Shape shape) {
        return Init.zeros().of(shape, ANY);
    }
}
