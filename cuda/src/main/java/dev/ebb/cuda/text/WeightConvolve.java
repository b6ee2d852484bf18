package dev.ebb.cuda.text;

import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;

import java.util.ArrayList;
import java.util.List;

/**
 * The gradient of a convolution's weights on tensor cores: a product over all positions of all
 * images, in parts that are added in order. How its factors are read depends on the type and the
 * sizes ({@link FactorLayout}): tensor cores can read sixteen-bit factors along the positions or
 * across them, tf32 only along them.
 */
final class WeightConvolve {
    private static final int THREADS = 256;
    private static final int STEP_BYTES = 128;
    private static final int COPY_BYTES = 16;

    /**
     * Elements from one step of the sum to the next in shared memory, if tf32 columns are stored
     * across the sum.
     */
    private static final int PITCH = 128 + 8;

    /**
     * Blocks that run at once on a large GPU: the number of parts is chosen to fill this many, or a
     * multiple.
     */
    private static final int BLOCKS = 264;

    /** The multiples of {@link #BLOCKS} that are tried. */
    private static final int WAVES = 4;

    /** The fewest steps of the sum in a part. */
    private static final int PART_STEPS = 8;

    /** The memory layout from which the factors of the product are read. */
    private enum FactorLayout {
        /** Input and gradient of the output without copies: each position reads one element. */
        ALONG,
        /** The input from a channels-last copy. */
        SPREAD,
        /**
         * Both from channels-last copies, for sixteen bits: rows of positions cannot be copied
         * eight bytes at a time.
         */
        ACROSS
    }

    private final Kernel.Convolve k;
    private final DType type;
    private final String t;
    private final List<Action> actions = new ArrayList<>();
    private long workspace;

    WeightConvolve(Kernel.Convolve k, DType type) {
        this.k = k;
        this.type = type;
        t = CudaSyntax.stored(type);
    }

    Recipe recipe() {
        var s = ConvolutionAxes.output(k);
        var laid = laid(s);
        Operand x = new Operand.In(0);
        Operand dy = new Operand.In(1);
        int channels = k.inChannels();
        int line = Math.toIntExact(ConvolutionAxes.size(k.out()));
        var copied = new ChannelsLastCopy(s, s, channels, channels, 1, channels);
        if (laid != FactorLayout.ALONG) {
            copied = ChannelsLastCopy.of(s, channels, type);
            x = turned(copied, x);
        }
        if (laid == FactorLayout.ACROSS) {
            dy = turned(results(s), dy);
        } else if (!isInLines()) {
            int each = COPY_BYTES / (int) type.bytes(1);
            int longer = Math.ceilDiv(line, each) * each;
            dy = lines(dy, line, longer);
            line = longer;
        }
        sum(laid, copied, x, dy, line);
        return new Recipe(actions, workspace);
    }

    /** Whether rows of positions can be copied eight bytes at a time. */
    private boolean isInLines() {
        return type.bytes(ConvolutionAxes.size(k.out())) % (COPY_BYTES / 2) == 0;
    }

    private ChannelsLastCopy results(ConvolutionAxes s) {
        var every = s.everyResult();
        int side = TensorConvolve.padded(k.outChannels(), COPY_BYTES / (int) type.bytes(1));
        return new ChannelsLastCopy(every, every, k.outChannels(), side, 1, side);
    }

    private FactorLayout laid(ConvolutionAxes s) {
        if (s.isEverySource() && isInLines()) return FactorLayout.ALONG;
        return isInLines() || type == DType.F32 ? FactorLayout.SPREAD : FactorLayout.ACROSS;
    }

    /** A copy of rows of positions with a larger stride, padded with zeros. */
    private Operand lines(Operand from, int line, int longer) {
        var place = new Operand.Work(workspace);
        long elements = (long) k.batch() * k.groups() * k.outChannels() * longer;
        workspace += TensorConvolve.aligned(type.bytes(elements));
        var code = new SourceLines();
        MapText.open(code, "lines", 256, 2, true);
        MapText.each(code, "at", 256, elements);
        code.add("const num row = at / %d, p = at %% %d;", longer, longer);
        code.add("%s x{};", t);
        code.add("if (p < %d) x = ((const %s*)p0)[row * %d + p];", line, t, line);
        code.add("((%s*)p1)[at] = x;", t);
        code.close();
        actions.add(MapText.launch(code, "lines", elements, 256, List.of(from, place)));
        return place;
    }

    private Operand turned(ChannelsLastCopy copied, Operand from) {
        var place = new Operand.Work(workspace);
        long pictures = (long) k.batch() * k.groups();
        workspace += TensorConvolve.aligned(type.bytes(pictures * copied.elements()));
        actions.add(TensorConvolve.turn(copied, pictures, type, from, place));
        return place;
    }

