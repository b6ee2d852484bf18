package dev.ebb.tensor.op;

import dev.ebb.ir.DType;
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

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** Ops that only move elements: each is a view of its operand, or parts put together. */
public final class Moves {
    private Moves() {}

    static Kernel.Map identity(Shape shape) {
        return Kernel.Map.of(shape, List.of(View.contiguous(shape)), Scalar.arg(0));
    }

    record Reshape(Shape to) implements Differentiable {
        @Override
        public String name() {
            return "reshape" + to;
        }

        @Override
        public List<Type> infer(List<Type> in) {
            var x = in.getFirst();
            if (x.size() != to.size()) {
                throw new ShapeException(
                        "reshape: %s has %s elements, %s has %s"
                                .formatted(x, x.size(), to, to.size()));
            }
            return List.of(x.with(to));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return identity(to);
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, rule.dout(0).reshape(rule.in(0).shape()));
        }

        @Override
        public List<Inverse> inverses(List<Type> in) {
            return List.of(Inverse.exact(0, new Reshape(in.getFirst().shape()), List.of(1)));
        }
    }

    record Permute(List<Integer> axes) implements Differentiable {
        Permute {
            axes = List.copyOf(axes);
        }

        @Override
        public String name() {
            return "permute" + axes;
        }

        @Override
        public List<Type> infer(List<Type> in) {
            var x = in.getFirst();
            if (!axes.stream().sorted().toList().equals(x.shape().allAxes())) {
                throw new ShapeException(
                        "permute: " + axes + " is no permutation of the axes of " + x);
            }
            return List.of(x.with(new Shape(axes.stream().map(x.shape()::dim).toList())));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var from = View.contiguous(in.getFirst().shape());
            var view = new View(0, axes.stream().map(from::stride).toList());
            return Kernel.Map.of(infer(in).getFirst().shape(), List.of(view), Scalar.arg(0));
        }

        private Permute back() {
            return new Permute(IntStream.range(0, axes.size()).mapToObj(axes::indexOf).toList());
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, rule.dout(0).apply(back()));
        }

        @Override
        public List<Inverse> inverses(List<Type> in) {
            return List.of(Inverse.exact(0, back(), List.of(1)));
        }
    }

    record BroadcastTo(Shape to) implements Differentiable {
        @Override
        public String name() {
            return "broadcast_to" + to;
        }

        @Override
        public List<Type> infer(List<Type> in) {
            View.broadcast(in.getFirst().shape(), to);
            return List.of(in.getFirst().with(to));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return Kernel.Map.of(
                    to, List.of(View.broadcast(in.getFirst().shape(), to)), Scalar.arg(0));
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, rule.dout(0));
        }
    }

    /**
     * Elements {@code start, start + step, ...} of every axis, {@code size} of them; a negative
     * step walks back.
     */
    public record Slice(List<Integer> start, List<Integer> step, Shape size)
            implements Differentiable {
        public Slice {
            start = List.copyOf(start);
            step = List.copyOf(step);
        }

        @Override
        public String name() {
            return "slice" + start + "+" + step + "*" + size;
        }

        @Override
        public List<Type> infer(List<Type> in) {
            var x = in.getFirst().shape();
            if (x.rank() != start.size() || x.rank() != step.size() || x.rank() != size.rank()) {
                throw new ShapeException("slice: " + name() + " does not have the rank of " + x);
            }
            for (int d = 0; d < x.rank(); d++) {
                int first = start.get(d);
                int last = first + (size.dim(d) - 1) * step.get(d);
                if (size.dim(d) > 0
                        && (first < 0 || first >= x.dim(d) || last < 0 || last >= x.dim(d))) {
                    throw new ShapeException(
                            "slice: elements %s to %s of axis %s, which has %s"
                                    .formatted(first, last, d, x.dim(d)));
                }
            }
            return List.of(in.getFirst().with(size));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var from = View.contiguous(in.getFirst().shape());
            long offset = 0;
            var strides = new ArrayList<Long>();
            for (int d = 0; d < size.rank(); d++) {
                offset += start.get(d) * from.stride(d);
                strides.add(step.get(d) * from.stride(d));
            }
            return Kernel.Map.of(
                    size, List.of(new View(size.size() == 0 ? 0 : offset, strides)), Scalar.arg(0));
        }

        /**
         * The derivative of a flip is a flip; that of any other slice is written into a tensor of
         * zeros.
         */
        @Override
        public void vjp(Rule rule) {
            var whole = rule.in(0).shape();
            if (flips(whole)) rule.add(0, rule.dout(0).apply(this));
            else {
                var part = new View.Part(size, start, step);
                rule.addPart(0, part, rule.dout(0), parts -> new Assemble(whole, 0, parts));
            }
        }

        private boolean flips(Shape whole) {
            return size.equals(whole) && step.stream().allMatch(s -> Math.abs(s) == 1);
        }

        @Override
        public List<Inverse> inverses(List<Type> in) {
            return flips(in.getFirst().shape())
                    ? List.of(Inverse.exact(0, this, List.of(1)))
                    : List.of();
        }
    }

    /**
     * Operands put into their parts of a larger tensor, the rest filled: padding, concatenation,
     * stacking.
     */
    public record Assemble(Shape shape, double fill, List<View.Part> parts)
            implements Differentiable {
        public Assemble {
            parts = List.copyOf(parts);
        }

        @Override
        public List<Type> infer(List<Type> in) {
            if (in.getFirst().dtype() == DType.BIT) {
                throw new ShapeException("bits cannot be put together; cast to bool first");
            }
            for (int i = 0; i < parts.size(); i++) {
                if (!in.get(i).shape().equals(parts.get(i).shape())
                        || in.get(i).dtype() != in.getFirst().dtype()) {
                    throw new ShapeException(
                            "assemble: operand %s is %s where %s is expected"
                                    .formatted(
                                            i,
                                            in.get(i),
                                            in.getFirst().with(parts.get(i).shape())));
                }
            }
            return List.of(in.getFirst().with(shape));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            return new Kernel.Assemble(shape, fill, parts);
        }

        /** The parts are disjoint, so the cotangent of each is the slice at its position. */
        @Override
        public void vjp(Rule rule) {
            for (int i = 0; i < parts.size(); i++) {
                rule.add(i, rule.dout(0).apply(cut(parts.get(i))));
            }
        }

        private static Slice cut(View.Part part) {
            return new Slice(part.start(), part.step(), part.shape());
        }

        @Override
        public List<Inverse> inverses(List<Type> in) {
            return IntStream.range(0, parts.size())
                    .mapToObj(i -> Inverse.exact(i, cut(parts.get(i)), List.of(parts.size())))
                    .toList();
        }
    }

    /** One tensor cut into several along an axis; its derivative puts them together again. */
    record Split(int axis, List<Integer> sizes) implements Differentiable {
        Split {
            sizes = List.copyOf(sizes);
        }

        @Override
        public String name() {
            return "split(" + axis + ", " + sizes + ")";
        }

        @Override
        public List<Type> infer(List<Type> in) {
            var x = in.getFirst();
            int sum = sizes.stream().mapToInt(Integer::intValue).sum();
            if (sum != x.shape().dim(axis) || sizes.stream().anyMatch(n -> n < 0)) {
                throw new ShapeException(
                        "split: sizes %s do not make up axis %s of %s, which has %s"
                                .formatted(sizes, axis, x, x.shape().dim(axis)));
            }
            if (x.dtype() == DType.BIT) {
                throw new ShapeException("split of " + x + "; cast to bool first");
            }
            return sizes.stream().map(n -> x.with(x.shape().with(axis, n))).toList();
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var x = in.getFirst();
            return new Kernel.Cut(
                    Math.toIntExact(Cumulations.outer(x.shape(), axis)),
                    sizes,
                    Math.toIntExact(Cumulations.inner(x.shape(), axis)));
        }

        @Override
        public void vjp(Rule rule) {
            if (!rule.in(0).dtype().isFloat()) return;
            var parts = IntStream.range(0, sizes.size()).mapToObj(rule::dout).toList();
            rule.add(0, Tensors.concat(parts, axis));
        }
    }

    /** The size of an axis that {@code op} makes, if an axis can have it. */
    public static int length(String op, long size) {
        if (size > Integer.MAX_VALUE) {
            throw new ShapeException(
                    "%s: an axis of %s elements; an axis has at most %s, so use several"
                            .formatted(op, size, Integer.MAX_VALUE));
        }
        return (int) size;
    }

    public static List<Integer> ones(int rank) {
        return Collections.nCopies(rank, 1);
    }
}
