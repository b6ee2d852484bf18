package dev.ebb.cuda.text;

import dev.ebb.cuda.Precision;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;

import java.util.ArrayList;
import java.util.List;

/**
 * Convolutions by tensor cores: for sixteen-bit floats, and for f32 where tf32 will do. Each side
 * is a product whose right factor is gathered while it is multiplied. The output and the gradient
 * of the input read weights that were packed into the workspace, a row for each channel of the
 * result; the gradient of the input is computed apart for every phase of the stride, so that no tap
 * is multiplied by zeros. The gradient of the weights sums parts of all positions apart, and adds
 * the parts in order.
 */
public final class TensorConvolve {
    private static final int THREADS = 128;
    private static final int ACROSS = 128;
    private static final int STEP_BYTES = 64;
    private static final int PITCH_BYTES = 80;
    private static final int ALIGNMENT = 256;

    /** Products with fewer rows or terms leave tensor cores idle. */
    private static final int LEAST = 16;

    /** Blocks that a gradient of weights is split into, where it has fewer tiles. */
    private static final int BLOCKS = 528;

    /** Steps of the sum that a part has at least. */
    private static final int PART_STEPS = 16;

    private final Kernel.Convolve k;
    private final DType type;
    private final String t;
    private final int depth;
    private final List<Action> actions = new ArrayList<>();
    private long workspace;

    private TensorConvolve(Kernel.Convolve k, DType type) {
        this.k = k;
        this.type = type;
        t = Words.stored(type);
        depth = STEP_BYTES / (int) type.bytes(1);
    }

    /** Whether this convolution can be computed so, and is large enough for it. */
    public static boolean fits(Kernel.Convolve k, List<DType> in, DType out, Precision precision) {
        boolean half = out == DType.BF16 || out == DType.F16;
        if (!half && (out != DType.F32 || precision != Precision.TF32)) return false;
        if (in.stream().anyMatch(x -> x != out) || k.batch() == 0) return false;
        for (int i = 0; i < k.in().size(); i++) {
            if (k.in().get(i) == 0 || k.kernel().get(i) == 0 || k.out().get(i) == 0) return false;
        }
        long taps = Spatial.size(k.kernel());
        return switch (k.side()) {
            case OUTPUT, WEIGHT -> k.outChannels() >= LEAST && k.inChannels() * taps >= LEAST;
            case INPUT -> k.inChannels() >= LEAST && k.outChannels() * taps >= LEAST;
        };
    }

    static Recipe recipe(Kernel.Convolve k, DType type) {
        var text = new TensorConvolve(k, type);
        switch (k.side()) {
            case OUTPUT -> text.columns(Spatial.output(k), new Operand.In(1), new Operand.In(0));
            case INPUT -> text.phases();
            case WEIGHT -> text.weights();
        }
        return new Recipe(text.actions, text.workspace);
    }

    /** Elements that no tap of the kernel meets are zeros, all of which are written at once. */
    private void phases() {
        var met = new ArrayList<Spatial>();
        for (var phase : Spatial.phases(k)) if (Spatial.size(phase.taps()) > 0) met.add(phase);
        if (met.size() < Spatial.size(k.stride())) {
            long elements = (long) k.batch() * k.groups() * k.inChannels() * Spatial.size(k.in());
            actions.add(new Action.Zero(new Operand.Out(0), type.bytes(elements)));
        }
        for (var phase : met) columns(phase, new Operand.In(0), new Operand.In(1));
    }

    /** Fragments of sixteen rows that a warp has: a block has two warps of rows. */
    private static int fragments(int rows) {
        return Math.ceilDiv(rows, 64) % 2 == 1 ? 2 : 4;
    }

    private static int shared(int fragments) {
        return 2 * (32 * fragments + ACROSS) * PITCH_BYTES;
    }

    private void columns(Spatial s, Operand weights, Operand source) {
        boolean output = k.side() == Kernel.Side.OUTPUT;
        int rows = output ? k.outChannels() : k.inChannels();
        int channels = output ? k.inChannels() : k.outChannels();
        int taps = Math.toIntExact(Spatial.size(s.taps()));
        int padded = padded(channels);
        int steps = Math.ceilDiv(taps * padded, depth);
        int fragments = fragments(rows);
        int downTiles = Math.ceilDiv(rows, 32 * fragments);
        long columns = k.batch() * Spatial.size(s.positions());
        if (columns == 0) return;
        int acrossTiles = Math.toIntExact(Math.ceilDiv(columns, ACROSS));
        long packed = workspace;
        long elements = (long) k.groups() * rows * steps * depth;
        pack(s, weights, packed, elements, rows, channels, padded, steps);
        workspace += Math.ceilDiv(type.bytes(elements), ALIGNMENT) * ALIGNMENT;
        var code = new Lines();
        code.open("struct ConvolveSizes");
        s.constants(code);
        constant(code, "GROUPS", k.groups());
        constant(code, "ROWS", rows);
        constant(code, "CHANNELS", channels);
        constant(code, "PADDED", padded);
        constant(code, "STEPS", steps);
        constant(code, "COLUMNS", Math.toIntExact(columns));
        constant(code, "ROW_TILES", downTiles);
        constant(code, "COLUMN_TILES", acrossTiles);
        code.add("static const bool PAIRS = %b;", s.isWhole() && s.isEven());
        code.add("};");
        MapText.open(code, "convolve", THREADS + ", 2", 3, true);
        code.add("EBB_SHARED(memory);");
        code.add(
                "convolve_columns<%s, ConvolveSizes, %d>((const %s*)p0, (const %s*)p1, (%s*)p2,"
                        + " memory);",
                t, fragments, t, t, t);
        code.close();
        actions.add(
                new Action.Launch(
                        "convolve",
                        code.toString(),
                        (long) k.groups() * downTiles * acrossTiles,
                        THREADS,
                        shared(fragments),
                        List.of(new Operand.Work(packed), source, new Operand.Out(0))));
    }

