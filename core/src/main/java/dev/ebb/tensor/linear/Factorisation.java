package dev.ebb.tensor.linear;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Differentiable;

import java.util.List;
import java.util.Set;

/**
 * An op on the last two axes of a batch of matrices, in plain Java and in double whatever the type.
 * Its derivative is maths on tensors, so that every order follows.
 */
interface Factorisation extends Differentiable {

    @Override
    default Set<Trait> traits() {
        return Set.of(Trait.EXPENSIVE);
    }

    /** The computation for each matrix of a batch. */
    interface Body {
        void run(int number, List<Buffer> in, List<Buffer> out, Buffer workspace);
    }

    /** A loop over the matrices of a batch, with a workspace of doubles. */
    record Each(int count, long doubles, Body body) implements Kernel.Library {
        @Override
        public long workspaceBytes() {
            return 8 * doubles;
        }

        @Override
        public void run(List<Buffer> in, List<Buffer> out, Buffer workspace) {
            for (int i = 0; i < count; i++) body.run(i, in, out, workspace);
        }
    }

    static Shape lead(Shape s) {
        return new Shape(s.dims().subList(0, s.rank() - 2));
    }

    static int count(Type a) {
        return Math.toIntExact(lead(a.shape()).size());
    }

    static int rows(Type a) {
        return a.shape().dim(a.shape().rank() - 2);
    }

    static int columns(Type a) {
        return a.shape().dim(a.shape().rank() - 1);
    }

    /** {@code a} with other last axes. */
    static Type sized(Type a, int... last) {
        return a.with(lead(a.shape()).append(last));
    }

    /** Refuses a type that is not a batch of matrices of floats. */
    static Type matrices(String op, Type a) {
        if (a.shape().rank() < 2 || !a.dtype().isFloat()) {
            throw new ShapeException(
                    op + " needs matrices of floats, [..., rows, columns]; this is " + a);
        }
        return a;
    }

    /** Refuses a type that is not a batch of square matrices of floats. */
    static Type square(String op, Type a) {
        matrices(op, a);
        if (rows(a) != columns(a)) {
            throw new ShapeException(
                    ("%s needs square matrices, this is %s; for a least-squares answer use qr or"
                                    + " svd")
                            .formatted(op, a));
        }
        return a;
    }
}
