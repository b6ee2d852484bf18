package dev.ebb.cpu.move;

import dev.ebb.cpu.tile.RunLoads;
import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.cpu.work.Workers;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.math.Checks;

import java.lang.foreign.MemorySegment;

/**
 * Scatters that overwrite elements, or combine them with the old ones by minimum or maximum.
 * Positions of the {@link ScatterPlan} have separate targets: threads share positions, and the
 * terms of a position are processed in the order of the source, so that the last one remains.
 */
public final class ScatterUpdate implements Runnable {
    private final Kernel.Scatter k;
    private final ScatterPlan plan;
    private final Buffer data;
    private final Buffer index;
    private final Buffer source;
    private final Buffer out;
    private final WorkerGroup workers;
    private final boolean inPlace;

    public ScatterUpdate(
            Kernel.Scatter k,
            Buffer data,
            Buffer index,
            Buffer source,
            Buffer out,
            WorkerGroup workers) {
        this.k = k;
        this.data = data;
        this.index = index;
        this.source = source;
        this.out = out;
        this.workers = workers;
        plan = new ScatterPlan(k);
        inPlace = data.segment().address() == out.segment().address();
    }

    @Override
    public void run() {
        if (!inPlace) workers.run(parts(out.size()), this::copy);
        if (k.shape().size() == 0) return;
        int parts = (int) Math.min(plan.positions(), parts(k.shape().size()));
        workers.run(parts, (part, _) -> positions(part, parts));
    }

    private static int parts(long elements) {
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, elements / Workers.GRAIN));
    }

    private void copy(int part, int worker) {
        int parts = parts(out.size());
        long width = out.dtype().bytes(1);
        long first = out.size() * part / parts * width;
        long last = out.size() * (part + 1) / parts * width;
        MemorySegment.copy(data.segment(), first, out.segment(), first, last - first);
    }

    private void positions(int part, int parts) {
        long last = plan.positions() * (part + 1) / parts;
        for (long p = plan.positions() * part / parts; p < last; p++) {
            long from = plan.source(p);
            long to = plan.target(p);
            long by = plan.index(p);
            for (long t = 0; t < plan.terms(); t++) {
                long which = Checks.index(index.getLong(by + plan.indexOf(t)), k.bound());
                write(from + plan.sourceOf(t), to + which * k.stride());
            }
        }
    }

    private void write(long from, long to) {
        switch (k.write()) {
            case ADD -> throw new IllegalStateException(k + " adds to zeros");
            case SET -> {
                for (long c = 0; c < plan.columns(); c += Integer.MAX_VALUE) {
                    int n = (int) Math.min(Integer.MAX_VALUE, plan.columns() - c);
                    MoveKernels.copy(
                            source, from + c * plan.step(), plan.step(), out, to + c, 1, n);
                }
            }
            case MAX -> extremes(from, to, true);
            case MIN -> extremes(from, to, false);
        }
    }

    private void extremes(long from, long to, boolean largest) {
        if (out.dtype() == DType.F32) singles(from, to, largest);
        else if (out.dtype().isFloat()) floats(from, to, largest);
        else wholes(from, to, largest);
    }

    private void singles(long from, long to, boolean largest) {
        var target = out.segment();
        for (long c = 0; c < plan.columns(); c++) {
            float x = source.segment().get(RunLoads.FLOAT, (from + c * plan.step()) * 4);
            float y = target.get(RunLoads.FLOAT, (to + c) * 4);
            target.set(RunLoads.FLOAT, (to + c) * 4, largest ? Math.max(x, y) : Math.min(x, y));
        }
    }

    private void floats(long from, long to, boolean largest) {
        for (long c = 0; c < plan.columns(); c++) {
            double x = source.get(from + c * plan.step());
            double y = out.get(to + c);
            out.set(to + c, largest ? Math.max(x, y) : Math.min(x, y));
        }
    }

    private void wholes(long from, long to, boolean largest) {
        for (long c = 0; c < plan.columns(); c++) {
            long x = source.getLong(from + c * plan.step());
            long y = out.getLong(to + c);
            out.setLong(to + c, largest ? Math.max(x, y) : Math.min(x, y));
        }
    }
}
