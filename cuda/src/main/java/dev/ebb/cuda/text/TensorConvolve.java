package dev.ebb.cuda.text;

import dev.ebb.cuda.Precision;
import dev.ebb.cuda.driver.Gemm;
import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Convolutions on tensor cores: for sixteen-bit floats, and for f32 if tf32 is allowed. The output
 * and both gradients are computed as matrix products.
 *
 * <p>For a kernel of one element with stride one, the output and the gradient of the input are
 * plain products, which the library computes for all images. Otherwise the right factor is gathered
 * during the product from a channels-last copy of the source; the left factor is the packed
 * weights. The gradient of the input is computed separately for every phase of the stride, so that
 * no tap is multiplied by zeros, and the phases are combined at the end. The gradient of the
 * weights is summed over parts of the positions separately, and the parts are added in order.
 */
public final class TensorConvolve {
    private static final int THREADS = 256;
    private static final int ACROSS = 128;
    private static final int STEP_BYTES = 128;
    private static final int COPY_BYTES = 16;
    private static final int ALIGNMENT = 256;

    /**
     * Positions that a block transposes, plus four bytes, so that rows start in different banks.
     */
    private static final int TURN_PITCH = 64 + 2;

    /** Products with fewer rows or terms leave tensor cores idle. */
    private static final int LEAST = 16;

    private final Kernel.Convolve k;
    private final DType type;
    private final String t;
    private final int depth;
    private final int each;
    private final List<Action> actions = new ArrayList<>();
    private long workspace;

    private TensorConvolve(Kernel.Convolve k, DType type) {
        this.k = k;
        this.type = type;
        t = CudaSyntax.stored(type);
        depth = STEP_BYTES / (int) type.bytes(1);
        each = COPY_BYTES / (int) type.bytes(1);
    }

    /** Whether this convolution can be computed on tensor cores, and is large enough for that. */
    public static boolean fits(Kernel.Convolve k, List<DType> in, DType out, Precision precision) {
        boolean half = out == DType.BF16 || out == DType.F16;
        if (!half && (out != DType.F32 || precision != Precision.TF32)) return false;
        if (in.stream().anyMatch(x -> x != out) || k.batch() == 0) return false;
        for (int i = 0; i < k.in().size(); i++) {
            if (k.in().get(i) == 0 || k.kernel().get(i) == 0 || k.out().get(i) == 0) return false;
        }
        long taps = ConvolutionAxes.size(k.kernel());
        return switch (k.side()) {
            case OUTPUT, WEIGHT -> k.outChannels() >= LEAST && k.inChannels() * taps >= LEAST;
            case INPUT -> k.inChannels() >= LEAST && k.outChannels() * taps >= LEAST;
        };
    }

    static Recipe recipe(Kernel.Convolve k, DType type) {
        var text = new TensorConvolve(k, type);
        switch (k.side()) {
            case OUTPUT -> text.output();
            case INPUT -> text.input();
            case WEIGHT -> {
                return new WeightConvolve(k, type).recipe();
            }
        }
        return new Recipe(text.actions, text.workspace);
    }

    private void output() {
        var s = ConvolutionAxes.output(k);
        var weights = new Operand.In(1);
        if (isProduct(s)) {
            product(weights, new Operand.In(0), new Operand.Out(0));
            return;
        }
        if (isStraight(s)) {
            straight(s, weights, new Operand.In(0), new Operand.Out(0));
            return;
        }
        var copied = ChannelsLastCopy.of(s, k.inChannels(), type);
        var source = turned(copied, new Operand.In(0));
        columns(copied, weights, source, new Operand.Out(0));
    }

