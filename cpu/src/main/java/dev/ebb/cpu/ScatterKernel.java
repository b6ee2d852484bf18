package dev.ebb.cpu;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;

import java.util.List;

/**
 * Adds elements where an index sends them, each target's in the order of the source. Threads share
 * the columns of a run where each stays a column of the target (rows of an embedding); else they
 * share the target: each walks the whole source and adds what falls into its range. Either way no
 * target has two writers, so its order is kept.
 */
final class ScatterKernel implements Runnable {
    /** Fewer columns than a cache line holds are not worth a thread. */
    private static final int COLUMNS = 64;

    private final Kernel.Scatter k;
    private final Runs runs;
    private final Buffer index;
    private final Buffer source;
    private final Buffer out;
    private final Crew workers;
    private final boolean byColumns;
    private final int parts;

    ScatterKernel(Kernel.Scatter k, Buffer index, Buffer source, Buffer out, Crew workers) {
        this.k = k;
        this.index = index;
        this.source = source;
        this.out = out;
        this.workers = workers;
        runs = new Runs(k.shape(), List.of(k.target(), k.index(), k.source()));
        int length = runs.length();
        byColumns =
                runs.step(1) == 0
                        && runs.step(0) == 1
                        && k.stride() % length == 0
                        && runs.isAligned(0, length);
        boolean large = k.shape().size() >= MapKernel.GRAIN;
        parts = !large ? 1 : byColumns ? Math.max(1, length / COLUMNS) : workers.threads();
    }

    @Override
    public void run() {
        out.segment().asSlice(0, out.bytes()).fill((byte) 0);
        workers.run(
                parts,
                (part, _) -> {
                    if (byColumns)
                        columns(from(part, runs.length()), from(part + 1, runs.length()));
                    else range(from(part, k.size()), from(part + 1, k.size()));
                });
    }

    private long from(int part, long size) {
        return size * part / parts;
    }

    private void columns(long first, long last) {
        var at = new long[3];
        for (long r = 0; r < runs.count(); r++) {
            runs.starts(r, at);
            long to = at[0] + Moves.checked(index.getLong(at[1]), k.bound()) * k.stride();
            add(to + first, at[2] + first * runs.step(2), runs.step(2), (int) (last - first));
        }
    }

    /** Adds {@code n} elements of the source to consecutive targets. */
    private void add(long to, long from, long step, int n) {
        if (out.dtype() == DType.F32) {
            for (int i = 0; i < n; i++) {
                float x = source.segment().get(Reads.FLOAT, (from + i * step) * 4);
                long at = (to + i) * 4;
                out.segment().set(Reads.FLOAT, at, out.segment().get(Reads.FLOAT, at) + x);
            }
        } else {
            for (int i = 0; i < n; i++) add(to + i, from + i * step);
        }
    }

    private void add(long to, long from) {
        if (out.dtype().isFloat()) out.set(to, out.get(to) + source.get(from));
        else out.setLong(to, out.getLong(to) + source.getLong(from));
    }

    private void range(long low, long high) {
        var at = new long[3];
        for (long r = 0; r < runs.count(); r++) {
            runs.starts(r, at);
            for (int i = 0; i < runs.length(); i++) {
                long which = Moves.checked(index.getLong(at[1] + i * runs.step(1)), k.bound());
                long to = at[0] + i * runs.step(0) + which * k.stride();
                if (to >= low && to < high) add(to, at[2] + i * runs.step(2));
            }
        }
    }
}
