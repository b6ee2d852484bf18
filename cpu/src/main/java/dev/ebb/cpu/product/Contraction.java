package dev.ebb.cpu.product;

import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.DecodingContract;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * A contraction bound to memory: batches of matrix products, cut into tiles that workers compute
 * one by one.
 *
 * <p>Every element of the output is a sum over k in blocks of {@link Panels#DEPTH}: each block is
 * one chain of fused multiply-adds from zero, and the blocks are added in order. This depends on k
 * alone, so the same numbers give the same bits in any batch, on any number of threads, and for any
 * part of the rows and columns.
 *
 * <p>Tiles with the same columns are consecutive, so that a worker that computes several of them
 * packs their part of the right factor only once, if all of it fits in the worker's memory.
 *
 * <p>{@code GemmBench} compares its speed with that of OpenBLAS.
 */
public final class Contraction implements Runnable {
    /** Below this number of multiply-adds, waking a worker takes longer than the work. */
    private static final long SHARED = 200_000;

    private final Panels<?> panels;
    private final WorkerGroup workers;
    private final int matrices;
    private final int k;
    private final Factor left;
    private final Buffer leftBuffer;
    private final Factor right;
    private final RightPacking packing;
    private final Buffer out;
    private final Epilogue epilogue;
    private final Tiles tiles;
    private final ProductTiling grid;
    private final boolean alone;

    /** The part of the right factor that each worker has packed last, if it packs whole parts. */
    private final LastPacked held;

    /** The right factor of a product of few rows, read in place; empty if it is packed. */
    private final Optional<Buffer> unpacked;

    /**
     * Packs a part of the right factor, which begins at its element {@code base}, after {@code
     * before} rows of it.
     */
    @FunctionalInterface
    private interface RightPacking {
        void pack(int worker, long base, int columns, int depth, int before);
    }

    public Contraction(
            Kernel.Contract c,
            Buffer a,
            Buffer b,
            List<Buffer> extras,
            Buffer out,
            Tiles tiles,
            FusedLoops loops,
            WorkerGroup workers) {
        this(
                c,
                a,
                unpacked(c, a, b),
                (panels, right) ->
                        (worker, base, columns, depth, before) ->
                                panels.right(
                                        worker,
                                        b,
                                        base,
                                        right.depth,
                                        right.side,
                                        columns,
                                        depth,
                                        before),
                extras,
                out,
                tiles,
                loops,
                workers);
    }

    /** A product whose right factor is decoded while it is packed. */
    public static Contraction decoded(
            DecodingContract d,
            List<Buffer> in,
            Buffer out,
            Tiles tiles,
            FusedLoops loops,
            WorkerGroup workers) {
        var decoder = new FactorDecoder(d.factor(), d.encoded(in));
        return new Contraction(
                d.product(),
                in.getFirst(),
                Optional.empty(),
                (panels, right) ->
                        (worker, base, columns, depth, before) ->
                                decoder.pack(
                                        tiles.of(worker),
                                        base,
                                        right.depth,
                                        right.side,
                                        columns,
                                        depth,
                                        panels.rightStart(columns, before)),
                d.extras(in),
                out,
                tiles,
                loops,
                workers);
    }

    private Contraction(
            Kernel.Contract c,
            Buffer a,
            Optional<Buffer> unpacked,
            BiFunction<Panels<?>, Factor, RightPacking> packing,
            List<Buffer> extras,
            Buffer out,
            Tiles tiles,
            FusedLoops loops,
            WorkerGroup workers) {
        this.workers = workers;
        this.out = out;
        this.tiles = tiles;
        var type = a.dtype().compute();
        epilogue = new Epilogue(c.epilogue(), type, c.shape(), extras, c.extras(), out, loops);
        k = c.k();
        boolean folded = foldable(c);
        int[] batch = folded ? new int[0] : c.batch().toArray();
        var size = Size.of(c);
        matrices = size.matrices;
        int rank = c.batch().rank();
        long rowStride = folded && c.m() == 1 ? c.a().stride(rank - 1) : c.a().stride(rank);
        int threads = workers.threads();
        panels =
                type == DType.F32
                        ? new F32Panels(tiles, size.f32(), threads)
                        : new F64Panels(tiles, size.f64(), threads);
        leftBuffer = a;
        left = new Factor(c.a(), rowStride, c.a().stride(rank + 1), batch);
        right = new Factor(c.b(), c.b().stride(rank + 1), c.b().stride(rank), batch);
        this.packing = packing.apply(panels, right);
        alone = size.alone();
        held = new LastPacked(threads);
        this.unpacked = unpacked;
        boolean byRows = left.depth == 1;
        int sharing = alone ? 1 : threads;
        grid = ProductTiling.of(matrices, size.m, c.n(), k, byRows, panels, sharing);
        if (grid.holds()) panels.hold(k);
    }

    /** The right factor, if there are so few rows that it is not worth packing. */
    private static Optional<Buffer> unpacked(Kernel.Contract c, Buffer a, Buffer b) {
        int rank = c.batch().rank();
        boolean fits =
                a.dtype() == DType.F32
                        && b.dtype() == DType.F32
                        && c.k() > 0
                        && c.a().stride(rank + 1) == 1
                        && F32FewRows.fits(
                                Size.of(c).m, c.b().stride(rank + 1), c.b().stride(rank));
        return fits ? Optional.of(b) : Optional.empty();
    }

    /** Matrices of {@code m x n}, merged into one tall matrix where possible. */
    private record Size(int matrices, int m, int n, int k) {
        static Size of(Kernel.Contract c) {
            int batch = Math.toIntExact(c.batch().size());
            return foldable(c)
                    ? new Size(1, Math.multiplyExact(batch, c.m()), c.n(), c.k())
                    : new Size(batch, c.m(), c.n(), c.k());
        }

        boolean alone() {
            return (double) matrices * m * n * Math.max(k, 1) < SHARED;
        }

        /** An upper bound on the number of parts. */
        long parts() {
            return alone() ? 1 : (long) matrices * Math.ceilDiv(m, 4) * Math.ceilDiv(n, 4);
        }

        PanelLayout f32() {
            return F32Panels.places(m, n, k, k > Panels.DEPTH);
        }

        PanelLayout f64() {
            return F64Panels.places(m, n, k, k > Panels.DEPTH);
        }
    }

    /** Whether this supports factors of this type; others are left to the Reference. */
    public static boolean fits(DType in, DType out) {
        return in.compute().isFloat() && out != DType.BIT;
    }

    /** The number of terms after which a sum of factors of this type is split, if it is. */
    public static int cutEvery(DType in) {
        return in.compute().isFloat() ? Panels.DEPTH : Node.Cuts.NEVER;
    }

    /** The scratch memory that this kernel needs for each worker. */
    public static KernelScratch scratch(Kernel.Contract c, List<DType> in, DType out) {
        var type = in.getFirst().compute();
        var size = Size.of(c);
        var scratch =
                type == DType.F32
                        ? F32Panels.scratch(size.parts(), size.f32())
                        : F64Panels.scratch(size.parts(), size.f64());
        var extras = in.subList(2, in.size());
        return scratch.and(
                Epilogue.scratch(c.epilogue(), type, c.shape(), extras, c.extras(), out));
    }

    /** The same for a product whose right factor is decoded while it is packed. */
    public static KernelScratch scratch(DecodingContract d, List<DType> in, DType out) {
        var types = new ArrayList<>(List.of(in.getFirst(), DType.F32));
        types.addAll(d.extras(in));
        return scratch(d.product(), types, out)
                .and(FactorDecoder.scratch(d.factor(), d.encoded(in)));
    }

    /**
     * Whether all matrices have the same right factor and their left factors form one tall matrix.
     */
    private static boolean foldable(Kernel.Contract c) {
        int rank = c.batch().rank();
        if (rank == 0) return false;
        long expected = c.m() == 1 ? c.a().stride(rank - 1) : c.m() * c.a().stride(rank);
        for (int axis = rank - 1; axis >= 0; axis--) {
            if (c.b().stride(axis) != 0 || c.a().stride(axis) != expected) return false;
            expected *= c.batch().dim(axis);
        }
        return c.batch().size() * c.m() <= Integer.MAX_VALUE;
    }

    @Override
    public void run() {
        int parts = Math.multiplyExact(matrices, grid.tiles());
        epilogue.expect((long) matrices * grid.m() * grid.n());
        held.forget();
        if (alone) {
            workers.run(
                    1,
                    (_, worker) -> {
                        for (int part = 0; part < parts; part++) tile(part, worker);
                    });
        } else {
            workers.run(parts, this::tile);
        }
    }

    private void tile(int part, int worker) {
        int matrix = part / grid.tiles();
        int within = part % grid.tiles();
        int i = within % grid.down() * grid.rows();
        int j = within / grid.down() * grid.columns();
        int rows = Math.min(grid.rows(), grid.m() - i);
        int columns = Math.min(grid.columns(), grid.n() - j);
        long place = ((long) matrix * grid.m() + i) * grid.n() + j;
        long a = left.start(matrix) + i * left.side;
        long b = right.start(matrix) + j * right.side;
        if (unpacked.isPresent() && panels instanceof F32Panels few) {
            few(few, unpacked.get(), worker, a, b, rows, columns);
            finish(worker, 0, place, rows, columns);
            return;
        }
        if (k == 0) {
            panels.clear(worker);
            for (int row = 0; row < rows; row += Panels.STRIP) {
                int some = Math.min(Panels.STRIP, rows - row);
                finish(worker, 0, place + (long) row * grid.n(), some, columns);
            }
        } else if (grid.holds()) {
            if (held.isNew(worker, part / grid.down())) {
                for (int p = 0; p < k; p += Panels.DEPTH)
                    packing.pack(worker, b + p * right.depth, columns, depth(p), p);
            }
            for (int row = 0; row < rows; row += Panels.STRIP) {
                int some = Math.min(Panels.STRIP, rows - row);
                for (int p = 0; p < k; p += Panels.DEPTH)
                    strip(worker, a + row * left.side, p, p, 0, some, columns, place, row);
            }
        } else {
            for (int p = 0; p < k; p += Panels.DEPTH) {
                packing.pack(worker, b + p * right.depth, columns, depth(p), 0);
                for (int row = 0; row < rows; row += Panels.STRIP) {
                    int some = Math.min(Panels.STRIP, rows - row);
                    strip(worker, a + row * left.side, p, 0, row, some, columns, place, row);
                }
            }
        }
    }

    /** The depth of the block that begins at depth {@code p}. */
    private int depth(int p) {
        return Math.min(Panels.DEPTH, k - p);
    }

    /**
     * Packs a strip of the left factor from depth {@code p} on, whose rows begin at element {@code
     * a}, and multiplies it with the right factor after {@code before} of its rows. The sums are in
     * rows from {@code kept} on; after the last block they are stored, as rows from {@code row} on
     * of the tile at {@code place}.
     */
    private void strip(
            int worker,
            long a,
            int p,
            int before,
            int kept,
            int rows,
            int columns,
            long place,
            int row) {
        int depth = depth(p);
        panels.left(worker, leftBuffer, a + p * left.depth, left.side, left.depth, rows, depth);
        boolean last = p + depth == k;
        long to = place + (long) row * grid.n();
        if (last && epilogue.isPlain()) {
            panels.multiplyAndStore(
                    worker, rows, kept, columns, depth, before, p > 0, out, to, grid.n());
            return;
        }
        panels.multiply(worker, rows, kept, columns, depth, before, p > 0);
        if (last) finish(worker, kept, to, rows, columns);
    }

    /** A tile of a few rows, whose factors begin at elements {@code a} and {@code b}. */
    private void few(
            F32Panels few, Buffer factor, int worker, long a, long b, int rows, int columns) {
        for (int p = 0; p < k; p += Panels.DEPTH) {
            int depth = depth(p);
            long from = b + p * right.depth;
            few.left(worker, leftBuffer, a + p, left.side, 1, rows, depth);
            few.multiplyFew(
                    worker, factor, from, right.depth, right.side, rows, columns, depth, p > 0);
        }
    }

    /** Applies the epilogue to {@code rows} rows of the product from {@code first} on. */
    private void finish(int worker, int first, long place, int rows, int columns) {
        if (epilogue.isPlain()) {
            for (int i = 0; i < rows; i++)
                panels.store(worker, first + i, columns, out, place + (long) i * grid.n());
            return;
        }
        var tile = tiles.of(worker);
        epilogue.begin(tile);
        panels.finish(worker, first, rows, columns, epilogue, tile, place, grid.n());
    }
}
