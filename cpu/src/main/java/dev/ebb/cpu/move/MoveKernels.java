package dev.ebb.cpu.move;

import dev.ebb.cpu.tile.RunLoads;
import dev.ebb.cpu.tile.StridedRuns;
import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.View;
import dev.ebb.ir.math.Checks;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Kernels that copy elements unchanged (assemble, cut, gather). Contiguous runs are copied as
 * bytes, so the element type matters only for single elements.
 */
public final class MoveKernels {
    /** Rows of fewer elements of 8 bytes are copied one by one. */
    private static final int SHORT = 16;

    private MoveKernels() {}

    /** Copies {@code n} elements from one buffer to another of the same type. */
    static void copy(Buffer from, long i, long stepFrom, Buffer to, long j, long stepTo, int n) {
        if (stepFrom == 1 && stepTo == 1) {
            long width = from.dtype().bytes(1);
            MemorySegment.copy(from.segment(), i * width, to.segment(), j * width, n * width);
            return;
        }
        switch (from.dtype()) {
            case F32, I32 -> {
                for (int k = 0; k < n; k++) {
                    int x = from.segment().get(RunLoads.INT, (i + k * stepFrom) * 4);
                    to.segment().set(RunLoads.INT, (j + k * stepTo) * 4, x);
                }
            }
            case F64, I64 -> {
                for (int k = 0; k < n; k++) {
                    long x = from.segment().get(RunLoads.LONG, (i + k * stepFrom) * 8);
                    to.segment().set(RunLoads.LONG, (j + k * stepTo) * 8, x);
                }
            }
            case BF16, F16 -> {
                for (int k = 0; k < n; k++) {
                    short x = from.segment().get(RunLoads.SHORT, (i + k * stepFrom) * 2);
                    to.segment().set(RunLoads.SHORT, (j + k * stepTo) * 2, x);
                }
            }
            case U8, BOOL -> {
                for (int k = 0; k < n; k++) {
                    byte x = from.segment().get(RunLoads.BYTE, i + k * stepFrom);
                    to.segment().set(RunLoads.BYTE, j + k * stepTo, x);
                }
            }
            case BIT ->
                    throw new IllegalArgumentException(
                            "bits are not moved; cast them to bool first");
        }
    }

    public static Runnable assemble(
            Kernel.Assemble k, List<Buffer> in, Buffer out, WorkerGroup workers) {
        var runs = new ArrayList<StridedRuns>();
        for (var part : k.parts()) {
            var views = List.of(View.contiguous(part.shape()), part.in(k.shape()));
            runs.add(new StridedRuns(part.shape(), views));
        }
        boolean covered = k.isUpdate() || k.isTiled();
        boolean inPlace =
                k.isUpdate() && in.getFirst().segment().address() == out.segment().address();
        return () -> {
            if (!covered) fill(out, k.fill());
            for (int p = inPlace ? 1 : 0; p < runs.size(); p++) {
                var run = runs.get(p);
                var from = in.get(p);
                run.share(workers, (first, last) -> place(run, first, last, from, out));
            }
        };
    }

    public static Runnable cut(Kernel.Cut k, Buffer in, List<Buffer> out, WorkerGroup workers) {
        var runs = new ArrayList<StridedRuns>();
        for (int j = 0; j < out.size(); j++) {
            runs.add(new StridedRuns(k.shape(j), List.of(k.view(j), View.contiguous(k.shape(j)))));
        }
        return () -> {
            for (int j = 0; j < runs.size(); j++) {
                var run = runs.get(j);
                var to = out.get(j);
                run.share(workers, (first, last) -> place(run, first, last, in, to));
            }
        };
    }

    private static void place(StridedRuns runs, long first, long last, Buffer from, Buffer out) {
        var at = new long[2];
        for (long r = first; r < last; ) {
            runs.starts(r, at);
            long end = Math.min(last, r + runs.stretch(r));
            for (; r < end; r++) {
                copy(from, at[0], runs.step(0), out, at[1], runs.step(1), runs.length());
                at[0] += runs.apart(0);
                at[1] += runs.apart(1);
            }
        }
    }

    private static void fill(Buffer out, double value) {
        out.set(0, value);
        long width = out.dtype().bytes(1);
        long bytes = out.bytes();
        // copying the filled part behind itself doubles its size
        for (long done = width; done < bytes; done *= 2) {
            var segment = out.segment();
            MemorySegment.copy(segment, 0, segment, done, Math.min(done, bytes - done));
        }
    }

    public static Runnable gather(
            Kernel.Gather k, Buffer data, Buffer index, Buffer out, WorkerGroup workers) {
        var runs =
                new StridedRuns(
                        k.shape(), List.of(k.data(), k.index(), View.contiguous(k.shape())));
        return () ->
                runs.share(workers, (first, last) -> pick(k, runs, first, last, data, index, out));
    }

    private static void pick(
            Kernel.Gather k,
            StridedRuns runs,
            long first,
            long last,
            Buffer data,
            Buffer index,
            Buffer out) {
        var at = new long[3];
        boolean whole = runs.step(1) == 0;
        boolean rows = whole && runs.step(0) == 1 && runs.length() <= SHORT;
        for (long r = first; r < last; ) {
            runs.starts(r, at);
            long end = Math.min(last, r + runs.stretch(r));
            if (rows && data.dtype().bytes(1) == 8) {
                shortRows(k, runs, at, end - r, data.segment(), index, out.segment());
                r = end;
                continue;
            }
            for (; r < end; r++) {
                if (whole) {
                    long which = Checks.index(index.getLong(at[1]), k.bound());
                    long from = at[0] + which * k.stride();
                    copy(data, from, runs.step(0), out, at[2], 1, runs.length());
                } else {
                    single(k, runs, at, data, index, out);
                }
                for (int v = 0; v < 3; v++) at[v] += runs.apart(v);
            }
        }
    }

    private static void shortRows(
            Kernel.Gather k,
            StridedRuns runs,
            long[] at,
            long count,
            MemorySegment data,
            Buffer index,
            MemorySegment out) {
        int length = runs.length();
        long stride = k.stride();
        int bound = k.bound();
        for (long r = 0; r < count; r++) {
            long which = Checks.index(index.getLong(at[1] + r * runs.apart(1)), bound);
            long from = (at[0] + r * runs.apart(0) + which * stride) * 8;
            long to = (at[2] + r * runs.apart(2)) * 8;
            for (int i = 0; i < length; i++)
                out.set(RunLoads.LONG, to + i * 8L, data.get(RunLoads.LONG, from + i * 8L));
        }
    }

    /** A run whose elements have separate indices. */
    private static void single(
            Kernel.Gather k, StridedRuns runs, long[] at, Buffer data, Buffer index, Buffer out) {
        for (int i = 0; i < runs.length(); i++) {
            long which = Checks.index(index.getLong(at[1] + i * runs.step(1)), k.bound());
            copy(data, at[0] + i * runs.step(0) + which * k.stride(), 1, out, at[2] + i, 1, 1);
        }
    }
}
