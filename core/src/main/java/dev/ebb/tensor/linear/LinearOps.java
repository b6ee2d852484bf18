package dev.ebb.tensor.linear;

import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.List;

/** Linear algebra. */
public interface LinearOps extends FactorOps {

    private Tensor self() {
        return (Tensor) this;
    }

    /**
     * The matrix product, as in NumPy: vectors are rows on the left and columns on the right,
     * leading axes broadcast.
     */
    default Tensor matmul(Tensor y) {
        var x = self();
        if (x.rank() == 0 || y.rank() == 0) {
            throw new ShapeException(
                    "matmul: %s x %s: a scalar has no axis to sum over; use mul"
                            .formatted(x.type(), y.type()));
        }
        var a = x.rank() == 1 ? x.reshape(1, -1) : x;
        var b = y.rank() == 1 ? y.reshape(-1, 1) : y;
        var c = a.apply(new Products.MatMul(), b);
        if (y.rank() == 1) c = without(c, c.rank() - 1);
        if (x.rank() == 1) c = without(c, c.rank() - (y.rank() == 1 ? 1 : 2));
        return c;
    }

    private static Tensor without(Tensor t, int axis) {
        return t.reshape(t.shape().reduce(List.of(axis), false));
    }

    /** The inner product of two vectors. */
    default Tensor dot(Tensor y) {
        vectors("dot", y);
        return matmul(y);
    }

    /** All products of the elements of two vectors. */
    default Tensor outer(Tensor y) {
        vectors("outer", y);
        return self().reshape(-1, 1).mul(y);
    }

    private void vectors(String op, Tensor y) {
        if (self().rank() != 1 || y.rank() != 1) {
            throw new ShapeException(
                    ("%s takes two vectors, these are %s and %s; for other shapes use matmul or"
                                    + " einsum")
                            .formatted(op, self().type(), y.type()));
        }
    }

    /**
     * A sum of products by Einstein's convention, of this tensor and any number of others: {@code
     * x.einsum("bij,bkj->bik", y)}. Each axis is a letter; a letter twice in one operand is its
     * diagonal, and letters that the result does not name are summed. Three dots stand for leading
     * axes that broadcast: {@code "...ij,jk->...ik"}. Two operands are multiplied at a time, in the
     * order that takes the fewest multiplications.
     */
    default Tensor einsum(String equation, Tensor... others) {
        var all = new ArrayList<Tensor>();
        all.add(self());
        all.addAll(List.of(others));
        return Einsum.of(equation, all);
    }

    /** The main diagonal of the last two axes. */
    default Tensor diagonal() {
        return diagonal(0);
    }

    /** Diagonal {@code k} of the last two axes; positive ones lie above the main one. */
    default Tensor diagonal(int k) {
        return Diagonals.of(self(), k);
    }

    /** Matrices with the last axis on their diagonal. */
    default Tensor diag() {
        return Diagonals.embed(self());
    }

    /** The sum of the main diagonal. */
    default Tensor trace() {
        return diagonal().sum(-1);
    }

    /** The elements on and below diagonal {@code k}; zeros above. */
    default Tensor tril(int k) {
        return self().apply(new Band(Triangle.LOWER, k));
    }

    /** The elements on and above diagonal {@code k}; zeros below. */
    default Tensor triu(int k) {
        return self().apply(new Band(Triangle.UPPER, k));
    }
}
