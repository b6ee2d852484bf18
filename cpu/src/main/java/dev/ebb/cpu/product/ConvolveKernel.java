package dev.ebb.cpu.product;

import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;

import java.util.List;

/**
 * Convolutions as matrix products whose right factor (im2col) is never stored: each tile gathers
 * its patches of the image directly into a panel. Outputs and gradients of inputs sum over taps and
 * channels; gradients of weights sum over the images of the batch, one after the other, and over
 * positions. Each sum is split into blocks that depend on the sizes of the convolution alone, and
 * the blocks are added in order, as in {@link Contraction}.
 */
public final class ConvolveKernel implements Runnable {
    private final Kernel.Convolve c;
    private final Buffer first;
    private final Buffer second;
    private final Buffer out;
    private final Panels<?> panels;
    private final WorkerGroup workers;
    private final ConvolveSpace space;
    private final ProductTiling grid;
    private final int parts;

    /** The number of channels that are summed for a row of weights. */
    private final int rows;

    private final int channels;

    public ConvolveKernel(
            Kernel.Convolve c, List<Buffer> in, Buffer out, Tiles tiles, WorkerGroup workers) {
        this.c = c;
        first = in.get(0);
        second = in.get(1);
        this.out = out;
        this.workers = workers;
        var size = Size.of(c);
        space = size.space;
        rows = size.rows;
        channels = size.channels;
        int threads = workers.threads();
        panels =
                out.dtype() == DType.F32
                        ? new F32Panels(tiles, size.f32(), threads)
                        : new F64Panels(tiles, size.f64(), threads);
        // the product is kept while several parts of the depth are packed and multiplied
        grid =
                ProductTiling.of(
                        size.products,
                        rows,
                        size.columns,
                        Integer.MAX_VALUE,
                        false,
                        panels,
                        threads);
        parts = Math.multiplyExact(size.products, grid.tiles());
    }

    /** Products of {@code rows x columns} over this depth. */
    private record Size(
            ConvolveSpace space, int products, int rows, int columns, int channels, long depth) {
        static Size of(Kernel.Convolve c) {
            boolean back = c.side() == Kernel.Side.INPUT;
            boolean weights = c.side() == Kernel.Side.WEIGHT;
            var space = new ConvolveSpace(c, back);
            int rows = back ? c.inChannels() : c.outChannels();
            int channels = back ? c.outChannels() : c.inChannels();
            int columns = weights ? channels * space.taps() : space.places();
            int products = weights ? c.groups() : c.batch() * c.groups();
            long depth = weights ? space.places() : (long) channels * space.taps();
            return new Size(space, products, rows, columns, channels, depth);
        }

        PanelLayout f32() {
            return F32Panels.places(rows, columns, packed(), true);
        }

        PanelLayout f64() {
            return F64Panels.places(rows, columns, packed(), true);
        }

        private int packed() {
            return (int) Math.min(depth, Panels.DEPTH);
        }

        /** An upper bound on the number of parts. */
        long parts() {
            return (long) products * Math.ceilDiv(rows, 4) * Math.ceilDiv(columns, 4);
        }
    }

    /**
     * The scratch memory that this kernel needs for each worker; unsupported types are computed by
     * the Reference device.
     */
    public static KernelScratch scratch(Kernel.Convolve c, DType out) {
        var size = Size.of(c);
        return switch (out) {
            case F32 -> F32Panels.scratch(size.parts(), size.f32());
            case F64 -> F64Panels.scratch(size.parts(), size.f64());
            case BF16, F16, I32, I64, U8, BOOL, BIT -> KernelScratch.NOTHING;
        };
    }

    @Override
    public void run() {
        workers.run(parts, c.side() == Kernel.Side.WEIGHT ? this::weights : this::places);
    }

