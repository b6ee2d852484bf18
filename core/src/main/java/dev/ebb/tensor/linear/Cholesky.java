package dev.ebb.tensor.linear;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Rule;

import java.util.List;

/**
 * The lower triangular L with {@code L L' = (A + A') / 2}, row by row. The derivative is Murray's
 * ("Differentiation of the Cholesky decomposition", 2016), in its form without loops.
 */
record Cholesky() implements Factorisation {

    @Override
    public List<Type> infer(List<Type> in) {
        return List.of(Factorisation.square(name(), in.getFirst()));
    }

    @Override
    public Kernel kernel(List<Type> in) {
        int n = Factorisation.rows(in.getFirst());
        return new Each(
                Factorisation.count(in.getFirst()),
                (long) n * n,
                (number, from, to, workspace) ->
                        factor(
                                number,
                                Matrix.of(from.getFirst(), number, n, n),
                                Matrix.of(to.getFirst(), number, n, n),
                                workspace));
    }

    private void factor(int number, Matrix a, Matrix out, Buffer workspace) {
        a.requireFinite(name(), number);
        int n = a.rows();
        var l = Matrix.in(workspace, 0, n, n);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                if (j > i) {
                    l.set(i, j, 0);
                    continue;
                }
                double sum = (a.get(i, j) + a.get(j, i)) / 2;
                for (int k = 0; k < j; k++) sum -= l.get(i, k) * l.get(j, k);
                if (i == j && !(sum > 0)) {
                    throw new ArithmeticException(
                            ("cholesky: matrix %s of the batch is not positive definite: the pivot"
                                 + " of row %s is %s; add a small multiple of the identity, or use"
                                 + " eigh or solve, which do not need it")
                                    .formatted(number, i, sum));
                }
                l.set(i, j, i == j ? Math.sqrt(sum) : sum / l.get(j, j));
            }
        }
        out.copy(l);
    }

    @Override
    public void vjp(Rule rule) {
        var l = rule.out(0);
        var x = l.transpose().matmul(rule.dout(0));
        var half = x.tril(0).add(x.tril(-1)).mul(0.5);
        var back = new TriangularSolve(Triangle.LOWER, true);
        var s = l.apply(back, l.apply(back, half).transpose());
        rule.add(0, s.add(s.transpose()).mul(0.5));
    }
}
