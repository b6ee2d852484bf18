package dev.ebb.cpu.fold;

import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.StoredType;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.TileStore;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.cpu.work.Workers;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.RowParts;

import java.util.List;
import java.util.stream.IntStream;

/**
 * {@code Rows} kernels, a few rows at a time: first the numbers of the rows, each fold of a row in
 * the order of a {@link RowFold}, then the result, while the rows are still in the cache. Threads
 * share rows.
 */
public final class RowsKernel implements Runnable, Workers.Part {
    private static final int MOST_PARTS = 64;

    /** Computes the result of rows whose numbers are known. */
    private interface Finish {
        void expect(long elements);

        void run(Tile tile, long first, int count);
    }

    private final RowNumbers numbers;
    private final Finish finish;
    private final long rows;
    private final long width;
    private final long part;
    private final WorkerGroup workers;
    private final Tiles tiles;

    private RowsKernel(
            RowNumbers numbers,
            Finish finish,
            long rows,
            long width,
            WorkerGroup workers,
            Tiles tiles) {
        this.numbers = numbers;
        this.finish = finish;
        this.rows = rows;
        this.width = width;
        this.workers = workers;
        this.tiles = tiles;
        part = part(rows, width, numbers.rows());
    }

    /** The rows of a part, if {@code together} rows are processed at a time. */
    private static long part(long rows, long width, int together) {
        long grain = rows * width <= Workers.GRAIN ? Workers.GRAIN : Workers.GRAIN / 4;
        long some = Math.max(grain / Math.max(1, width), Math.ceilDiv(rows, MOST_PARTS));
        return Math.ceilDiv(Math.max(1, some), together) * together;
    }

    /** Where the kernel may be split along one of its leading axes: see {@link Node.Cuts}. */
    public static int cutEvery(Kernel.Rows k, int axis) {
        return k.result() instanceof RowParts.Columns
                ? ColumnFold.cutEvery(
                        k.shape(), IntStream.range(0, k.leading()).boxed().toList(), axis)
                : Node.Cuts.ANYWHERE;
    }

    /** The memory that this kernel needs for each worker. */
    public static KernelScratch scratch(Kernel.Rows k, List<DType> in, DType out) {
        var slots = RowSlots.of(k, in);
        long rows = k.outer().size();
        var numbers = RowNumbers.scratch(k, in, slots);
        long part = part(rows, slots.width(), RowNumbers.rows(k, in, slots));
        var shared = KernelScratch.shared(Math.ceilDiv(rows, part)).and(numbers);
        return switch (k.result()) {
            case RowParts.Elements(var body) -> {
                var stored = StoredType.as(body, k.types(in), out);
                var form = slots.form(stored, k.shape(), in, k.operands());
                var scratch = shared.and(form.scratch()).moving(out, form.length());
                yield slots.areSingles()
                        ? scratch.and(
                                RowLoops.scratch(
                                        form.line(),
                                        k.shape(),
                                        in,
                                        out,
                                        k.operands(),
                                        slots.types().size()))
                        : scratch;
            }
            case RowParts.RowNumber _ -> shared.moving(out, Tile.ROWS);
            case RowParts.Columns(var combine, var body) -> {
                var form = slots.form(body, k.shape(), in, k.operands());
                int length = (int) Math.min(form.length(), slots.width());
                var columns = ColumnFold.scratch(groups(k), length, combiner(k, in, combine));
                yield columns.and(numbers).and(form.scratch());
            }
        };
    }

    public static Runnable of(
            Kernel.Rows k,
            List<Buffer> in,
            Buffer out,
            Buffer workspace,
            WorkerGroup workers,
            Tiles tiles,
            FusedLoops loops) {
        var slots = RowSlots.of(k, in.stream().map(Buffer::dtype).toList());
        long rows = k.outer().size();
        var numbers = new RowNumbers(k, in, slots, loops);
        return switch (k.result()) {
            case RowParts.Elements(var body) -> {
                var made = RowBody.of(body, k, in, slots, out, loops);
                var elements = new RowElements(made, k, in, slots, out, loops);
                yield new RowsKernel(
                        numbers,
                        new Finish() {
                            @Override
                            public void expect(long n) {
                                elements.expect(n);
                            }

                            @Override
                            public void run(Tile tile, long first, int count) {
                                elements.run(tile, first, count);
                            }
                        },
                        rows,
                        slots.width(),
                        workers,
                        tiles);
            }
            case RowParts.RowNumber(int index) -> {
                var store = new TileStore(out, slots.start(index));
                yield new RowsKernel(
                        numbers,
                        new Finish() {
                            @Override
                            public void expect(long n) {}

                            @Override
                            public void run(Tile tile, long first, int count) {
                                store.run(tile, first, count);
                            }
                        },
                        rows,
                        slots.width(),
                        workers,
                        tiles);
            }
            case RowParts.Columns(var combine, var body) -> {
                var each = RowBody.of(body, k, in, slots, loops);
                var column = new RowColumns(numbers, each, rows, slots.width());
                var combiner = combiner(k, in.stream().map(Buffer::dtype).toList(), combine);
                yield new ColumnFold(
                        column, combiner, groups(k), out, workspace.segment(), workers, tiles);
            }
        };
    }

    private static Combiner combiner(Kernel.Rows k, List<DType> in, Kernel.Combine combine) {
        var body = ((RowParts.Columns) k.result()).body();
        return Combiner.of(combine, body.type(k.types(in)));
    }

    private static AxisGroups groups(Kernel.Rows k) {
        return AxisGroups.of(k.shape(), IntStream.range(0, k.leading()).boxed().toList());
    }

    /** The workspace for the partial results of a fold over columns. */
    public static long workspaceBytes(Kernel.Rows k, List<DType> in) {
        if (!(k.result() instanceof RowParts.Columns(var combine, _))) return 0;
        return ColumnFold.workspaceBytes(groups(k), combiner(k, in, combine));
    }

    @Override
    public void run() {
        numbers.expect(rows * width);
        finish.expect(rows * width);
        workers.run(Math.toIntExact(Math.ceilDiv(rows, part)), this);
    }

    @Override
    public void run(int which, int worker) {
        var tile = tiles.of(worker);
        long to = Math.min(rows, (which + 1) * part);
        for (long row = which * part; row < to; row += numbers.rows()) {
            int count = (int) Math.min(numbers.rows(), to - row);
            numbers.make(tile, row, count);
            finish.run(tile, row, count);
        }
    }
}