    /** One phase of the stride after the other, then the combination. */
    private void input() {
        var weights = new Operand.In(0);
        var gradient = new Operand.In(1);
        var phases = ConvolutionAxes.phases(k);
        if (phases.size() == 1 && isProduct(phases.getFirst())) {
            product(weights, gradient, new Operand.Out(0));
            return;
        }
        boolean whole = phases.size() == 1;
        var regions = new ArrayList<Optional<Operand.Work>>();
        Optional<Operand> source = Optional.empty();
        for (var phase : phases) {
            if (ConvolutionAxes.size(phase.taps()) == 0
                    || ConvolutionAxes.size(phase.positions()) == 0) {
                regions.add(Optional.empty());
                continue;
            }
            Operand to = new Operand.Out(0);
            if (!whole) {
                var region = new Operand.Work(workspace);
                regions.add(Optional.of(region));
                long elements =
                        (long) k.batch()
                                * k.groups()
                                * k.inChannels()
                                * ConvolutionAxes.size(phase.positions());
                workspace += aligned(type.bytes(elements));
                to = region;
            }
            if (isProduct(phase)) {
                product(weights, gradient, to);
                continue;
            }
            if (isStraight(phase)) {
                straight(phase, weights, gradient, to);
                continue;
            }
            int side = padded(k.outChannels(), each);
            var copied =
                    new ChannelsLastCopy(
                            phase.everySource(), phase, k.outChannels(), side, 1, side);
            if (source.isEmpty()) source = Optional.of(turned(copied, gradient));
            columns(copied, weights, source.get(), to);
        }
        if (!whole) actions.add(PhaseText.together(k, type, phases, regions));
        else if (actions.isEmpty()) {
            long elements =
                    (long) k.batch() * k.groups() * k.inChannels() * ConvolutionAxes.size(k.in());
            actions.add(new Action.Zero(new Operand.Out(0), type.bytes(elements)));
        }
    }

    static long aligned(long bytes) {
        return Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
    }

    /**
     * Whether a phase is a product of the weights and each whole image that the library can
     * compute.
     */
    private boolean isProduct(ConvolutionAxes s) {
        boolean even =
                type.bytes(ConvolutionAxes.size(s.positions())) % COPY_BYTES == 0
                        && type.bytes(k.inChannels()) % COPY_BYTES == 0;
        return even
                && k.groups() == 1
                && ConvolutionAxes.size(k.kernel()) == 1
                && s.isEverySource();
    }

    /**
     * Whether the source of a phase can be read without a copy: each position reads one element,
     * and tensor cores can read the factor across the summed axis, which they can for sixteen bits.
     */
    private boolean isStraight(ConvolutionAxes s) {
        long positions = ConvolutionAxes.size(s.positions());
        return type != DType.F32 && s.isEverySource() && positions % (each / 2) == 0;
    }

    private void product(Operand weights, Operand source, Operand to) {
        boolean output = k.side() == Kernel.Side.OUTPUT;
        int positions = Math.toIntExact(ConvolutionAxes.size(k.out()));
        int rows = output ? k.outChannels() : k.inChannels();
        int terms = output ? k.inChannels() : k.outChannels();
        var gemm =
                new Gemm(
                        type,
                        type,
                        type == DType.F32,
                        false,
                        k.batch(),
                        rows,
                        positions,
                        terms,
                        output,
                        k.inChannels(),
                        0,
                        0,
                        true,
                        positions,
                        (long) terms * positions,
                        0);
        actions.add(new Action.Product(gemm, weights, source, to, Optional.empty(), workspace));
        workspace += Products.libraryBytes(gemm) + ALIGNMENT;
    }

    /** The channels of a tap, rounded up to whole copies. */
    static int padded(int channels, int each) {
        return Math.ceilDiv(channels, each) * each;
    }

    /** A channels-last copy of the source. */
    private Operand turned(ChannelsLastCopy copied, Operand source) {
        var place = new Operand.Work(workspace);
        long pictures = (long) k.batch() * k.groups();
        workspace += aligned(type.bytes(pictures * copied.elements()));
        actions.add(turn(copied, pictures, type, source, place));
        return place;
    }

    /** Writes each copied position with its channels contiguous. */
    static Action turn(
            ChannelsLastCopy copied, long pictures, DType type, Operand source, Operand place) {
        var gathered = copied.copy();
        boolean few = type.bytes(copied.side()) <= COPY_BYTES;
        var t = CudaSyntax.stored(type);
        var code = new SourceLines();
        code.open("struct ConvolveSizes");
        gathered.constants(code);
        code.constant("CHANNELS", copied.channels());
        code.constant("PADDED", copied.side());
        code.add("static const bool PLAIN = %b;", gathered.isEverySource());
        code.add("};");
        MapText.open(code, "turn", 256, 2, true);
        if (few) {
            code.add("turn_few<%s, ConvolveSizes>((const %s*)p0, (%s*)p1);", t, t, t);
        } else {
            code.add("EBB_SHARED(memory);");
            code.add("turn_channels<%s, ConvolveSizes>((const %s*)p0, (%s*)p1, memory);", t, t, t);
        }
        code.close();
        long positions = ConvolutionAxes.size(gathered.positions());
        long panels = Math.ceilDiv(copied.side(), STEP_BYTES / (int) type.bytes(1));
        long blocks = few ? Math.ceilDiv(positions, 256) : panels * Math.ceilDiv(positions, 64);
        return new Action.Launch(
                "turn",
                code.toString(),
                pictures * blocks,
                256,
                few ? 0 : STEP_BYTES * TURN_PITCH,
                List.of(source, place));
    }