    /** Computes a tile of channels by positions, of one image and group. */
    private void places(int part, int worker) {
        int product = part / grid.tiles();
        int i = part % grid.tiles() / grid.across() * grid.rows();
        int j = part % grid.tiles() % grid.across() * grid.columns();
        int height = Math.min(grid.rows(), grid.m() - i);
        int width = Math.min(grid.columns(), grid.n() - j);
        var offsets = new int[width];
        int group = product % c.groups();
        int taps = space.taps();
        long row = c.side() == Kernel.Side.OUTPUT ? (long) c.inChannels() * taps : taps;
        long channel = c.side() == Kernel.Side.OUTPUT ? taps : (long) c.inChannels() * taps;
        long weight = (long) group * c.outChannels() * c.inChannels() * taps + i * row;
        long image = (long) product * channels * space.channel();
        var weights = c.side() == Kernel.Side.OUTPUT ? second : first;
        var images = c.side() == Kernel.Side.OUTPUT ? first : second;
        boolean add = false;
        int together = Math.max(1, Panels.DEPTH / Math.max(1, channels));
        for (int tap = 0; tap < taps; tap += together) {
            int some = Math.min(together, taps - tap);
            for (int from = 0; from < channels; from += Panels.DEPTH) {
                int depth = Math.min(Panels.DEPTH, channels - from);
                for (int t = 0; t < some; t++) {
                    space.offsets(tap + t, j, width, offsets);
                    panels.rightSlice(
                            worker,
                            images,
                            image + (long) from * space.channel(),
                            space.channel(),
                            offsets,
                            width,
                            depth,
                            t * depth,
                            some * depth);
                }
                for (int at = 0; at < height; at += Panels.STRIP) {
                    int strip = Math.min(Panels.STRIP, height - at);
                    for (int t = 0; t < some; t++) {
                        panels.leftSlice(
                                worker,
                                weights,
                                weight + tap + t + at * row + from * channel,
                                row,
                                channel,
                                strip,
                                depth,
                                t * depth,
                                some * depth);
                    }
                    panels.multiply(worker, strip, at, width, some * depth, add);
                }
                add = true;
            }
        }
        store(worker, add, ((long) product * rows + i) * grid.n() + j, height, width);
    }

    /**
     * Computes a tile of output channels by input channels and taps, of one group, over all images.
     */
    private void weights(int part, int worker) {
        int group = part / grid.tiles();
        int i = part % grid.tiles() / grid.across() * grid.rows();
        int j = part % grid.tiles() % grid.across() * grid.columns();
        int height = Math.min(grid.rows(), grid.m() - i);
        int width = Math.min(grid.columns(), grid.n() - j);
        var offsets = new int[Panels.DEPTH];
        int taps = space.taps();
        boolean add = false;
        for (int b = 0; b < c.batch(); b++) {
            long image = ((long) b * c.groups() + group) * channels * space.channel();
            long gradient = (((long) b * c.groups() + group) * rows + i) * space.places();
            for (int place = 0; place < space.places(); place += Panels.DEPTH) {
                int depth = Math.min(Panels.DEPTH, space.places() - place);
                for (int tap = 0; tap < taps; tap++) {
                    space.offsets(tap, place, depth, offsets);
                    for (int q = Math.floorMod(tap - j, taps); q < width; q += taps) {
                        long channel = (long) ((j + q) / taps) * space.channel();
                        panels.rightColumn(worker, first, image + channel, offsets, q, depth);
                    }
                }
                for (int at = 0; at < height; at += Panels.STRIP) {
                    int strip = Math.min(Panels.STRIP, height - at);
                    long from = gradient + place + (long) at * space.places();
                    panels.left(worker, second, from, space.places(), 1, strip, depth);
                    panels.multiply(worker, strip, at, width, depth, add);
                }
                add = true;
            }
        }
        store(worker, add, ((long) group * rows + i) * grid.n() + j, height, width);
    }

    private void store(int worker, boolean any, long place, int height, int width) {
        if (!any) panels.clear(worker);
        for (int i = 0; i < height; i++)
            panels.store(worker, i, width, out, place + (long) i * grid.n());
    }
}
