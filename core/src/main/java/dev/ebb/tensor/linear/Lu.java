package dev.ebb.tensor.linear;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Rule;

import java.util.List;

/**
 * Outputs: the triangular factors of A with its rows reordered, packed into one matrix and kept in
 * double, and the order: row i of the product is row order[i] of A. Partial pivoting; a singular
 * matrix is factored too and has a zero pivot.
 */
record Lu() implements Factorisation {
    @Override
    public List<Type> infer(List<Type> in) {
        var a = Factorisation.square(name(), in.getFirst());
        var order = Factorisation.sized(a, Factorisation.rows(a)).with(DType.I32);
        return List.of(a.with(DType.F64), order);
    }

    @Override
    public Kernel kernel(List<Type> in) {
        int n = Factorisation.rows(in.getFirst());
        return new Each(
                Factorisation.count(in.getFirst()),
                0,
                (number, from, to, _) ->
                        factor(
                                number,
                                Matrix.of(from.getFirst(), number, n, n),
                                Matrix.of(to.getFirst(), number, n, n),
                                to.get(1)));
    }

    private void factor(int number, Matrix a, Matrix lu, Buffer order) {
        a.requireFinite(name(), number);
        int n = a.rows();
        long first = (long) number * n;
        lu.copy(a);
        for (int i = 0; i < n; i++) order.setLong(first + i, i);
        for (int j = 0; j < n; j++) {
            int pivot = j;
            for (int i = j + 1; i < n; i++) {
                if (Math.abs(lu.get(i, j)) > Math.abs(lu.get(pivot, j))) pivot = i;
            }
            if (pivot != j) {
                for (int k = 0; k < n; k++) {
                    double x = lu.get(j, k);
                    lu.set(j, k, lu.get(pivot, k));
                    lu.set(pivot, k, x);
                }
                long x = order.getLong(first + j);
                order.setLong(first + j, order.getLong(first + pivot));
                order.setLong(first + pivot, x);
            }
            if (lu.get(j, j) == 0) continue;
            for (int i = j + 1; i < n; i++) {
                double factor = lu.get(i, j) / lu.get(j, j);
                lu.set(i, j, factor);
                for (int k = j + 1; k < n; k++) {
                    lu.set(i, k, lu.get(i, k) - factor * lu.get(j, k));
                }
            }
        }
    }

    /** The factors have no derivative: each op computed from them defines its derivative by A. */
    @Override
    public void vjp(Rule rule) {
        // see Solve and Determinant
    }
}
