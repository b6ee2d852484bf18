package dev.ebb.control;

import dev.ebb.ir.Inverse;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Binary;
import dev.ebb.tensor.Tensor;

import java.util.List;
import java.util.Set;

/**
 * {@code x + y} in floating point; its approximate inverse is a subtraction, exact up to rounding.
 */
public record ApproximateAdd() implements Binary {
    @Override
    public Scalar at(Scalar x, Scalar y) {
        return x.add(y);
    }

    @Override
    public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
        return new Pair(dz, dz);
    }

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.ALONE);
    }

    @Override
    public List<Inverse> inverses(List<Type> in) {
        if (!in.getFirst().equals(in.getLast())) return List.of();
        return List.of(Inverse.approximate(0, new Back(), List.of(2, 1)));
    }

    /** {@code x - y}. */
    private record Back() implements Binary {
        @Override
        public String name() {
            return "approximate_sub";
        }

        @Override
        public Scalar at(Scalar x, Scalar y) {
            return x.sub(y);
        }

        @Override
        public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
            return new Pair(dz, dz.neg());
        }
    }
}
