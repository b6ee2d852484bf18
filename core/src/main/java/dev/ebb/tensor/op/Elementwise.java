package dev.ebb.tensor.op;

import static dev.ebb.tensor.Literals.lit;

import dev.ebb.ir.DType;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Inverse;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Op;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Scalar.Fn2;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.tensor.Binary;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.Unary;

import java.util.ArrayList;
import java.util.List;

/** Arithmetic: the ops most other derivatives are written with. */
public final class Elementwise {
    private Elementwise() {}

    record Neg() implements Unary {
        @Override
        public boolean accepts(DType type) {
            return !type.isTruth();
        }

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

    /** The slope at zero is zero. Keeps two bits an element for its derivative. */
    record Abs() implements Unary {
        @Override
        public boolean accepts(DType type) {
            return !type.isTruth();
        }

        @Override
        public Scalar at(Scalar x) {
            return x.abs();
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return choose(x.gt(0), dy, choose(x.lt(0), dy.neg(), dy.literal(0)));
        }
    }

    record Square() implements Unary {
        @Override
        public boolean accepts(DType type) {
            return !type.isTruth();
        }

        @Override
        public Scalar at(Scalar x) {
            return x.mul(x);
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(x.mul(2));
        }
    }

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

    record Rsqrt() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return lit(1).div(x.sqrt());
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(y.mul(y.square())).mul(-0.5);
        }
    }

    /** Sign, floor, ceil and round: constant between their jumps, so the derivative is zero. */
    record Step(Fn1 fn) implements Differentiable {
        @Override
        public String name() {
            return fn.text();
        }

        @Override
        public List<Type> infer(List<Type> in) {
            var x = in.getFirst();
            if (!x.dtype().isFloat() && !(fn == Fn1.SIGN && x.dtype().isInteger())) {
                throw new ShapeException(
                        name() + " does not take " + x + "; cast it first, for example to f32");
            }
            return in;
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var shape = in.getFirst().shape();
            return Kernel.Map.of(shape, List.of(View.contiguous(shape)), Scalar.arg(0).apply(fn));
        }

        @Override
        public void vjp(Rule rule) {
            // piecewise constant
        }
    }

    record Add() implements Binary {
        @Override
        public boolean accepts(DType type) {
            return !type.isTruth();
        }

        @Override
        public Scalar at(Scalar x, Scalar y) {
            return x.add(y);
        }

        @Override
        public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
            return new Pair(dz, dz);
        }

        @Override
        public List<Inverse> inverses(List<Type> in) {
            return ofWholes(this, in, new Sub(), List.of(2, 1), new Sub(), List.of(2, 0));
        }
    }

    record Sub() implements Binary {
        @Override
        public boolean accepts(DType type) {
            return !type.isTruth();
        }

        @Override
        public Scalar at(Scalar x, Scalar y) {
            return x.sub(y);
        }

        @Override
        public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
            return new Pair(dz, dz.neg());
        }

        @Override
        public List<Inverse> inverses(List<Type> in) {
            return ofWholes(this, in, new Add(), List.of(2, 1), this, List.of(0, 2));
        }
    }

    /**
     * The inverses for the two operands of {@code op}, unless an operand was broadcast: integers
     * wrap, so an addition can be inverted exactly, while floats are rounded.
     */
    private static List<Inverse> ofWholes(
            Op op,
            List<Type> in,
            Op first,
            List<Integer> from,
            Op second,
            List<Integer> fromThese) {
        var out = op.infer(in).getFirst();
        var found = new ArrayList<Inverse>();
        if (!out.dtype().isInteger()) return found;
        if (in.getFirst().equals(out)) found.add(Inverse.exact(0, first, from));
        if (in.getLast().equals(out)) found.add(Inverse.exact(1, second, fromThese));
        return found;
    }

    record Mul() implements Binary {
        @Override
        public boolean accepts(DType type) {
            return !type.isTruth();
        }

        @Override
        public Scalar at(Scalar x, Scalar y) {
            return x.mul(y);
        }

        @Override
        public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
            return new Pair(dz.mul(y), dz.mul(x));
        }
    }

    record Div() implements Binary {
        @Override
        public boolean accepts(DType type) {
            return !type.isTruth();
        }

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

    /** What is left of a division rounded down: zero or of the divisor's sign, as in Python. */
    record Remainder() implements Binary {
        @Override
        public boolean accepts(DType type) {
            return !type.isTruth();
        }

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

    /**
     * The larger; equals share the cotangent, and where one is NaN both get all of it. Keeps bits,
     * not values, for its derivative.
     */
    record Maximum() implements Binary {
        @Override
        public boolean accepts(DType type) {
            return true;
        }

        @Override
        public Scalar at(Scalar x, Scalar y) {
            return x.max(y);
        }

        @Override
        public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
            return new Pair(share(x.lt(y), x.eq(y), dz), share(y.lt(x), x.eq(y), dz));
        }
    }

    /** The lesser; as {@link Maximum}. */
    record Minimum() implements Binary {
        @Override
        public boolean accepts(DType type) {
            return true;
        }

        @Override
        public Scalar at(Scalar x, Scalar y) {
            return x.min(y);
        }

        @Override
        public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
            return new Pair(share(x.gt(y), x.eq(y), dz), share(y.gt(x), x.eq(y), dz));
        }
    }

    /** The part of {@code d} for one operand: zero where it loses, half at ties, otherwise all. */
    private static Tensor share(Tensor loses, Tensor ties, Tensor d) {
        return choose(loses, d.literal(0), choose(ties, d.mul(0.5), d));
    }

    /** A choice whose condition is kept in one bit an element. */
    public static Tensor choose(Tensor condition, Tensor yes, Tensor no) {
        return Tensors.where(condition.cast(DType.BIT), yes, no);
    }
}