    /** Channels of a tap in packed weights: whole steps, or an even share of one. */
    private int padded(int channels) {
        if (channels > depth / 2) return Math.ceilDiv(channels, depth) * depth;
        return channels == 1 ? 1 : Integer.highestOneBit(channels - 1) * 2;
    }

    /** Weights as rows of taps and, within a tap, of channels; zeros where there are none. */
    private void pack(
            Spatial s,
            Operand weights,
            long to,
            long elements,
            int rows,
            int channels,
            int padded,
            int steps) {
        int taps = Math.toIntExact(Spatial.size(s.taps()));
        long all = Spatial.size(k.kernel());
        var code = new Lines();
        MapText.open(code, "pack", 256, 2, true);
        code.add("const num at = (num)blockIdx.x * 256 + threadIdx.x;");
        code.add("if (at >= %d) return;", elements);
        code.add("const int k = (int)(at %% %d);", steps * depth);
        code.add("const num line = at / %d;", steps * depth);
        code.add("const num row = line %% %d, group = line / %d;", rows, rows);
        code.add("const int c = k %% %d, tap = k / %d;", padded, padded);
        code.add("%s x{};", t);
        code.open("if (c < %d && tap < %d)", channels, taps);
        s.kernelTap(code);
        var number =
                k.side() == Kernel.Side.OUTPUT
                        ? "((group * %d + row) * %d + c)".formatted(rows, channels)
                        : "((group * %d + c) * %d + row)".formatted(channels, rows);
        code.add("x = ((const %s*)p0)[%s * %d + t];", t, number, all);
        code.close();
        code.add("((%s*)p1)[at] = x;", t);
        code.close();
        actions.add(
                new Action.Launch(
                        "pack",
                        code.toString(),
                        MapText.blocks(elements, 256),
                        256,
                        0,
                        List.of(weights, new Operand.Work(to))));
    }

    private void weights() {
        var s = Spatial.output(k);
        int rows = k.outChannels();
        int columns = Math.toIntExact(k.inChannels() * Spatial.size(k.kernel()));
        int fragments = fragments(rows);
        int downTiles = Math.ceilDiv(rows, 32 * fragments);
        int acrossTiles = Math.ceilDiv(columns, ACROSS);
        long positions = k.batch() * Spatial.size(k.out());
        long tiles = (long) k.groups() * downTiles * acrossTiles;
        long most = Math.max(1, positions / ((long) PART_STEPS * depth));
        long wish = Math.clamp(Math.ceilDiv(BLOCKS, tiles), 1, most);
        long part = Math.ceilDiv(Math.ceilDiv(positions, wish), depth) * depth;
        long parts = Math.ceilDiv(positions, part);
        int together = 16 / (int) type.bytes(1);
        while (Spatial.size(k.out()) % together != 0) together /= 2;
        var code = new Lines();
        code.open("struct ConvolveSizes");
        s.constants(code);
        constant(code, "GROUPS", k.groups());
        constant(code, "ROWS", rows);
        constant(code, "CHANNELS", k.inChannels());
        constant(code, "COLUMNS", Math.toIntExact(positions));
        constant(code, "PART", Math.toIntExact(part));
        constant(code, "TOGETHER", together);
        constant(code, "ROW_TILES", downTiles);
        constant(code, "COLUMN_TILES", acrossTiles);
        code.add("};");
        MapText.open(code, "convolve", THREADS + ", 2", 3, true);
        code.add("EBB_SHARED(memory);");
        code.add(
                "convolve_weights<%s, ConvolveSizes, %d>((const %s*)p0, (const %s*)p1, (f32*)p2,"
                        + " memory);",
                t, fragments, t, t);
        code.close();
        actions.add(
                new Action.Launch(
                        "convolve",
                        code.toString(),
                        tiles * parts,
                        THREADS,
                        shared(fragments),
                        List.of(new Operand.In(0), new Operand.In(1), new Operand.Work(0))));
        long size = (long) k.groups() * rows * columns;
        workspace = DType.F32.bytes(size * parts);
        join(size, parts, columns);
    }

    /** Adds the parts in order, and puts taps last again. */
    private void join(long size, long parts, int columns) {
        long taps = Spatial.size(k.kernel());
        var code = new Lines();
        MapText.open(code, "join", 256, 2, true);
        code.add("const num at = (num)blockIdx.x * 256 + threadIdx.x;");
        code.add("if (at >= %d) return;", size);
        code.add("const num row = at / %d, column = at %% %d;", columns, columns);
        code.add(
                "const f32* const part = (const f32*)p0 + row * %d + column %% %d * %d + column"
                        + " / %d;",
                columns, taps, k.inChannels(), taps);
        code.add("f32 sum = part[0];");
        code.add("#pragma unroll 4");
        code.add("for (int i = 1; i < %d; i++) sum += part[i * (i64)%d];", parts, size);
        code.add("((%s*)p1)[at] = Down<%s>::of(sum);", t, t);
        code.close();
        actions.add(
                new Action.Launch(
                        "join",
                        code.toString(),
                        MapText.blocks(size, 256),
                        256,
                        0,
                        List.of(new Operand.Work(0), new Operand.Out(0))));
    }

    static void constant(Lines code, String name, int value) {
        code.add("static const int %s = %d;", name, value);
    }
}
