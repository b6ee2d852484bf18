package dev.ebb.science;

import dev.ebb.Loop;
import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.linear.Triangle;

/** Functions of matrices, over the last two axes; leading axes are a batch. */
public final class MatrixFunctions {
    /** Below this norm the quotient of polynomials is exact to the last place (Higham, 2005). */
    private static final double PADE_NORM = 5.371920351148152;

    private static final int PADE_ORDER = 13;
    private static final int MOST_SQUARINGS = 1100;

    private MatrixFunctions() {}

    /**
     * x that makes {@code |A x - b|} least, by the QR factorisation; {@code b} is a vector or a
     * matrix whose columns are solved for. Where A has fewer rows than columns, the shortest x that
     * solves the equations. Needs full rank: else an {@link ArithmeticException}. Differentiated by
     * both.
     */
    public static Tensor leastSquares(Tensor a, Tensor b) {
        Floats.alike("leastSquares", a, b);
        boolean vector = b.rank() == 1;
        if (a.rank() < 2 || b.rank() == 0 || b.dim(vector ? 0 : -2) != a.dim(-2)) {
            throw new ShapeException(
                    ("leastSquares of %s and %s; the matrix is [..., rows, columns], the right-hand"
                                    + " side [rows] or [..., rows, count]")
                            .formatted(a.type(), b.type()));
        }
        if (vector) {
            var x = leastSquares(a, b.reshape(-1, 1));
            return x.squeeze(-1);
        }
        if (a.dim(-2) >= a.dim(-1)) {
            var f = a.qr();
            return f.r().triangularSolve(f.q().transpose().matmul(b), Triangle.UPPER);
        }
        var f = a.transpose().qr();
        return f.q().matmul(f.r().transpose().triangularSolve(b, Triangle.LOWER));
    }

    private record Squaring(Tensor x, Tensor left) {}

    /**
     * The exponential of square matrices: scaled down by a power of two, a quotient of polynomials
     * of degree 13, squared as often (Higham, "The scaling and squaring method for the matrix
     * exponential revisited", 2005). All of a batch are scaled alike, by the largest of them.
     */
    public static Tensor exponential(Tensor a) {
        Floats.require("exponential", a);
        if (a.rank() < 2 || a.dim(-1) != a.dim(-2)) {
            throw new ShapeException("exponential needs square matrices, this is " + a.type());
        }
        if (a.type().size() == 0) return a;
        var norm = a.detach().abs().sum(-2).amax();
        var squarings = norm.div(PADE_NORM).log2().ceil().maximum(0);
        var start =
                new Squaring(quotient(a.mul(squarings.neg().mul(Math.log(2)).exp())), squarings);
        return Loop.whileTrue(
                        MOST_SQUARINGS,
                        start,
                        s -> s.left().gt(0),
                        s -> new Squaring(s.x().matmul(s.x()), s.left().sub(1)))
                .x();
    }

    private static Tensor quotient(Tensor a) {
        var b = coefficients();
        var one = Tensors.eye(a.dtype(), a.dim(-1));
        var a2 = a.matmul(a);
        var a4 = a2.matmul(a2);
        var a6 = a4.matmul(a2);
        var high = a6.mul(b[13]).add(a4.mul(b[11])).add(a2.mul(b[9]));
        var low = a6.mul(b[7]).add(a4.mul(b[5])).add(a2.mul(b[3])).add(one.mul(b[1]));
        var odd = a.matmul(a6.matmul(high).add(low));
        high = a6.mul(b[12]).add(a4.mul(b[10])).add(a2.mul(b[8]));
        low = a6.mul(b[6]).add(a4.mul(b[4])).add(a2.mul(b[2])).add(one.mul(b[0]));
        var even = a6.matmul(high).add(low);
        return even.sub(odd).solve(even.add(odd));
    }

    /** The coefficients of the Pade approximation of the exponential; the first is one. */
    private static double[] coefficients() {
        var b = new double[PADE_ORDER + 1];
        b[0] = 1;
        for (int j = 1; j <= PADE_ORDER; j++) {
            b[j] = b[j - 1] * (PADE_ORDER - j + 1) / (j * (2.0 * PADE_ORDER - j + 1));
        }
        return b;
    }
}
