package dev.ebb.ir;

import java.util.ArrayList;
import java.util.List;

/**
 * The forms a computation may take. Ops are open and many; kernel forms are sealed and few, and say
 * all that a device needs besides the element types of the operands. A device is complete when its
 * switch over this interface compiles. Outputs are contiguous and fully written.
 */
public sealed interface Kernel
        permits Kernel.Viewed,
                Kernel.Rows,
                Kernel.Assemble,
                Kernel.Cut,
                Kernel.Gather,
                Kernel.Scatter,
                Kernel.Cumulate,
                Kernel.Sort,
                Kernel.Opaque {

    /** The forms whose operands can be read through any view, which passes may change. */
    sealed interface Viewed extends Kernel permits Map, Fold, Contract, Attend, AttendGrad {}

    /** The forms that most passes, and all generated loops, leave unchanged. */
    sealed interface Opaque extends Kernel
            permits DecodingContract, Convolve, Attend, AttendGrad, Library, Control {}

    /** The function by which several elements are combined into one. */
    enum Combine {
        SUM(Scalar.Fn2.ADD),
        PROD(Scalar.Fn2.MUL),
        MAX(Scalar.Fn2.MAX),
        MIN(Scalar.Fn2.MIN);

        private final Scalar.Fn2 function;

        Combine(Scalar.Fn2 function) {
            this.function = function;
        }

        /** The function that makes one element of two. */
        public Scalar.Fn2 function() {
            return function;
        }
    }

    /**
     * {@code out_j[i] = bodies_j(operand_0[i], operand_1[i], ...)} for every index {@code i} of
     * {@code shape}. All bodies are evaluated at an index before any output is written there: an
     * output may overwrite an operand that is read only where it is written.
     */
    record Map(Shape shape, List<View> operands, List<Scalar> bodies) implements Viewed {
        public Map {
            operands = List.copyOf(operands);
            bodies = List.copyOf(bodies);
            operands.forEach(v -> v.requireRank(shape.rank()));
        }

        public static Map of(Shape shape, List<View> operands, Scalar body) {
            return new Map(shape, operands, List.of(body));
        }
    }

    /**
     * {@code out_j} is {@code bodies_j} of every index of {@code shape}, combined over {@code axes}
     * (sorted). The order of combination depends on {@code shape} and {@code axes} alone: each
     * output has the bits that a fold of its body by itself has. All outputs are of one type.
     */
    record Fold(
            Shape shape,
            List<Integer> axes,
            Combine combine,
            List<View> operands,
            List<Scalar> bodies)
            implements Viewed {
        public Fold {
            axes = List.copyOf(axes);
            operands = List.copyOf(operands);
            bodies = List.copyOf(bodies);
            operands.forEach(v -> v.requireRank(shape.rank()));
        }

        /** A fold with one output. */
        public Fold(
                Shape shape,
                List<Integer> axes,
                Combine combine,
                List<View> operands,
                Scalar body) {
            this(shape, axes, combine, operands, List.of(body));
        }

        /** The body of a fold with one output. */
        public Scalar body() {
            if (bodies.size() != 1)
                throw new IllegalStateException(bodies.size() + " bodies in a fold, not one");
            return bodies.getFirst();
        }

        /** The fold of every body by itself, each with all operands. */
        public List<Fold> each() {
            return bodies.stream().map(b -> new Fold(shape, axes, combine, operands, b)).toList();
        }
    }

    /**
     * {@code shape} in rows along its axes from {@code leading} on. Of every row {@code numbers}
     * are computed, one after the other; then {@code results} of rows and numbers, one output each,
     * at most one of them with elements. Arguments of a body are the operands, then the numbers
     * before it: floats of the type their body computes in. A row is read before it is written.
     */
    record Rows(
            Shape shape,
            int leading,
            List<View> operands,
            List<RowParts.RowValue> numbers,
            List<RowParts.Result> results)
            implements Kernel {
        public Rows {
            operands = List.copyOf(operands);
            numbers = List.copyOf(numbers);
            results = List.copyOf(results);
            operands.forEach(v -> v.requireRank(shape.rank()));
            RowParts.check(shape, leading, numbers, results);
        }

        /** Rows with one result. */
        public Rows(
                Shape shape,
                int leading,
                List<View> operands,
                List<RowParts.RowValue> numbers,
                RowParts.Result result) {
            this(shape, leading, operands, numbers, List.of(result));
        }

        /** The result of a kernel with one output. */
        public RowParts.Result result() {
            return RowParts.only(results);
        }

        /** The shape of the rows: one number for each index of it. */
        public Shape outer() {
            return new Shape(shape.dims().subList(0, leading));
        }

        public long width() {
            return RowParts.width(shape, leading);
        }

        /** The types of all arguments, numbers included, of operands stored as {@code stored}. */
        public List<DType> types(List<DType> stored) {
            var types = new ArrayList<>(stored);
            for (var number : numbers) types.add(number.body().type(types));
            return types;
        }
    }

    /**
     * {@code out[..., i, j] = epilogue(sum_k a[..., i, k] * b[..., k, j], extras[..., i, j])}. View
     * {@code a} runs over batch + [m, k], {@code b} over batch + [k, n], the extras over batch +
     * [m, n]; argument 0 of the epilogue is the sum. The order of the sum depends on {@code k}
     * alone. The output may overwrite an extra that is read at the index that is written.
     */
    record Contract(
            Shape batch, int m, int n, int k, View a, View b, List<View> extras, Scalar epilogue)
            implements Viewed {
        public Contract {
            extras = List.copyOf(extras);
            a.requireRank(batch.rank() + 2);
            b.requireRank(batch.rank() + 2);
            extras.forEach(v -> v.requireRank(batch.rank() + 2));
        }

        /** The shape of the product. */
        public Shape shape() {
            return batch.append(m, n);
        }
    }

    /** {@code shape} filled with {@code fill}, then each input in its part; later parts win. */
    record Assemble(Shape shape, double fill, List<View.Part> parts) implements Kernel {
        public Assemble {
            parts = List.copyOf(parts);
        }

        /**
         * Whether the first input covers the whole shape: this is an update of it, and the output
         * may take its memory.
         */
        public boolean isUpdate() {
            if (parts.isEmpty()) return false;
            var first = parts.getFirst();
            return first.shape().equals(shape)
                    && first.start().stream().allMatch(s -> s == 0)
                    && first.step().stream().allMatch(s -> s == 1);
        }

        /** Whether the parts are boxes that do not overlap and cover the whole shape. */
        public boolean isTiled() {
            if (shape.size() == 0) return true;
            long sum = 0;
            for (int i = 0; i < parts.size(); i++) {
                var part = parts.get(i);
                sum += part.shape().size();
                if (part.step().stream().anyMatch(s -> s != 1)) return false;
                if (parts.subList(0, i).stream().anyMatch(part::overlaps)) return false;
            }
            return sum == shape.size();
        }
    }

    /**
     * [outer, sum of sizes, inner] cut along its middle axis into one output for each of {@code
     * sizes}.
     */
    record Cut(int outer, List<Integer> sizes, int inner) implements Kernel {
        public Cut {
            sizes = List.copyOf(sizes);
        }

        /** The iteration shape of output {@code i}. */
        public Shape shape(int i) {
            return Shape.of(outer, sizes.get(i), inner);
        }

        /** The view by which output {@code i} is read from the input. */
        public View view(int i) {
            long all = sizes.stream().mapToLong(Integer::longValue).sum();
            long before = sizes.subList(0, i).stream().mapToLong(Integer::longValue).sum();
            return new View(before * inner, List.of(all * inner, (long) inner, 1L));
        }
    }

    /**
     * {@code out[i] = data[view(i) + index[i] * stride]} for every index of {@code shape}; inputs
     * are data and index (I32 or I64). An index outside {@code [0, bound)} is an error that names
     * it.
     */
    record Gather(Shape shape, View data, View index, long stride, int bound) implements Kernel {}

    /** How elements that a {@link Scatter} sends to the same place are combined. */
    enum Write {
        ADD,
        SET,
        MAX,
        MIN
    }

    /**
     * Sends {@code source[i]} to {@code out[target(i) + index[i] * stride]}, for every index of
     * {@code shape} in row-major order. ADD: inputs are index and source, places begin at zero, and
     * every sum is taken in F64 (integers in I64) and rounded once. Others: inputs are data, index
     * and source; the result is the last of the data's element and those sent to its place (SET),
     * or the largest or least, NaN if there is one. Along an axis the target either does not move
     * or moves to elements of its own, whatever the index.
     */
    record Scatter(
            Write write,
            Shape shape,
            long size,
            View target,
            View index,
            View source,
            long stride,
            int bound)
            implements Kernel {
        /** Whether this updates its first input, whose memory the output may take. */
        public boolean isUpdate() {
            return write != Write.ADD;
        }
    }

    /**
     * Running sums, products or extremes of x along the middle axis of {@code [outer, length,
     * inner]}, from either end, carried in F64 (integers in I64) and rounded where they are stored.
     * If {@code weighted}, the inputs are weights and x (floats): {@code s[i] = x[i] + weight[i] *
     * s[i - 1]}, where the first weight is not used; else x is the only input.
     */
    record Cumulate(
            long outer, int length, long inner, Combine combine, boolean reverse, boolean weighted)
            implements Kernel {
        public Cumulate {
            if (weighted && combine != Combine.SUM)
                throw new IllegalArgumentException("weights are for sums, not for " + combine);
        }
    }

    /**
     * The indices, as I64, that put every line along the middle axis of {@code [outer, length,
     * inner]} in order. Equals stay in their order, and NaN is larger than every number.
     */
    record Sort(long outer, int length, long inner, boolean descending) implements Kernel {}

    /** Which of a convolution's three tensors is computed from the other two. */
    enum Side {
        OUTPUT,
        INPUT,
        WEIGHT
    }

    /**
     * Convolution over one to three spatial axes: input [batch, groups*inChannels, in...], weight
     * [groups*outChannels, inChannels, kernel...], output [batch, groups*outChannels, out...]. The
     * operands are the two tensors that are not {@code side}, in the order input, weight, output.
     */
    record Convolve(
            Side side,
            int batch,
            int groups,
            int inChannels,
            int outChannels,
            List<Integer> in,
            List<Integer> kernel,
            List<Integer> out,
            List<Integer> stride,
            List<Integer> low,
            List<Integer> dilation)
            implements Opaque {
        public Convolve {
            in = List.copyOf(in);
            kernel = List.copyOf(kernel);
            out = List.copyOf(out);
            stride = List.copyOf(stride);
            low = List.copyOf(low);
            dilation = List.copyOf(dilation);
        }
    }

    /**
     * Outputs: softmax(scale q k^T + mask) v, and the log of each row's sum of exponentials,
     * [batch, heads, queries]. {@code operands} are views of q, k and v, {@code out} one of the
     * first output; rows are contiguous.
     */
    record Attend(AttentionShape heads, List<View> operands, View out) implements Viewed, Opaque {
        public Attend {
            operands = List.copyOf(operands);
            heads.requireRows(List.of(operands.get(0), operands.get(1)), heads.width());
            heads.requireRows(List.of(operands.get(2), out), heads.valueWidth());
        }

        /** All in row-major order. */
        public Attend(AttentionShape h) {
            this(h, h.contiguous(), View.contiguous(h.outShape()));
        }
    }

    /**
     * Writes a result through {@code view} into an output, which several results may fill together.
     */
    record Place(int output, View view) {}

    /**
     * Inputs q, k, v, (mask), out, dout, logsum; results dq, dk, dv. {@code operands} are the views
     * of q, k, v, out and dout; {@code results} says to which outputs the results are written, and
     * how.
     */
    record AttendGrad(AttentionShape heads, List<View> operands, List<Place> results)
            implements Viewed, Opaque {
        public AttendGrad {
            operands = List.copyOf(operands);
            results = List.copyOf(results);
            heads.requireRows(List.of(operands.get(0), operands.get(1)), heads.width());
            heads.requireRows(operands.subList(2, 5), heads.valueWidth());
            var to = results.stream().map(Place::view).toList();
            heads.requireRows(to.subList(0, 2), heads.width());
            heads.requireRows(to.subList(2, 3), heads.valueWidth());
        }

        /** All in row-major order. */
        public AttendGrad(AttentionShape h) {
            this(
                    h,
                    h.contiguousWithOut(),
                    List.of(
                            new Place(0, View.contiguous(h.queryShape())),
                            new Place(1, View.contiguous(h.keyShape())),
                            new Place(2, View.contiguous(h.valueShape()))));
        }
    }

    /** Plain Java code of an op that is not a loop over elements; every device runs it as it is. */
    non-sealed interface Library extends Opaque {
        /** The bytes of workspace that {@link #run} gets, planned like any other buffer. */
        long workspaceBytes();

        /** Whether output 0 equals input 0, so that it may take the memory of that input. */
        default boolean passesFirst() {
            return false;
        }

        /**
         * Computes outputs from inputs. Must not keep a buffer (with {@link Trait#BESIDE}, until
         * the outputs are read), and must not read an output before writing it.
         */
        void run(List<Buffer> inputs, List<Buffer> outputs, Buffer workspace);
    }
}
