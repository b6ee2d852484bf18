package dev.ebb.tensor.linear;

import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;
import java.util.function.BinaryOperator;

/**
 * Factorisations of matrices and what is computed with them, over the last two axes; leading axes
 * are a batch. They compute in double and round at the end. A matrix that has no answer is an
 * {@link ArithmeticException} that names it.
 */
public interface FactorOps {

    /** Orthonormal columns and an upper triangular matrix. */
    record Qr(Tensor q, Tensor r) {}

    /** Eigenvalues, ascending, and eigenvectors, in columns. */
    record Eigen(Tensor values, Tensor vectors) {}

    /** {@code u diag(s) vt}; singular values descend. */
    record Svd(Tensor u, Tensor s, Tensor vt) {}

    /** A determinant as its sign and the log of its magnitude. */
    record SignLogDet(Tensor sign, Tensor logDet) {}

    private Tensor self() {
        return (Tensor) this;
    }

    /** The lower triangular L with L L' equal to the symmetric part of this matrix. */
    default Tensor cholesky() {
        return self().apply(new Cholesky());
    }

    /** X with {@code A X = B}; a vector B is one column. Leading axes broadcast. */
    default Tensor solve(Tensor b) {
        return columns("solve", b, Solve::of);
    }

    /** {@link #solve} where only one triangle of this matrix counts. */
    default Tensor triangularSolve(Tensor b, Triangle half) {
        var op = new TriangularSolve(half, false);
        return columns("triangular_solve", b, (a, c) -> a.apply(op, c));
    }

    private Tensor columns(String op, Tensor b, BinaryOperator<Tensor> solve) {
        Factorisation.square(op, self().type());
        if (b.rank() == 0) {
            throw new ShapeException(op + ": a scalar right-hand side; give a vector or matrices");
        }
        var right = b.rank() == 1 ? b.reshape(-1, 1) : b;
        var lead =
                Shape.broadcast(
                        Factorisation.lead(self().shape()), Factorisation.lead(right.shape()));
        var x = solve.apply(stretched(self(), lead), stretched(right, lead));
        return b.rank() == 1 ? x.reshape(x.shape().reduce(List.of(x.rank() - 1), false)) : x;
    }

    private static Tensor stretched(Tensor t, Shape lead) {
        return t.broadcastTo(lead.append(t.dim(-2), t.dim(-1)));
    }

    default Tensor inverse() {
        Factorisation.square("inverse", self().type());
        var eye = Tensors.eye(self().dtype(), self().dim(-1));
        return Solve.of(self(), eye.broadcastTo(self().shape()));
    }

    /** The determinant's sign and log magnitude: what does not overflow. */
    default SignLogDet slogdet() {
        var f = self().applyAll(new Lu());
        var d = self().applyAll(new Determinant(), f.get(0), f.get(1));
        return new SignLogDet(d.get(0), d.get(1));
    }

    /** The determinant. Its derivative needs the inverse, so it is refused at a singular matrix. */
    default Tensor det() {
        var d = slogdet();
        return d.sign().mul(d.logDet().exp());
    }

    /** The log of the determinant; NaN where that is negative. */
    default Tensor logdet() {
        var d = slogdet();
        var negative = d.sign().lt(d.sign().literal(0));
        return Tensors.where(negative, d.sign().literal(Double.NaN), d.logDet());
    }

    /**
     * The reduced factorisation A = Q R, with k = min(rows, columns) columns of Q. The diagonal of
     * R is not negative.
     */
    default Qr qr() {
        var a = self();
        Factorisation.matrices("qr", a.type());
        int m = a.dim(-2);
        if (m >= a.dim(-1)) {
            var f = a.applyAll(new QrFactor());
            return new Qr(f.get(0), f.get(1));
        }
        // the first columns decide Q; the others are only turned
        var square = a.slice(-1, 0, m).qr();
        var rest = square.q().transpose().matmul(a.slice(-1, m, a.dim(-1)));
        return new Qr(square.q(), Tensors.concat(List.of(square.r(), rest), -1));
    }

    /** Eigenvalues and eigenvectors of the symmetric part of this matrix. */
    default Eigen eigh() {
        var f = self().applyAll(new EighFactor());
        return new Eigen(f.get(0), f.get(1));
    }

    /** Eigenvalues of the symmetric part of this matrix, ascending. */
    default Tensor eigvalsh() {
        return eigh().values();
    }

    /** The reduced singular value decomposition, with k = min(rows, columns) singular values. */
    default Svd svd() {
        var a = self();
        Factorisation.matrices("svd", a.type());
        if (a.dim(-2) < a.dim(-1)) {
            var flipped = a.transpose().svd();
            return new Svd(flipped.vt().transpose(), flipped.s(), flipped.u().transpose());
        }
        var f = a.applyAll(new SvdFactor());
        return new Svd(f.get(0), f.get(1), f.get(2).transpose());
    }

    /** Singular values, descending. */
    default Tensor svdvals() {
        return svd().s();
    }
}