    private void sum(FactorLayout laid, ChannelsLastCopy copied, Operand x, Operand dy, int line) {
        var s = copied.gather();
        int padded = copied.padded();
        int depth = STEP_BYTES / (int) type.bytes(1);
        int rows = k.outChannels();
        int columns = Math.toIntExact(padded * ConvolutionAxes.size(s.taps()));
        int halves = Math.ceilDiv(rows, 64) % 2 == 1 ? 1 : 2;
        boolean spread = laid == FactorLayout.SPREAD && type == DType.F32;
        int width = halves == 2 && columns <= 64 && !spread ? 64 : 128;
        int downTiles = Math.ceilDiv(rows, 64 * halves);
        int acrossTiles = Math.ceilDiv(columns, width);
        long numbers = (long) k.batch() * line;
        long tiles = (long) k.groups() * downTiles * acrossTiles;
        long wish = parts(tiles, Math.max(1, numbers / ((long) PART_STEPS * depth)));
        long part = Math.ceilDiv(Math.ceilDiv(numbers, wish), depth) * depth;
        long parts = Math.ceilDiv(numbers, part);
        var code = new SourceLines();
        code.open("struct ConvolveSizes");
        s.constants(code);
        code.constant("GROUPS", k.groups());
        code.constant("ROWS", rows);
        code.constant("SIDE", results(s).side());
        code.constant("PADDED", padded);
        code.constant("PIXEL", copied.pixel());
        code.constant("LINE", line);
        code.constant("NUMBERS", Math.toIntExact(numbers));
        code.constant("PART", Math.toIntExact(part));
        code.constant("ROW_TILES", downTiles);
        code.constant("COLUMN_TILES", acrossTiles);
        code.add("};");
        MapText.open(code, "convolve", THREADS + ", 2", 3, true);
        code.add("EBB_SHARED(memory);");
        if (spread) {
            code.add(
                    "convolve_spread<ConvolveSizes, %d>((const f32*)p0, (const f32*)p1, (f32*)p2,"
                            + " memory);",
                    halves);
        } else {
            code.add(
                    "convolve_weights<%s, ConvolveSizes, %d, %d, %s>((const %s*)p0, (const %s*)p1,"
                            + " (f32*)p2, memory);",
                    t, halves, width, laid, t, t);
        }
        code.close();
        var sums = new Operand.Work(workspace);
        workspace += DType.F32.bytes((long) k.groups() * rows * columns * parts);
        int stage = 64 * halves * STEP_BYTES + (spread ? depth * PITCH * 4 : width * STEP_BYTES);
        int stages = 64 * halves + width == 256 ? 3 : 4;
        actions.add(
                new Action.Launch(
                        "convolve",
                        code.toString(),
                        tiles * parts,
                        THREADS,
                        stages * stage,
                        List.of(x, dy, sums)));
        join(sums, parts, columns, copied, spread);
    }

    /**
     * The number of parts of the sum: enough to fill the blocks that run at once, or a multiple of
     * them if that leaves clearly fewer idle.
     */
    private static long parts(long tiles, long most) {
        long best = 1;
        double used = 0;
        for (int w = 1; w <= WAVES; w++) {
            long slots = (long) w * BLOCKS;
            long parts = Math.clamp(slots / tiles, 1, most);
            double share = tiles * parts / (double) (Math.ceilDiv(tiles * parts, BLOCKS) * BLOCKS);
            if (share > used + 0.06) {
                best = parts;
                used = share;
            }
        }
        return best;
    }

    /**
     * Adds the parts in order, and moves taps to the last axis again. Neighbouring threads read
     * neighbouring elements of a part: columns, or rows if those are contiguous.
     */
    private void join(
            Operand sums, long parts, int columns, ChannelsLastCopy copied, boolean spread) {
        long taps = ConvolutionAxes.size(k.kernel());
        long rows = (long) k.groups() * k.outChannels();
        long inner = k.inChannels() * taps;
        long size = rows * inner;
        var code = new SourceLines();
        MapText.open(code, "join", 256, 2, true);
        MapText.each(code, "number", 256, size);
        if (spread) {
            int each = k.outChannels();
            code.add("const num own = number %% %d, group = number / %d;", each, each * inner);
            code.add("const num row = group * %d + own;", each);
            code.add("const num at = row * %d + number / %d %% %d;", inner, each, inner);
        } else {
            code.add("const num at = number, row = at / %d;", inner);
        }
        code.add("const num channel = at / %d %% %d, tap = at %% %d;", taps, k.inChannels(), taps);
        var column =
                copied.window() == 1
                        ? "tap * %d + channel".formatted(copied.side())
                        : "tap / %2$d * %1$d + tap %% %2$d * %3$d + channel"
                                .formatted(copied.padded(), k.kernel().getLast(), copied.side());
        code.add("const num column = %s;", column);
        code.add(
                "const f32* const part = (const f32*)p0 + %s;",
                spread
                        ? "(group * %d + column) * %d + own".formatted(columns, k.outChannels())
                        : "row * %d + column".formatted(columns));
        code.add("f32 sum = part[0];");
        code.add("#pragma unroll 16");
        code.add("for (int i = 1; i < %d; i++) sum += part[i * (i64)%d];", parts, rows * columns);
        code.add("((%s*)p1)[at] = Down<%s>::of(sum);", t, t);
        code.close();
        actions.add(MapText.launch(code, "join", size, 256, List.of(sums, new Operand.Out(0))));
    }
}
