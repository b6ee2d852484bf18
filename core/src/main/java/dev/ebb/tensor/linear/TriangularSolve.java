package dev.ebb.tensor.linear;

import dev.ebb.ir.Kernel;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Rule;

import java.util.List;

/** X of {@code A X = B}, or of {@code A' X = B}, where only one triangle of A is read. */
record TriangularSolve(Triangle half, boolean transposed) implements Factorisation {

    @Override
    public List<Type> infer(List<Type> in) {
        Solve.fits(name(), Factorisation.square(name(), in.getFirst()), in.getLast());
        return in.subList(1, 2);
    }

    @Override
    public Kernel kernel(List<Type> in) {
        int n = Factorisation.rows(in.getLast());
        int m = Factorisation.columns(in.getLast());
        return new Each(
                Factorisation.count(in.getLast()),
                (long) n * m,
                (number, from, to, workspace) -> {
                    var x = Matrix.in(workspace, 0, n, m);
                    x.copy(Matrix.of(from.get(1), number, n, m));
                    substitute(number, Matrix.of(from.get(0), number, n, n), x);
                    Matrix.of(to.getFirst(), number, n, m).copy(x);
                });
    }

    private void substitute(int number, Matrix a, Matrix x) {
        int n = a.rows();
        boolean down = (half == Triangle.LOWER) != transposed;
        for (int step = 0; step < n; step++) {
            int i = down ? step : n - 1 - step;
            double pivot = a.get(i, i);
            if (pivot == 0 || Double.isNaN(pivot)) {
                throw new ArithmeticException(
                        ("triangular_solve: matrix %s of the batch has %s on its diagonal, in row"
                                        + " %s, so there is no unique answer")
                                .formatted(number, pivot, i));
            }
            for (int c = 0; c < x.columns(); c++) {
                double sum = x.get(i, c);
                for (int before = 0; before < step; before++) {
                    int k = down ? before : n - 1 - before;
                    sum -= (transposed ? a.get(k, i) : a.get(i, k)) * x.get(k, c);
                }
                x.set(i, c, sum / pivot);
            }
        }
    }

    @Override
    public void vjp(Rule rule) {
        var a = rule.in(0);
        var x = rule.out(0);
        var db = a.apply(new TriangularSolve(half, !transposed), rule.dout(0));
        rule.add(1, db);
        if (!rule.wants(0)) return;
        var da = transposed ? x.matmul(db.transpose()) : db.matmul(x.transpose());
        rule.add(0, (half == Triangle.LOWER ? da.tril(0) : da.triu(0)).neg());
    }
}
