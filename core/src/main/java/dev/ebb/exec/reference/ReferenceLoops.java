package dev.ebb.exec.reference;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.DecodingContract;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Elementwise kernels, reductions and contractions, as their definitions say. */
final class ReferenceLoops {
    private ReferenceLoops() {}

    static void map(Kernel.Map k, List<Buffer> in, List<Buffer> out) {
        var walk = new IndexWalk(k.shape(), k.operands());
        var eval = new ReferenceScalar(in, walk);
        var values = new ReferenceScalar.Element[k.bodies().size()];
        for (; walk.inside(); walk.next()) {
            // every body is evaluated before any output is written: an output may lie over an input
            for (int j = 0; j < values.length; j++) values[j] = eval.value(k.bodies().get(j));
            for (int j = 0; j < values.length; j++) values[j].into(out.get(j), walk.position);
        }
    }

    /** All elements as doubles, so that each is converted only once. */
    static double[] numbers(Buffer buffer) {
        var all = new double[Math.toIntExact(buffer.size())];
        for (int i = 0; i < all.length; i++) all[i] = buffer.get(i);
        return all;
    }

    /**
     * The number of terms of a sum that are added first; these partial sums are then added in
     * order.
     */
    static final int BLOCK = 64;

    /**
     * The number of indices of {@code axis} in one block of a fold over {@code axes}; only the
     * outermost folded axis has blocks.
     */
    static int cutEvery(Shape shape, List<Integer> axes, int axis) {
        var folded = axes.stream().filter(d -> shape.dim(d) != 1).toList();
        if (folded.isEmpty() || folded.getFirst() != axis) return Node.Cuts.NEVER;
        long inner = 1;
        for (int d : folded.subList(1, folded.size())) inner *= shape.dim(d);
        return inner > 0 && BLOCK % inner == 0 ? (int) (BLOCK / inner) : Node.Cuts.NEVER;
    }

    static void fold(Kernel.Fold k, List<Buffer> in, List<Buffer> out) {
        for (int j = 0; j < k.bodies().size(); j++) fold(k.each().get(j), in, out.get(j));
    }

    private static void fold(Kernel.Fold k, List<Buffer> in, Buffer out) {
        var reduced = k.shape().reduce(k.axes(), true);
        var types = in.stream().map(Buffer::dtype).toList();
        var type = k.body().type(types);
        for (long i = 0; i < out.size(); i++) identity(k.combine(), type).into(out, i);
        var views = new ArrayList<>(k.operands());
        views.add(View.broadcast(reduced, k.shape()));
        var walk = new IndexWalk(k.shape(), views);
        var eval = new ReferenceScalar(in, walk);
        double first = identity(k.combine(), type).real();
        var sums = new double[out.dtype().isFloat() ? Math.toIntExact(out.size()) : 0];
        for (int i = 0; i < sums.length; i++) sums[i] = out.get(i);
        var blocks = sums.clone();
        var counts = new int[sums.length];
        for (; walk.inside(); walk.next()) {
            long at = walk.offsets[views.size() - 1];
            var value = eval.value(k.body());
            if (sums.length > 0) {
                int i = (int) at;
                blocks[i] = combine(k.combine(), blocks[i], value.real());
                if (++counts[i] == BLOCK) {
                    sums[i] = combine(k.combine(), sums[i], blocks[i]);
                    blocks[i] = first;
                    counts[i] = 0;
                }
            } else {
                out.setLong(at, combine(k.combine(), out.getLong(at), value.whole()));
            }
        }
        for (int i = 0; i < sums.length; i++) out.set(i, combine(k.combine(), sums[i], blocks[i]));
    }

    static ReferenceScalar.Element identity(Kernel.Combine combine, DType type) {
        return switch (combine) {
            case SUM -> ReferenceScalar.Element.of(type, 0);
            case PROD -> ReferenceScalar.Element.of(type, 1);
            case MAX ->
                    type.isFloat()
                            ? ReferenceScalar.Element.of(type, Double.NEGATIVE_INFINITY)
                            : new ReferenceScalar.Element(type, 0, least(type));
            case MIN ->
                    type.isFloat()
                            ? ReferenceScalar.Element.of(type, Double.POSITIVE_INFINITY)
                            : new ReferenceScalar.Element(type, 0, greatest(type));
        };
    }

    private static long least(DType type) {
        return type == DType.BOOL ? 0 : type == DType.I32 ? Integer.MIN_VALUE : Long.MIN_VALUE;
    }

    private static long greatest(DType type) {
        return type == DType.BOOL ? 1 : type == DType.I32 ? Integer.MAX_VALUE : Long.MAX_VALUE;
    }

    static double combine(Kernel.Combine combine, double x, double y) {
        return switch (combine) {
            case SUM -> x + y;
            case PROD -> x * y;
            case MAX -> Math.max(x, y);
            case MIN -> Math.min(x, y);
        };
    }

    static long combine(Kernel.Combine combine, long x, long y) {
        return switch (combine) {
            case SUM -> x + y;
            case PROD -> x * y;
            case MAX -> Math.max(x, y);
            case MIN -> Math.min(x, y);
        };
    }

    static void contract(Kernel.Contract k, List<Buffer> in, Buffer out) {
        var shape = k.shape();
        int rank = shape.rank();
        long stepA = k.a().stride(rank - 1);
        long stepB = k.b().stride(rank - 2);
        var views = new ArrayList<View>();
        views.add(along(k.a(), rank, rank - 2, -1));
        views.add(along(k.b(), rank, -1, rank - 1));
        views.addAll(k.extras());
        var walk = new IndexWalk(shape, views);
        var eval = new ReferenceScalar(in.subList(1, in.size()), walk);
        var a = numbers(in.get(0));
        var b = numbers(in.get(1));
        for (; walk.inside(); walk.next()) {
            double sum = 0;
            for (int from = 0; from < k.k(); from += BLOCK) {
                double block = 0;
                for (int p = from; p < Math.min(k.k(), from + BLOCK); p++) {
                    block +=
                            a[(int) (walk.offsets[0] + p * stepA)]
                                    * b[(int) (walk.offsets[1] + p * stepB)];
                }
                sum += block;
            }
            eval.first(in.getFirst().dtype(), sum);
            eval.value(k.epilogue()).into(out, walk.position);
        }
    }

    /** The factor is written to memory of its own, then multiplied. */
    static void decoded(DecodingContract k, List<Buffer> in, Buffer out) {
        var encoded = k.encoded(in);
        var type =
                k.factor().bodies().getFirst().type(encoded.stream().map(Buffer::dtype).toList());
        long size = k.factor().shape().size();
        var bytes = new byte[Math.toIntExact(type.bytes(size))];
        var factor = new Buffer(type, size, MemorySegment.ofArray(bytes));
        map(k.factor(), encoded, List.of(factor));
        var operands = new ArrayList<>(List.of(in.getFirst(), factor));
        operands.addAll(k.extras(in));
        contract(k.product(), operands, out);
    }

    /**
     * {@code view} over batch + [m, n], of which it follows the batch axes and at most one of m and
     * n.
     */
    private static View along(View view, int rank, int row, int column) {
        var strides = new ArrayList<>(view.strides().subList(0, rank - 2));
        strides.add(row < 0 ? 0L : view.stride(row));
        strides.add(column < 0 ? 0L : view.stride(column));
        return new View(view.offset(), strides);
    }
}
