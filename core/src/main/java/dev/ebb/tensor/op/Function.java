package dev.ebb.tensor.op;

import dev.ebb.ir.Fn1;
import dev.ebb.ir.Scalar;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Unary;

import java.util.List;

/** A smooth function of floats, whose value and derivative are in its row of {@link Fn1}. */
record Function(Fn1 fn) implements Unary {

    @Override
    public String name() {
        return fn.text();
    }

    @Override
    public Scalar at(Scalar x) {
        return x.apply(fn);
    }

    @Override
    public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
        var rule = fn.pullback().orElseThrow();
        return of(rule.of(Scalar.arg(0), Scalar.arg(1), Scalar.arg(2)), List.of(x, y, dy));
    }

    /** {@code formula} as ops on tensors, so that it has derivatives again. */
    private static Tensor of(Scalar formula, List<Tensor> args) {
        return switch (formula) {
            case Scalar.Arg(int i) -> args.get(i);
            case Scalar.Un(var fn, var x) ->
                    fn == Fn1.NEG ? of(x, args).neg() : of(x, args).apply(new Function(fn));
            case Scalar.Bin(var fn, var x, Scalar.Lit(_, double y)) ->
                    switch (fn) {
                        case ADD -> of(x, args).add(y);
                        case SUB -> of(x, args).sub(y);
                        case MUL -> of(x, args).mul(y);
                        case DIV -> of(x, args).div(y);
                        default -> throw unknown(formula);
                    };
            case Scalar.Bin(var fn, Scalar.Lit(_, double x), var y) -> of(formula, fn, x, y, args);
            case Scalar.Bin(var fn, var x, var y) ->
                    switch (fn) {
                        case ADD -> of(x, args).add(of(y, args));
                        case SUB -> of(x, args).sub(of(y, args));
                        case MUL ->
                                x.equals(y) ? of(x, args).square() : of(x, args).mul(of(y, args));
                        case DIV -> of(x, args).div(of(y, args));
                        default -> throw unknown(formula);
                    };
            case Scalar.Lit _,
                    Scalar.Index _,
                    Scalar.Position _,
                    Scalar.Select _,
                    Scalar.Cast _,
                    Scalar.Draw _ ->
                    throw unknown(formula);
        };
    }

    private static Tensor of(Scalar formula, Scalar.Fn2 fn, double x, Scalar y, List<Tensor> args) {
        if (fn == Scalar.Fn2.POLYGAMMA) return of(y, args).polygamma((int) x);
        if (fn == Scalar.Fn2.DIV && x == 1) {
            return y instanceof Scalar.Un(var root, var z) && root == Fn1.SQRT
                    ? of(z, args).rsqrt()
                    : of(y, args).reciprocal();
        }
        throw unknown(formula);
    }

    private static IllegalStateException unknown(Scalar formula) {
        return new IllegalStateException(
                "a derivative in Fn1 has "
                        + formula
                        + "; it may have sums, products and quotients, functions, and 1 / x");
    }
}
