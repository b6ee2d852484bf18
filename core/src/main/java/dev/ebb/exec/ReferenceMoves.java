package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;

import java.util.List;

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
            for (var w = new Walk(part.shape(), List.of(part.in(k.shape())));
                    w.inside();
                    w.next()) {
                copy(in.get(p), w.position, out, w.offsets[0]);
            }
        }
    }

    static void cut(Kernel.Cut k, Buffer in, List<Buffer> out) {
        for (int j = 0; j < out.size(); j++) {
            for (var w = new Walk(k.shape(j), List.of(k.view(j))); w.inside(); w.next()) {
                copy(in, w.offsets[0], out.get(j), w.position);
            }
        }
    }

    private static void copy(Buffer from, long i, Buffer to, long j) {
        if (to.dtype().isFloat()) to.set(j, from.get(i));
        else to.setLong(j, from.getLong(i));
    }

    static void gather(Kernel.Gather k, Buffer data, Buffer index, Buffer out) {
        for (var w = new Walk(k.shape(), List.of(k.data(), k.index())); w.inside(); w.next()) {
            long i = checked(index.getLong(w.offsets[1]), k.bound());
            copy(data, w.offsets[0] + i * k.stride(), out, w.position);
        }
    }

    static void scatter(Kernel.Scatter k, Buffer index, Buffer source, Buffer out) {
        for (long i = 0; i < out.size(); i++) out.set(i, 0);
        for (var w = new Walk(k.shape(), List.of(k.target(), k.index(), k.source()));
                w.inside();
                w.next()) {
            long at = w.offsets[0] + checked(index.getLong(w.offsets[1]), k.bound()) * k.stride();
            if (out.dtype().isFloat()) out.set(at, out.get(at) + source.get(w.offsets[2]));
            else out.setLong(at, out.getLong(at) + source.getLong(w.offsets[2]));
        }
    }

    static long checked(long i, int bound) {
        if (i < 0 || i >= bound) {
            throw new IndexOutOfBoundsException(
                    "index "
                            + i
                            + " is outside an axis of "
                            + bound
                            + " elements: indices run from 0 to "
                            + (bound - 1));
        }
        return i;
    }

    static void cumulate(Kernel.Cumulate k, Buffer in, Buffer out) {
        for (long o = 0; o < k.outer(); o++) {
            for (long i = 0; i < k.inner(); i++) {
                for (int j = 0; j < k.length(); j++) {
                    int here = k.reverse() ? k.length() - 1 - j : j;
                    long at = (o * k.length() + here) * k.inner() + i;
                    long before = k.reverse() ? at + k.inner() : at - k.inner();
                    if (j == 0) copy(in, at, out, at);
                    else if (out.dtype().isFloat()) {
                        out.set(
                                at,
                                ReferenceLoops.combine(k.combine(), out.get(before), in.get(at)));
                    } else {
                        out.setLong(
                                at,
                                ReferenceLoops.combine(
                                        k.combine(), out.getLong(before), in.getLong(at)));
                    }
                }
            }
        }
    }
}
