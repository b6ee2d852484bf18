package dev.ebb.tensor.op;

import dev.ebb.ir.DType;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Inverse;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensors;

import java.util.List;
import java.util.stream.IntStream;

/** Ops that compare, select and convert elements. */
public final class Selection {
    private Selection() {}

    /** A comparison; it has no derivative. */
    record Compare(Scalar.Fn2 fn) implements Differentiable {
        @Override
        public String name() {
            return fn.name().toLowerCase(java.util.Locale.ROOT);
        }

        @Override
        public List<Type> infer(List<Type> in) {
            return List.of(new Type(DType.BOOL, common(name(), in)));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var shape = common(name(), in);
            var views = in.stream().map(t -> View.broadcast(t.shape(), shape)).toList();
            return Kernel.Map.of(shape, views, Scalar.arg(0).apply(fn, Scalar.arg(1)));
        }

        @Override
        public void vjp(Rule rule) {
            // piecewise constant
        }
    }

    private static Shape common(String op, List<Type> in) {
        Type x = in.getFirst();
        Type y = in.getLast();
        if (x.dtype() != y.dtype()) {
            throw new ShapeException(
                    op + " of " + x + " and " + y + ": element types differ; cast one of them");
        }
        return broadcast(op, x.shape(), y.shape());
    }

    private static Shape broadcast(String op, Shape x, Shape y) {
        try {
            return Shape.broadcast(x, y);
        } catch (ShapeException e) {
            throw new ShapeException(op + ": " + e.getMessage(), e);
        }
    }

    /** {@code condition ? x : y}, elementwise; all three broadcast. */
    public record Where() implements Differentiable {
        @Override
        public List<Type> infer(List<Type> in) {
            if (!in.get(0).dtype().isTruth()) {
                throw new ShapeException(
                        "where: the condition must be bool, not "
                                + in.get(0)
                                + "; compare it with something, for example x.gt(0)");
            }
            return List.of(new Type(in.get(1).dtype(), shape(in)));
        }

        private static Shape shape(List<Type> in) {
            return broadcast("where", in.get(0).shape(), common("where", in.subList(1, 3)));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var shape = shape(in);
            var views = in.stream().map(t -> View.broadcast(t.shape(), shape)).toList();
            return Kernel.Map.of(shape, views, Scalar.arg(0).select(Scalar.arg(1), Scalar.arg(2)));
        }

        @Override
        public void vjp(Rule rule) {
            var dz = rule.dout(0);
            if (!dz.dtype().isFloat()) return;
            rule.add(1, Tensors.where(rule.in(0), dz, dz.literal(0)));
            rule.add(2, Tensors.where(rule.in(0), dz.literal(0), dz));
        }
    }

    /** And, or, exclusive or: of truth values, or bit by bit of integers. */
    record Logic(Scalar.Fn2 fn) implements Differentiable {
        @Override
        public String name() {
            return fn.name().toLowerCase(java.util.Locale.ROOT);
        }

        @Override
        public List<Type> infer(List<Type> in) {
            var shape = common(name(), in);
            return List.of(logical(name(), in.getFirst()).with(shape));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var shape = common(name(), in);
            var views = in.stream().map(t -> View.broadcast(t.shape(), shape)).toList();
            return Kernel.Map.of(shape, views, Scalar.arg(0).apply(fn, Scalar.arg(1)));
        }

        @Override
        public void vjp(Rule rule) {
            // no floats, no derivative
        }

        /** Exclusive or is its own inverse for operands that were not broadcast. */
        @Override
        public List<Inverse> inverses(List<Type> in) {
            var out = infer(in).getFirst();
            return IntStream.range(0, fn == Scalar.Fn2.XOR ? 2 : 0)
                    .filter(i -> in.get(i).equals(out))
                    .mapToObj(i -> Inverse.exact(i, this, List.of(2, 1 - i)))
                    .toList();
        }
    }

    /** The other truth value, or every bit of an integer turned over. */
    record Not() implements Differentiable {
        @Override
        public List<Type> infer(List<Type> in) {
            return List.of(logical(name(), in.getFirst()));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var shape = in.getFirst().shape();
            return Kernel.Map.of(shape, List.of(View.contiguous(shape)), Scalar.arg(0).not());
        }

        @Override
        public void vjp(Rule rule) {
            // no floats, no derivative
        }

        @Override
        public List<Inverse> inverses(List<Type> in) {
            return List.of(Inverse.exact(0, this, List.of(1)));
        }
    }

    private static Type logical(String op, Type x) {
        if (x.dtype().isFloat()) {
            throw new ShapeException(
                    op + " takes truth values or integers, not " + x + "; compare first: x.ne(0)");
        }
        return x;
    }

    record IsNan() implements Differentiable {
        @Override
        public List<Type> infer(List<Type> in) {
            if (!in.getFirst().dtype().isFloat()) {
                throw new ShapeException("is_nan takes floats, not " + in.getFirst());
            }
            return List.of(in.getFirst().with(DType.BOOL));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var shape = in.getFirst().shape();
            var body = Scalar.arg(0).apply(Fn1.IS_NAN);
            return Kernel.Map.of(shape, List.of(View.contiguous(shape)), body);
        }

        @Override
        public void vjp(Rule rule) {
            // piecewise constant
        }
    }

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
            return Kernel.Map.of(shape, List.of(View.contiguous(shape)), Scalar.arg(0).cast(to));
        }

        @Override
        public void vjp(Rule rule) {
            var from = rule.in(0).dtype();
            if (from.isFloat() && to.isFloat()) rule.add(0, rule.dout(0).cast(from));
        }
    }

    /** The same values; nothing flows back through it. */
    record Detach() implements Differentiable {
        @Override
        public List<Type> infer(List<Type> in) {
            return in;
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return Moves.identity(in.getFirst().shape());
        }

        @Override
        public void vjp(Rule rule) {
            // that is the purpose of the op
        }
    }
}
