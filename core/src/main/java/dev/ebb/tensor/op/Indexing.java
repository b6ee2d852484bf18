package dev.ebb.tensor.op;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Picking elements by index, and its reverse: adding them where they were picked. */
public final class Indexing {
    private Indexing() {}

    /** Maps an element of the index to the position of an element of the data. */
    sealed interface Address {
        int axis();

        /**
         * The shape of the result of picking with an index of shape {@code index} from {@code
         * data}.
         */
        Shape picked(Shape data, Shape index);

        /** The view by which the data is read along the picked shape if all indices are zero. */
        View data(Shape data, Shape index);

        /** The view by which the index is read along the picked shape. */
        View index(Shape data, Shape index);
    }

    /** The index, of any shape, takes the place of the axis: each of its elements picks a slice. */
    record Whole(int axis) implements Address {
        @Override
        public Shape picked(Shape data, Shape index) {
            var dims = new ArrayList<>(data.dims().subList(0, axis));
            dims.addAll(index.dims());
            dims.addAll(data.dims().subList(axis + 1, data.rank()));
            return new Shape(dims);
        }

        @Override
        public View data(Shape data, Shape index) {
            var own = View.contiguous(data).strides();
            var strides = new ArrayList<>(own.subList(0, axis));
            strides.addAll(Collections.nCopies(index.rank(), 0L));
            strides.addAll(own.subList(axis + 1, data.rank()));
            return new View(0, strides);
        }

        @Override
        public View index(Shape data, Shape index) {
            var strides = new ArrayList<>(Collections.nCopies(axis, 0L));
            strides.addAll(View.contiguous(index).strides());
            strides.addAll(Collections.nCopies(data.rank() - axis - 1, 0L));
            return new View(0, strides);
        }
    }

    /** The index has the data's rank: each of its elements picks one of its own line. */
    record Along(int axis) implements Address {
        @Override
        public Shape picked(Shape data, Shape index) {
            boolean fits = data.rank() == index.rank();
            for (int d = 0; fits && d < data.rank(); d++) {
                fits = d == axis || index.dim(d) <= data.dim(d);
            }
            if (!fits) {
                throw new ShapeException(
                        ("an index of shape %s into %s along axis %s: it needs the same rank, and"
                                        + " no other axis may be longer")
                                .formatted(index, data, axis));
            }
            return index;
        }

        @Override
        public View data(Shape data, Shape index) {
            var strides = new ArrayList<>(View.contiguous(data).strides());
            strides.set(axis, 0L);
            return new View(0, strides);
        }

        @Override
        public View index(Shape data, Shape index) {
            return View.contiguous(index);
        }
    }

    static void requireIndex(String op, Type index) {
        if (index.dtype() != DType.I32 && index.dtype() != DType.I64) {
            throw new ShapeException(
                    op + ": an index is i32 or i64, this is " + index + "; cast it first");
        }
    }

    /** The elements of the first operand that the index, the second operand, selects. */
    record Gather(Address address) implements Differentiable {
        @Override
        public String name() {
            return "gather(" + address + ")";
        }

        @Override
        public List<Type> infer(List<Type> in) {
            requireIndex("gather", in.getLast());
            var data = in.getFirst();
            return List.of(data.with(address.picked(data.shape(), in.getLast().shape())));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var data = in.getFirst().shape();
            var index = in.getLast().shape();
            return new Kernel.Gather(
                    address.picked(data, index),
                    address.data(data, index),
                    address.index(data, index),
                    View.contiguous(data).stride(address.axis()),
                    data.dim(address.axis()));
        }

        @Override
        public void vjp(Rule rule) {
            var scatter = new Scatter(address, rule.in(0).shape());
            rule.add(0, rule.in(1).apply(scatter, rule.dout(0)));
        }
    }

    /**
     * Zeros of shape {@code data}, to which the source (the second operand) is added where the
     * index (the first) picks.
     */
    record Scatter(Address address, Shape data) implements Differentiable {
        @Override
        public String name() {
            return "scatter(" + address + " of " + data + ")";
        }

        @Override
        public List<Type> infer(List<Type> in) {
            requireIndex("scatter", in.getFirst());
            var source = in.getLast();
            var picked = address.picked(data, in.getFirst().shape());
            if (!source.shape().equals(picked) || source.dtype().isTruth()) {
                throw new ShapeException(
                        "scatter: the source is %s where numbers of shape %s are expected"
                                .formatted(source, picked));
            }
            return List.of(source.with(data));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var index = in.getFirst().shape();
            return new Kernel.Scatter(
                    Kernel.Write.ADD,
                    in.getLast().shape(),
                    data.size(),
                    address.data(data, index),
                    address.index(data, index),
                    View.contiguous(in.getLast().shape()),
                    View.contiguous(data).stride(address.axis()),
                    data.dim(address.axis()));
        }

        @Override
        public void vjp(Rule rule) {
            if (rule.in(1).dtype().isFloat()) {
                rule.add(1, rule.dout(0).apply(new Gather(address), rule.in(0)));
            }
        }
    }
}
