package dev.ebb.tensor.linear;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensors;

import java.util.List;

/** Operands A, its factors and row order; outputs the determinant's sign and log magnitude. */
record Determinant() implements Factorisation {
    @Override
    public List<Type> infer(List<Type> in) {
        var each = in.getFirst().with(Factorisation.lead(in.getFirst().shape()));
        return List.of(each, each);
    }

    @Override
    public Kernel kernel(List<Type> in) {
        int n = Factorisation.rows(in.getFirst());
        return new Each(
                Factorisation.count(in.getFirst()),
                0,
                (number, from, to, _) -> {
                    var lu = Matrix.of(from.get(1), number, n, n);
                    double sign = parity(from.get(2), (long) number * n, n);
                    double log = 0;
                    for (int i = 0; i < n; i++) {
                        sign *= Math.signum(lu.get(i, i));
                        log += StrictMath.log(Math.abs(lu.get(i, i)));
                    }
                    to.get(0).set(number, sign);
                    to.get(1).set(number, log);
                });
    }

    private static double parity(Buffer order, long first, int n) {
        double sign = 1;
        for (int i = 0; i < n; i++) {
            for (int j = i + 1; j < n; j++) {
                if (order.getLong(first + i) > order.getLong(first + j)) sign = -sign;
            }
        }
        return sign;
    }

    @Override
    public void vjp(Rule rule) {
        if (!rule.reached(1)) return;
        var a = rule.in(0);
        var eye = Tensors.eye(a.dtype(), a.dim(-1)).broadcastTo(a.shape());
        var inverse = a.apply(new Solve(true), rule.in(1), rule.in(2), eye);
        rule.add(0, inverse.mul(rule.dout(1).unsqueeze(-1).unsqueeze(-1)));
    }
}
