package dev.ebb.tensor.op;

import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;

/** Cumulative ops along one axis: running sums, products and linear recurrences. */
final class Cumulations {
    private Cumulations() {}

    /** Running sums or products along an axis, from either end. */
    private static Kernel.Cumulate kernel(
            Shape shape, int axis, Kernel.Combine combine, boolean reverse) {
        return new Kernel.Cumulate(
                outer(shape, axis), shape.dim(axis), inner(shape, axis), combine, reverse, false);
    }

    static long outer(Shape shape, int axis) {
        return new Shape(shape.dims().subList(0, axis)).size();
    }

    static long inner(Shape shape, int axis) {
        return new Shape(shape.dims().subList(axis + 1, shape.rank())).size();
    }

    private static List<Type> numbers(String op, List<Type> in) {
        if (in.getFirst().dtype().isTruth()) {
            throw new ShapeException(
                    op + " of " + in.getFirst() + "; cast to an integer type first, to count");
        }
        return List.of(in.getFirst());
    }

    record Cumsum(int axis, boolean reverse) implements Differentiable {
        @Override
        public String name() {
            return "cumsum(" + axis + (reverse ? ", from the end)" : ")");
        }

        @Override
        public List<Type> infer(List<Type> in) {
            return numbers("cumsum", in);
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var shape = in.getFirst().shape();
            return Cumulations.kernel(shape, axis, Kernel.Combine.SUM, reverse);
        }

        @Override
        public void vjp(Rule rule) {
            if (rule.in(0).dtype().isFloat()) {
                rule.add(0, rule.dout(0).apply(new Cumsum(axis, !reverse)));
            }
        }
    }

    /**
     * Running products. Element i has the products before it as one factor of its derivative; the
     * other, the sum of all cotangents from i on, each times the elements between, is a recurrence.
     * Nothing is divided, so zeros are no exception.
     */
    record Cumprod(int axis, boolean reverse) implements Differentiable {
        @Override
        public String name() {
            return "cumprod(" + axis + (reverse ? ", from the end)" : ")");
        }

        @Override
        public List<Type> infer(List<Type> in) {
            return numbers("cumprod", in);
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var shape = in.getFirst().shape();
            return Cumulations.kernel(shape, axis, Kernel.Combine.PROD, reverse);
        }

        @Override
        public void vjp(Rule rule) {
            var x = rule.in(0);
            if (!x.dtype().isFloat() || x.shape().size() == 0) return;
            var after = shift(x, axis, !reverse, 0).apply(new Recur(axis, !reverse), rule.dout(0));
            rule.add(0, before(x, axis, reverse).mul(after));
        }
    }

    /** The product of all elements before each, seen from the end if {@code reverse}. */
    static Tensor before(Tensor x, int axis, boolean reverse) {
        return shift(x, axis, reverse, 1).apply(new Cumprod(axis, reverse));
    }

    /** Each element one place later, or earlier if {@code reverse}; {@code first} comes in. */
    private static Tensor shift(Tensor x, int axis, boolean reverse, double first) {
        int n = x.shape().dim(axis);
        var fill = Tensors.fill(x.type().with(x.shape().with(axis, 1)), first);
        return reverse
                ? Tensors.concat(List.of(x.slice(axis, 1, n), fill), axis)
                : Tensors.concat(List.of(fill, x.slice(axis, 0, n - 1)), axis);
    }

    /**
     * The linear recurrence {@code s[i] = b[i] + a[i] s[i-1]} along an axis, with nothing before
     * the first (or after the last, in reverse). Its derivative is the same recurrence from the
     * other end.
     */
    record Recur(int axis, boolean reverse) implements Differentiable {
        @Override
        public String name() {
            return "recur(" + axis + (reverse ? ", from the end)" : ")");
        }

        @Override
        public List<Type> infer(List<Type> in) {
            var a = in.getFirst();
            if (!a.dtype().isFloat() || !a.equals(in.getLast())) {
                throw new ShapeException(
                        name() + " takes two float tensors of one type, not " + in);
            }
            return List.of(a);
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var shape = in.getFirst().shape();
            return new Kernel.Cumulate(
                    outer(shape, axis),
                    shape.dim(axis),
                    inner(shape, axis),
                    Kernel.Combine.SUM,
                    reverse,
                    true);
        }

        @Override
        public void vjp(Rule rule) {
            var a = rule.in(0);
            if (a.shape().size() == 0) return;
            var db = shift(a, axis, !reverse, 0).apply(new Recur(axis, !reverse), rule.dout(0));
            rule.add(1, db);
            rule.add(0, db.mul(shift(rule.out(0), axis, reverse, 0)));
        }
    }
}
