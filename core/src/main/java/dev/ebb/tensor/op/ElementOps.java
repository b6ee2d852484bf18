package dev.ebb.tensor.op;

import static dev.ebb.tensor.Literals.lit;
import static dev.ebb.tensor.op.Elementwise.choose;

import dev.ebb.ir.DType;
import dev.ebb.ir.Inverse;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Label;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Scalar.Fn2;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.tensor.Binary;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Unary;
import dev.ebb.tensor.ZeroDerivative;

import java.util.List;

/** Arithmetic, element by element. Operands broadcast as in NumPy; element types must agree. */
public interface ElementOps {

    private Tensor self() {
        return (Tensor) this;
    }

    default Tensor add(Tensor y) {
        return self().apply(new Elementwise.Add(), y);
    }

    default Tensor add(double c) {
        return add(self().literal(c));
    }

    default Tensor sub(Tensor y) {
        return self().apply(new Elementwise.Sub(), y);
    }

    default Tensor sub(double c) {
        return sub(self().literal(c));
    }

    default Tensor mul(Tensor y) {
        record Mul() implements Binary.OfNumbers {
            @Override
            public Scalar at(Scalar x, Scalar y) {
                return x.mul(y);
            }

            @Override
            public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
                return new Pair(dz.mul(y), dz.mul(x));
            }
        }
        return self().apply(new Mul(), y);
    }

    default Tensor mul(double c) {
        return mul(self().literal(c));
    }

    /**
     * The quotient; integers are rounded towards zero. An integer divided by zero stops the run
     * with an error.
     */
    default Tensor div(Tensor y) {
        record Div() implements Binary.OfNumbers {
            @Override
            public Scalar at(Scalar x, Scalar y) {
                return x.div(y);
            }

            @Override
            public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
                var dx = dz.div(y);
                return new Pair(dx, dx.mul(z).neg());
            }
        }
        return self().apply(new Div(), y);
    }

    default Tensor div(double c) {
        return div(divisor("div", c));
    }

    /** The remainder of a division rounded down; it has the sign of the divisor, as in Python. */
    default Tensor remainder(Tensor y) {
        record Remainder() implements Binary.OfNumbers {
            @Override
            public Scalar at(Scalar x, Scalar y) {
                var rest = x.apply(Fn2.REM, y);
                var turned = rest.lt(lit(0)).apply(Fn2.NE, y.lt(lit(0)));
                return rest.eq(lit(0)).select(rest, turned.select(rest.add(y), rest));
            }

            @Override
            public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
                return new Pair(dz, dz.mul(x.div(y).floor()).neg());
            }
        }
        return self().apply(new Remainder(), y);
    }

    default Tensor remainder(double c) {
        return remainder(divisor("remainder", c));
    }

    private Tensor divisor(String op, double c) {
        if (c == 0 && !self().dtype().isFloat()) {
            throw new ShapeException(
                    ("%s: %s by zero, and no integer is the quotient; cast to a float type for"
                                    + " infinities")
                            .formatted(op, self().type()));
        }
        return self().literal(c);
    }

    /** The part of {@code d} for one operand: zero where it loses, half at ties, otherwise all. */
    private static Tensor share(Tensor loses, Tensor ties, Tensor d) {
        return choose(loses, d.literal(0), choose(ties, d.mul(0.5), d));
    }

    private Tensor extreme(Fn2 fn, Tensor y) {
        record Extreme(Fn2 fn) implements Binary {
            @Override
            public String name() {
                return fn == Fn2.MAX ? "maximum" : "minimum";
            }

            @Override
            public boolean accepts(DType type) {
                return true;
            }

            @Override
            public Scalar at(Scalar x, Scalar y) {
                return x.apply(fn, y);
            }

            private Tensor loses(Tensor x, Tensor y) {
                return fn == Fn2.MAX ? x.lt(y) : x.gt(y);
            }

            @Override
            public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
                return new Pair(share(loses(x, y), x.eq(y), dz), share(loses(y, x), x.eq(y), dz));
            }
        }
        return self().apply(new Extreme(fn), y);
    }

    /**
     * The larger of two, or NaN if either is. Equals share the cotangent, and where one is NaN both
     * get all of it. Keeps bits, not values, for its derivative.
     */
    default Tensor maximum(Tensor y) {
        return extreme(Fn2.MAX, y);
    }

    default Tensor maximum(double c) {
        return maximum(self().literal(c));
    }

    /** The lesser of two, or NaN if either is. The derivative is that of {@link #maximum}. */
    default Tensor minimum(Tensor y) {
        return extreme(Fn2.MIN, y);
    }

    default Tensor minimum(double c) {
        return minimum(self().literal(c));
    }

    default Tensor neg() {
        record Neg() implements Unary.OfNumbers {
            @Override
            public Scalar at(Scalar x) {
                return x.neg();
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                return dy.neg();
            }

            @Override
            public List<Inverse> inverses(List<Type> in) {
                return List.of(Inverse.exact(0, this, List.of(1)));
            }
        }
        return self().apply(new Neg());
    }

    /** The magnitude. The slope at zero is zero. Keeps two bits an element for its derivative. */
    default Tensor abs() {
        record Abs() implements Unary.OfNumbers {
            @Override
            public Scalar at(Scalar x) {
                return x.abs();
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                return choose(x.gt(0), dy, choose(x.lt(0), dy.neg(), dy.literal(0)));
            }
        }
        return self().apply(new Abs());
    }

    default Tensor square() {
        record Square() implements Unary.OfNumbers {
            @Override
            public Scalar at(Scalar x) {
                return x.mul(x);
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                return dy.mul(x.mul(2));
            }
        }
        return self().apply(new Square());
    }

    default Tensor reciprocal() {
        record Reciprocal() implements Unary {
            @Override
            public Scalar at(Scalar x) {
                return lit(1).div(x);
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                return dy.mul(y.square()).neg();
            }
        }
        return self().apply(new Reciprocal());
    }

    /** The nearest value in {@code [low, high]}. At both bounds the slope is one. */
    default Tensor clamp(double low, double high) {
        record Clamp(double low, double high) implements Unary.OfNumbers {
            Clamp {
                if (!(low <= high)) {
                    throw new ShapeException(
                            "clamp: low is %s and high is %s; low must not be above"
                                    .formatted(low, high));
                }
            }

            @Override
            public String name() {
                return "clamp(" + low + ", " + high + ")";
            }

            @Override
            public Scalar at(Scalar x) {
                return x.max(lit(low)).min(lit(high));
            }

            @Override
            public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
                return choose(x.ge(low).and(x.le(high)), dy, dy.literal(0));
            }
        }
        return self().apply(new Clamp(low, high));
    }

    /** These values as another element type. */
    default Tensor cast(DType to) {
        record Cast(DType to) implements Differentiable {
            @Override
            public String name() {
                return "cast(" + to + ")";
            }

            @Override
            public List<Type> infer(List<Type> in) {
                return List.of(in.getFirst().with(to));
            }

            @Override
            public Kernel kernel(List<Type> in) {
                var shape = in.getFirst().shape();
                return Kernel.Map.of(
                        shape, List.of(View.contiguous(shape)), Scalar.arg(0).cast(to));
            }

            @Override
            public void vjp(Rule rule) {
                var from = rule.in(0).dtype();
                if (from.isFloat() && to.isFloat()) rule.add(0, rule.dout(0).cast(from));
            }
        }
        return to == self().dtype() ? self() : self().apply(new Cast(to));
    }

    /** The same values, through which nothing flows back. */
    default Tensor detach() {
        record Detach() implements ZeroDerivative {
            @Override
            public List<Type> infer(List<Type> in) {
                return in;
            }

            @Override
            public Kernel kernel(List<Type> in) {
                return Moves.identity(in.getFirst().shape());
            }
        }
        return self().apply(new Detach());
    }

    /** The same values under a name, by which strategies and reports find them. */
    default Tensor named(String name) {
        return self().apply(new Label(name));
    }
}
