package dev.ebb.tensor.linear;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;

import java.util.List;

/**
 * {@code A = U diag(s) V'} of matrices with at least as many rows as columns, singular values
 * descending, by one-sided Jacobi rotations (Hestenes, 1958): columns are rotated until they are
 * orthogonal, which finds small singular values to full relative accuracy. The largest component of
 * each column of V is positive. A derivative that involves the vectors divides by the gaps between
 * singular values, so it needs them distinct.
 */
record SvdFactor() implements Factorisation {

    @Override
    public String name() {
        return "svd";
    }

    /** Outputs U [m, n], s [n], V [n, n]. */
    @Override
    public List<Type> infer(List<Type> in) {
        var a = Factorisation.matrices(name(), in.getFirst());
        int n = Factorisation.columns(a);
        return List.of(a, Factorisation.sized(a, n), Factorisation.sized(a, n, n));
    }

    @Override
    public Kernel kernel(List<Type> in) {
        int m = Factorisation.rows(in.getFirst());
        int n = Factorisation.columns(in.getFirst());
        return new Each(
                Factorisation.count(in.getFirst()),
                (long) m * n + (long) n * n + n,
                (number, from, to, workspace) -> {
                    var u = Matrix.in(workspace, 0, m, n);
                    var v = Matrix.in(workspace, (long) m * n, n, n);
                    var s = Matrix.in(workspace, (long) m * n + (long) n * n, 1, n);
                    u.copy(Matrix.of(from.getFirst(), number, m, n));
                    u.requireFinite(name(), number);
                    orthogonalise(number, u, v);
                    normalise(u, s);
                    write(u, s, v, number, to);
                });
    }

    private static void orthogonalise(int number, Matrix u, Matrix v) {
        v.identity();
        int sweep = 0;
        while (sweep(u, v)) {
            if (++sweep == EighFactor.SWEEPS) {
                throw new ArithmeticException(
                        ("svd: matrix %s of the batch did not converge in %s sweeps; scale it so"
                                        + " that its elements are near one")
                                .formatted(number, EighFactor.SWEEPS));
            }
        }
    }

    /** Makes every pair of columns orthogonal; whether one was not. */
    private static boolean sweep(Matrix u, Matrix v) {
        boolean rotated = false;
        // what rounding leaves of an inner product of orthogonal columns
        double negligible = 4 * Math.ulp(1.0) * Math.sqrt(u.rows());
        for (int p = 0; p < u.columns(); p++) {
            for (int q = p + 1; q < u.columns(); q++) {
                double a = u.dot(p, p, 0);
                double b = u.dot(q, q, 0);
                double ab = u.dot(p, q, 0);
                if (Math.abs(ab) <= negligible * Math.sqrt(a) * Math.sqrt(b)) continue;
                rotated = true;
                double zeta = (b - a) / (2 * ab);
                double t = Math.copySign(1, zeta) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
                double c = 1 / Math.sqrt(1 + t * t);
                u.rotate(p, q, c, t * c);
                v.rotate(p, q, c, t * c);
            }
        }
        return rotated;
    }

    /** Columns to length one; columns of zeros become any that are orthogonal to the others. */
    private static void normalise(Matrix u, Matrix s) {
        for (int j = 0; j < u.columns(); j++) {
            double norm = Math.sqrt(u.dot(j, j, 0));
            s.set(0, j, norm);
            for (int i = 0; norm > 0 && i < u.rows(); i++) u.set(i, j, u.get(i, j) / norm);
        }
        for (int j = 0; j < u.columns(); j++) if (s.get(0, j) == 0) complete(u, j);
    }

    private static void complete(Matrix u, int column) {
        int farthest = 0;
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < u.rows(); i++) {
            double covered = 0;
            for (int k = 0; k < u.columns(); k++) covered += u.get(i, k) * u.get(i, k);
            if (covered < least) {
                least = covered;
                farthest = i;
            }
        }
        u.set(farthest, column, 1);
        for (int pass = 0; pass < 2; pass++) {
            for (int k = 0; k < u.columns(); k++) {
                if (k == column) continue;
                double along = u.dot(k, column, 0);
                for (int i = 0; i < u.rows(); i++) {
                    u.set(i, column, u.get(i, column) - along * u.get(i, k));
                }
            }
            double norm = Math.sqrt(u.dot(column, column, 0));
            for (int i = 0; i < u.rows(); i++) u.set(i, column, u.get(i, column) / norm);
        }
    }

    private static void write(Matrix u, Matrix s, Matrix v, int number, List<Buffer> to) {
        int m = u.rows();
        int n = u.columns();
        var outU = Matrix.of(to.get(0), number, m, n);
        var outS = Matrix.of(to.get(1), number, 1, n);
        var outV = Matrix.of(to.get(2), number, n, n);
        for (int place = 0; place < n; place++) {
            int largest = 0;
            for (int j = 1; j < n; j++) if (s.get(0, j) > s.get(0, largest)) largest = j;
            double sign = v.sign(largest);
            outS.set(0, place, s.get(0, largest));
            for (int i = 0; i < m; i++) outU.set(i, place, sign * u.get(i, largest));
            for (int i = 0; i < n; i++) outV.set(i, place, sign * v.get(i, largest));
            s.set(0, largest, -1);
        }
    }

    @Override
    public void vjp(Rule rule) {
        var u = rule.out(0);
        var s = rule.out(1);
        var v = rule.out(2);
        var inner = rule.dout(1).diag();
        var gaps = EighFactor.reciprocalGaps(s.square());
        if (rule.reached(0)) {
            inner = inner.add(skew(u, rule.dout(0)).mul(gaps).mul(s.unsqueeze(-2)));
        }
        if (rule.reached(2)) {
            inner = inner.add(skew(v, rule.dout(2)).mul(gaps).mul(s.unsqueeze(-1)));
        }
        var da = u.matmul(inner);
        if (rule.reached(0) && u.dim(-2) > u.dim(-1)) {
            var du = rule.dout(0);
            var outside = du.sub(u.matmul(u.transpose().matmul(du)));
            da = da.add(outside.div(s.unsqueeze(-2)));
        }
        rule.add(0, da.matmul(v.transpose()));
    }

    private static Tensor skew(Tensor x, Tensor dx) {
        var turned = x.transpose().matmul(dx);
        return turned.sub(turned.transpose());
    }
}