    private void columns(ChannelsLastCopy copied, Operand weights, Operand source, Operand to) {
        multiply(copied, false, weights, source, to);
    }

    /** A product without a copy: each position reads one element of the source. */
    private void straight(ConvolutionAxes s, Operand weights, Operand source, Operand to) {
        int channels = k.side() == Kernel.Side.OUTPUT ? k.inChannels() : k.outChannels();
        multiply(
                new ChannelsLastCopy(s, s, channels, channels, 1, channels),
                true,
                weights,
                source,
                to);
    }

    private void multiply(
            ChannelsLastCopy copied,
            boolean straight,
            Operand weights,
            Operand source,
            Operand to) {
        var s = copied.gather();
        int rows = k.side() == Kernel.Side.OUTPUT ? k.outChannels() : k.inChannels();
        int padded = copied.padded();
        int steps = Math.toIntExact(Math.ceilDiv(ConvolutionAxes.size(s.taps()) * padded, depth));
        int halves = rows <= 64 ? 1 : 2;
        int downTiles = Math.ceilDiv(rows, 64 * halves);
        long columns = k.batch() * ConvolutionAxes.size(s.positions());
        int acrossTiles = Math.toIntExact(Math.ceilDiv(columns, ACROSS));
        var packed = new Operand.Work(workspace);
        long elements = (long) k.groups() * rows * steps * depth;
        pack(copied, weights, packed, elements, rows, steps);
        workspace += aligned(type.bytes(elements));
        var code = new SourceLines();
        code.open("struct ConvolveSizes");
        s.constants(code);
        code.constant("GROUPS", k.groups());
        code.constant("ROWS", rows);
        code.constant("PADDED", padded);
        code.constant("PIXEL", copied.pixel());
        code.constant("STEPS", steps);
        code.constant("COLUMNS", Math.toIntExact(columns));
        code.constant("ROW_TILES", downTiles);
        code.constant("COLUMN_TILES", acrossTiles);
        code.add("};");
        MapText.open(code, "convolve", THREADS + ", 2", 3, true);
        code.add("EBB_SHARED(memory);");
        code.add(
                "convolve_columns<%s, ConvolveSizes, %d, %b>((const %s*)p0, (const %s*)p1,"
                        + " (%s*)p2, memory);",
                t, halves, straight, t, t, t);
        code.close();
        int stages = halves == 2 ? 3 : 4;
        actions.add(
                new Action.Launch(
                        "convolve",
                        code.toString(),
                        (long) k.groups() * downTiles * acrossTiles,
                        THREADS,
                        stages * (64 * halves + ACROSS) * STEP_BYTES,
                        List.of(packed, source, to)));
    }

    /**
     * Packs the weights as rows of taps and, within a tap, of channels; missing channels are zeros.
     */
    private void pack(
            ChannelsLastCopy copied,
            Operand weights,
            Operand to,
            long elements,
            int rows,
            int steps) {
        var s = copied.gather();
        int channels = copied.channels();
        int padded = copied.padded();
        boolean window = copied.window() > 1;
        long all = ConvolutionAxes.size(k.kernel());
        var code = new SourceLines();
        MapText.open(code, "pack", 256, 2, true);
        MapText.each(code, "at", 256, elements);
        code.add("const int k = (int)(at %% %d);", steps * depth);
        code.add("const num line = at / %d;", steps * depth);
        code.add("const num row = line %% %d, group = line / %d;", rows, rows);
        code.add("const int c = k %% %d, tap = k / %d;", copied.side(), padded);
        if (window) code.add("const int more = k %% %d / %d;", padded, copied.side());
        code.add("typedef Bits<%d> B;", type.bytes(1));
        code.add("B::type x = 0;");
        var inside = window ? " && more < " + k.kernel().getLast() : "";
        code.open("if (c < %d && tap < %d%s)", channels, ConvolutionAxes.size(s.taps()), inside);
        s.kernelTap(code);
        var number =
                k.side() == Kernel.Side.OUTPUT
                        ? "((group * %d + row) * %d + c)".formatted(rows, channels)
                        : "((group * %d + c) * %d + row)".formatted(channels, rows);
        code.add("x = ((const B::type*)p0)[%s * %d + t%s];", number, all, window ? " + more" : "");
        code.close();
        code.add("((B::type*)p1)[at] = B::rounded(x);");
        code.close();
        actions.add(MapText.launch(code, "pack", elements, 256, List.of(weights, to)));
    }
}
