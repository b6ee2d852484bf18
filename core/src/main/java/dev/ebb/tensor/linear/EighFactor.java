package dev.ebb.tensor.linear;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;

/**
 * Eigenvalues, ascending, and orthonormal eigenvectors, in columns, of {@code (A + A') / 2}, by
 * cyclic Jacobi rotations: slow for large matrices, accurate and the same bits everywhere. The
 * largest component of each vector is positive. A derivative that involves the vectors divides by
 * the gaps between eigenvalues, so it needs them distinct.
 */
record EighFactor() implements Factorisation {
    static final int SWEEPS = 64;

    @Override
    public String name() {
        return "eigh";
    }

    @Override
    public List<Type> infer(List<Type> in) {
        var a = Factorisation.square(name(), in.getFirst());
        return List.of(Factorisation.sized(a, Factorisation.rows(a)), a);
    }

    @Override
    public Kernel kernel(List<Type> in) {
        int n = Factorisation.rows(in.getFirst());
        return new Each(
                Factorisation.count(in.getFirst()),
                2L * n * n,
                (number, from, to, workspace) ->
                        factor(
                                number,
                                Matrix.of(from.getFirst(), number, n, n),
                                Matrix.of(to.get(0), number, 1, n),
                                Matrix.of(to.get(1), number, n, n),
                                workspace));
    }

    private void factor(int number, Matrix a, Matrix values, Matrix vectors, Buffer workspace) {
        a.requireFinite(name(), number);
        int n = a.rows();
        var w = Matrix.in(workspace, 0, n, n);
        var v = Matrix.in(workspace, (long) n * n, n, n);
        double norm = 0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                w.set(i, j, (a.get(i, j) + a.get(j, i)) / 2);
                norm = Math.max(norm, Math.abs(w.get(i, j)));
            }
        }
        v.identity();
        int sweep = 0;
        while (sweep(w, v, norm * 1e-17)) {
            if (++sweep == SWEEPS) {
                throw new ArithmeticException(
                        ("eigh: matrix %s of the batch did not converge in %s sweeps; scale it so"
                                        + " that its elements are near one")
                                .formatted(number, SWEEPS));
            }
        }
        for (int place = 0; place < n; place++) {
            int least = place;
            for (int j = place + 1; j < n; j++) if (w.get(j, j) < w.get(least, least)) least = j;
            values.set(0, place, w.get(least, least));
            double sign = v.sign(least);
            for (int i = 0; i < n; i++) vectors.set(i, place, sign * v.get(i, least));
            // the one at place moves to where the least was
            w.set(least, least, w.get(place, place));
            for (int i = 0; i < n; i++) v.set(i, least, v.get(i, place));
        }
    }

    /** Rotates every pair of axes whose element is not negligible; whether there was one. */
    private static boolean sweep(Matrix w, Matrix v, double negligible) {
        boolean rotated = false;
        int n = w.rows();
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                double off = w.get(p, q);
                if (Math.abs(off) <= negligible) continue;
                rotated = true;
                double theta = (w.get(q, q) - w.get(p, p)) / (2 * off);
                double t =
                        Math.copySign(1, theta) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
                double c = 1 / Math.sqrt(t * t + 1);
                double s = t * c;
                w.rotate(p, q, c, s);
                for (int j = 0; j < n; j++) {
                    double x = w.get(p, j);
                    double y = w.get(q, j);
                    w.set(p, j, c * x - s * y);
                    w.set(q, j, s * x + c * y);
                }
                w.set(p, q, 0);
                w.set(q, p, 0);
                v.rotate(p, q, c, s);
            }
        }
        return rotated;
    }

    @Override
    public void vjp(Rule rule) {
        var v = rule.out(1);
        var inner = rule.dout(0).diag();
        if (rule.reached(1)) {
            var turned = v.transpose().matmul(rule.dout(1));
            inner = inner.add(turned.mul(reciprocalGaps(rule.out(0))));
        }
        var da = v.matmul(inner).matmul(v.transpose());
        rule.add(0, da.add(da.transpose()).mul(0.5));
    }

    /** {@code 1 / (x_j - x_i)} off the diagonal, zero on it. */
    static Tensor reciprocalGaps(Tensor x) {
        var gaps = x.unsqueeze(-2).sub(x.unsqueeze(-1));
        var eye = Tensors.eye(x.dtype(), x.dim(-1));
        return gaps.literal(1).sub(eye).div(gaps.add(eye));
    }
}
