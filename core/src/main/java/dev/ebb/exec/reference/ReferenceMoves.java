package dev.ebb.exec.reference;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.math.Checks;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Kernels that place, pick and accumulate elements. */
final class ReferenceMoves {
    private ReferenceMoves() {}

    static void assemble(Kernel.Assemble k, List<Buffer> in, Buffer out) {
        boolean update = k.isUpdate();
        if (!update) for (long i = 0; i < out.size(); i++) out.set(i, k.fill());
        for (int p = 0; p < k.parts().size(); p++) {
            if (update && p == 0 && in.getFirst().segment().address() == out.segment().address())
                continue;
            var part = k.parts().get(p);
            for (var w = new IndexWalk(part.shape(), List.of(part.in(k.shape())));
                    w.inside();
                    w.next()) {
                copy(in.get(p), w.position, out, w.offsets[0]);
            }
        }
    }

    static void cut(Kernel.Cut k, Buffer in, List<Buffer> out) {
        for (int j = 0; j < out.size(); j++) {
            for (var w = new IndexWalk(k.shape(j), List.of(k.view(j))); w.inside(); w.next()) {
                copy(in, w.offsets[0], out.get(j), w.position);
            }
        }
    }

    private static void copy(Buffer from, long i, Buffer to, long j) {
        if (to.dtype().isFloat()) to.set(j, from.get(i));
        else to.setLong(j, from.getLong(i));
    }

    static void gather(Kernel.Gather k, Buffer data, Buffer index, Buffer out) {
        for (var w = new IndexWalk(k.shape(), List.of(k.data(), k.index())); w.inside(); w.next()) {
            long i = Checks.index(index.getLong(w.offsets[1]), k.bound());
            copy(data, w.offsets[0] + i * k.stride(), out, w.position);
        }
    }

    /** Every target is summed in double, or as long, and rounded once. */
    static void scatter(Kernel.Scatter k, Buffer index, Buffer source, Buffer out) {
        var reals = new double[out.dtype().isFloat() ? Math.toIntExact(out.size()) : 0];
        var wholes = new long[out.dtype().isFloat() ? 0 : Math.toIntExact(out.size())];
        for (var w = new IndexWalk(k.shape(), List.of(k.target(), k.index(), k.source()));
                w.inside();
                w.next()) {
            long at =
                    w.offsets[0]
                            + Checks.index(index.getLong(w.offsets[1]), k.bound()) * k.stride();
            if (out.dtype().isFloat()) reals[(int) at] += source.get(w.offsets[2]);
            else wholes[(int) at] += source.getLong(w.offsets[2]);
        }
        for (int i = 0; i < reals.length; i++) out.set(i, reals[i]);
        for (int i = 0; i < wholes.length; i++) out.setLong(i, wholes[i]);
    }

    /**
     * Copies the data, unless the output has their memory, then writes one element after the other.
     */
    static void update(Kernel.Scatter k, List<Buffer> in, Buffer out) {
        if (in.getFirst().segment().address() != out.segment().address())
            for (long i = 0; i < out.size(); i++) copy(in.getFirst(), i, out, i);
        var source = in.get(2);
        for (var w = new IndexWalk(k.shape(), List.of(k.target(), k.index(), k.source()));
                w.inside();
                w.next()) {
            long which = Checks.index(in.get(1).getLong(w.offsets[1]), k.bound());
            long at = w.offsets[0] + which * k.stride();
            switch (k.write()) {
                case ADD -> throw new IllegalStateException(k + " adds to zeros");
                case SET -> copy(source, w.offsets[2], out, at);
                case MAX -> combine(Kernel.Combine.MAX, source, w.offsets[2], out, at);
                case MIN -> combine(Kernel.Combine.MIN, source, w.offsets[2], out, at);
            }
        }
    }

    private static void combine(Kernel.Combine combine, Buffer from, long i, Buffer to, long j) {
        if (to.dtype().isFloat())
            to.set(j, ReferenceLoops.combine(combine, to.get(j), from.get(i)));
        else to.setLong(j, ReferenceLoops.combine(combine, to.getLong(j), from.getLong(i)));
    }

    /** The place of an element is the number of those that come before it. */
    static void sort(Kernel.Sort k, Buffer in, Buffer out) {
        long lines = k.outer() * k.inner();
        for (long line = 0; line < lines; line++) {
            long start = line / k.inner() * k.length() * k.inner() + line % k.inner();
            Comparator<Integer> ascending =
                    (i, j) -> compare(in, start + i * k.inner(), start + j * k.inner());
            var order = k.descending() ? ascending.reversed() : ascending;
            var sorted = IntStream.range(0, k.length()).boxed().sorted(order).toList();
            for (int j = 0; j < k.length(); j++) out.setLong(start + j * k.inner(), sorted.get(j));
        }
    }

    private static int compare(Buffer in, long i, long j) {
        if (!in.dtype().isFloat()) return Long.compare(in.getLong(i), in.getLong(j));
        double x = in.get(i);
        double y = in.get(j);
        return x < y ? -1 : x > y ? 1 : Boolean.compare(Double.isNaN(x), Double.isNaN(y));
    }

    /** The running value is kept in double, or as long, and rounded when it is stored. */
    static void cumulate(Kernel.Cumulate k, List<Buffer> inputs, Buffer out) {
        var in = inputs.getLast();
        var weights = inputs.getFirst();
        for (long o = 0; o < k.outer(); o++) {
            for (long i = 0; i < k.inner(); i++) {
                double real = 0;
                long whole = 0;
                for (int j = 0; j < k.length(); j++) {
                    int here = k.reverse() ? k.length() - 1 - j : j;
                    long at = (o * k.length() + here) * k.inner() + i;
                    if (out.dtype().isFloat()) {
                        double x = in.get(at);
                        if (k.weighted()) real = j == 0 ? x : x + weights.get(at) * real;
                        else real = j == 0 ? x : ReferenceLoops.combine(k.combine(), real, x);
                        out.set(at, real);
                    } else {
                        long x = in.getLong(at);
                        whole = j == 0 ? x : ReferenceLoops.combine(k.combine(), whole, x);
                        out.setLong(at, whole);
                    }
                }
            }
        }
    }
}
