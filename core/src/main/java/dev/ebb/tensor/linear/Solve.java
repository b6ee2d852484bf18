package dev.ebb.tensor.linear;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;

import java.util.List;

/**
 * X of {@code A X = B}, or of {@code A' X = B}. Operands: A, its factors and row order as {@link
 * Lu} gives them, and B. The factors only say how to compute it: the derivative is A's and B's.
 */
record Solve(boolean transposed) implements Factorisation {

    /** {@code A X = B} for matrices of one batch. */
    static Tensor of(Tensor a, Tensor b) {
        var f = a.applyAll(new Lu());
        return a.apply(new Solve(false), f.get(0), f.get(1), b);
    }

    static void fits(String op, Type a, Type b) {
        Factorisation.matrices(op, b);
        if (a.dtype() != b.dtype()
                || Factorisation.rows(b) != Factorisation.rows(a)
                || !Factorisation.lead(a.shape()).equals(Factorisation.lead(b.shape()))) {
            throw new ShapeException(
                    ("%s: the right-hand side %s does not fit the matrices %s; it needs their type,"
                                    + " their batch and as many rows")
                            .formatted(op, b, a));
        }
    }

    @Override
    public List<Type> infer(List<Type> in) {
        fits(name(), Factorisation.square(name(), in.getFirst()), in.getLast());
        return in.subList(3, 4);
    }

    @Override
    public Kernel kernel(List<Type> in) {
        int n = Factorisation.rows(in.getLast());
        int m = Factorisation.columns(in.getLast());
        return new Each(
                Factorisation.count(in.getLast()),
                (long) n * m,
                (number, from, to, workspace) ->
                        solve(
                                number,
                                Matrix.of(from.get(1), number, n, n),
                                from.get(2),
                                Matrix.of(from.get(3), number, n, m),
                                Matrix.of(to.getFirst(), number, n, m),
                                workspace));
    }

    private void solve(
            int number, Matrix lu, Buffer order, Matrix b, Matrix out, Buffer workspace) {
        int n = lu.rows();
        for (int i = 0; i < n; i++) {
            if (lu.get(i, i) == 0) {
                throw new ArithmeticException(
                        ("solve: matrix %s of the batch is singular: pivot %s is 0; for a"
                             + " least-squares answer use svd, or add a small multiple of the"
                             + " identity")
                                .formatted(number, i));
            }
        }
        var x = Matrix.in(workspace, 0, n, b.columns());
        long first = (long) number * n;
        for (int c = 0; c < b.columns(); c++) {
            for (int i = 0; i < n; i++) {
                x.set(i, c, b.get(transposed ? i : (int) order.getLong(first + i), c));
            }
            if (transposed) transposed(lu, x, c);
            else plain(lu, x, c);
            for (int i = 0; i < n; i++) {
                out.set(transposed ? (int) order.getLong(first + i) : i, c, x.get(i, c));
            }
        }
    }

    private static void plain(Matrix lu, Matrix x, int c) {
        int n = lu.rows();
        for (int i = 0; i < n; i++) {
            double sum = x.get(i, c);
            for (int k = 0; k < i; k++) sum -= lu.get(i, k) * x.get(k, c);
            x.set(i, c, sum);
        }
        for (int i = n - 1; i >= 0; i--) {
            double sum = x.get(i, c);
            for (int k = i + 1; k < n; k++) sum -= lu.get(i, k) * x.get(k, c);
            x.set(i, c, sum / lu.get(i, i));
        }
    }

    private static void transposed(Matrix lu, Matrix x, int c) {
        int n = lu.rows();
        for (int i = 0; i < n; i++) {
            double sum = x.get(i, c);
            for (int k = 0; k < i; k++) sum -= lu.get(k, i) * x.get(k, c);
            x.set(i, c, sum / lu.get(i, i));
        }
        for (int i = n - 1; i >= 0; i--) {
            double sum = x.get(i, c);
            for (int k = i + 1; k < n; k++) sum -= lu.get(k, i) * x.get(k, c);
            x.set(i, c, sum);
        }
    }

    @Override
    public void vjp(Rule rule) {
        var a = rule.in(0);
        var x = rule.out(0);
        var db = a.apply(new Solve(!transposed), rule.in(1), rule.in(2), rule.dout(0));
        rule.add(3, db);
        if (!rule.wants(0)) return;
        var da = transposed ? x.matmul(db.transpose()) : db.matmul(x.transpose());
        rule.add(0, da.neg());
    }
}
