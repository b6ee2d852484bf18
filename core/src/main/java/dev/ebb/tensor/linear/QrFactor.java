package dev.ebb.tensor.linear;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Rule;

import java.util.List;

/**
 * {@code A = Q R} of matrices with at least as many rows as columns, by Householder reflections: Q
 * has orthonormal columns, R is upper triangular. Signs are chosen so that the diagonal of R is not
 * negative, which makes the factors unique. The derivative is Walter and Lehmann's ("Algorithmic
 * differentiation of linear algebra functions", 2012) and needs full rank.
 */
record QrFactor() implements Factorisation {

    @Override
    public String name() {
        return "qr";
    }

    @Override
    public List<Type> infer(List<Type> in) {
        var a = Factorisation.matrices(name(), in.getFirst());
        int n = Factorisation.columns(a);
        return List.of(a, Factorisation.sized(a, n, n));
    }

    @Override
    public Kernel kernel(List<Type> in) {
        int m = Factorisation.rows(in.getFirst());
        int n = Factorisation.columns(in.getFirst());
        return new Each(
                Factorisation.count(in.getFirst()),
                2L * m * n + 2L * n,
                (number, from, to, workspace) ->
                        factor(
                                number,
                                Matrix.of(from.getFirst(), number, m, n),
                                Matrix.of(to.get(0), number, m, n),
                                Matrix.of(to.get(1), number, n, n),
                                workspace));
    }

    private void factor(int number, Matrix a, Matrix outQ, Matrix outR, Buffer workspace) {
        a.requireFinite(name(), number);
        int m = a.rows();
        int n = a.columns();
        var w = Matrix.in(workspace, 0, m, n);
        var q = Matrix.in(workspace, (long) m * n, m, n);
        // row 0: the diagonal of R; row 1: 2 / |v|^2 of each reflection, whose v lies below in w
        var scale = Matrix.in(workspace, 2L * m * n, 2, n);
        w.copy(a);
        q.identity();
        for (int j = 0; j < n; j++) {
            double norm = Math.sqrt(w.dot(j, j, j));
            double top = w.get(j, j);
            double diagonal = top > 0 ? -norm : norm;
            scale.set(0, j, diagonal);
            w.set(j, j, top - diagonal);
            double square = w.dot(j, j, j);
            scale.set(1, j, square == 0 ? 0 : 2 / square);
            for (int c = j + 1; c < n; c++) reflect(w, j, scale.get(1, j), w, c);
        }
        for (int j = n - 1; j >= 0; j--) {
            for (int c = j; c < n; c++) reflect(w, j, scale.get(1, j), q, c);
        }
        for (int j = 0; j < n; j++) {
            double sign = scale.get(0, j) < 0 ? -1 : 1;
            for (int i = 0; i < m; i++) outQ.set(i, j, sign * q.get(i, j));
            for (int c = 0; c < n; c++) {
                outR.set(j, c, c < j ? 0 : sign * (c == j ? scale.get(0, j) : w.get(j, c)));
            }
        }
    }

    /** Reflects a column of {@code x} by the vector in column {@code j} of {@code v}. */
    private static void reflect(Matrix v, int j, double scale, Matrix x, int column) {
        double sum = 0;
        for (int i = j; i < v.rows(); i++) sum += v.get(i, j) * x.get(i, column);
        double s = scale * sum;
        for (int i = j; i < v.rows(); i++) x.set(i, column, x.get(i, column) - s * v.get(i, j));
    }

    @Override
    public void vjp(Rule rule) {
        var q = rule.out(0);
        var r = rule.out(1);
        var dq = rule.dout(0);
        var m = r.matmul(rule.dout(1).transpose()).sub(dq.transpose().matmul(q));
        var symmetric = m.tril(0).add(m.tril(-1).transpose());
        var right = dq.add(q.matmul(symmetric)).transpose();
        rule.add(0, r.apply(new TriangularSolve(Triangle.UPPER, false), right).transpose());
    }
}
