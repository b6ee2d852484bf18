package dev.ebb.tensor.op;

import dev.ebb.ir.DType;
import dev.ebb.ir.Inverse;
import dev.ebb.ir.Op;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Binary;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.List;

/** Sums and differences, each the inverse of the other. */
public final class Elementwise {
    private Elementwise() {}

    record Add() implements Binary.OfNumbers {
        @Override
        public Scalar at(Scalar x, Scalar y) {
            return x.add(y);
        }

        @Override
        public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
            return new Pair(dz, dz);
        }

        @Override
        public List<Inverse> inverses(List<Type> in) {
            return ofWholes(this, in, new Sub(), List.of(2, 1), new Sub(), List.of(2, 0));
        }
    }

    record Sub() implements Binary.OfNumbers {
        @Override
        public Scalar at(Scalar x, Scalar y) {
            return x.sub(y);
        }

        @Override
        public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
            return new Pair(dz, dz.neg());
        }

        @Override
        public List<Inverse> inverses(List<Type> in) {
            return ofWholes(this, in, new Add(), List.of(2, 1), this, List.of(0, 2));
        }
    }

    /**
     * The inverses for the two operands of {@code op}, unless an operand was broadcast: integers
     * wrap, so an addition can be inverted exactly, while floats are rounded.
     */
    private static List<Inverse> ofWholes(
            Op op,
            List<Type> in,
            Op first,
            List<Integer> from,
            Op second,
            List<Integer> fromThese) {
        var out = op.infer(in).getFirst();
        var found = new ArrayList<Inverse>();
        if (!out.dtype().isInteger()) return found;
        if (in.getFirst().equals(out)) found.add(Inverse.exact(0, first, from));
        if (in.getLast().equals(out)) found.add(Inverse.exact(1, second, fromThese));
        return found;
    }

    /** A choice whose condition is kept in one bit an element. */
    public static Tensor choose(Tensor condition, Tensor yes, Tensor no) {
        return Tensors.where(condition.cast(DType.BIT), yes, no);
    }
}
