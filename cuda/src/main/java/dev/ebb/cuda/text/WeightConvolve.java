package dev.ebb.cuda.text;

import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;

import java.util.ArrayList;
import java.util.List;

/**
 * The gradient of a convolution's weights by tensor cores: a product over all positions of all
 * pictures, in parts that are added in order. The gradient of the output lies along the positions
 * as it is; so does the input where each position meets one element, and otherwise it is copied
 * with the channels of a position side by side. Pictures whose positions cannot be copied eight
 * bytes at a time are copied with some zeros behind each row first.
 */
final class WeightConvolve {
    private static final int THREADS = 128;
    private static final int ACROSS = 128;
    private static final int STEP_BYTES = 64;
    private static final int PITCH_BYTES = 80;
    private static final int COPY_BYTES = 16;
    private static final int STAGES = 4;

    /** Blocks that the sum is split into, where there are fewer tiles. */
    private static final int BLOCKS = 528;

    /** Steps of the sum that a part has at least. */
    private static final int PART_STEPS = 16;

    private final Kernel.Convolve k;
    private final DType type;
    private final String t;
    private final List<Action> actions = new ArrayList<>();
    private long workspace;

    WeightConvolve(Kernel.Convolve k, DType type) {
        this.k = k;
        this.type = type;
        t = Words.stored(type);
    }

    Recipe recipe() {
        var s = Spatial.output(k);
        int each = COPY_BYTES / (int) type.bytes(1);
        long positions = Spatial.size(k.out());
        boolean apart = type.bytes(positions) % (COPY_BYTES / 2) != 0;
        int line = Math.toIntExact(apart ? Math.ceilDiv(positions, each) * each : positions);
        boolean turned = !s.isEverySource();
        int padded = turned ? TensorConvolve.padded(k.inChannels(), each) : k.inChannels();
        Operand x = new Operand.In(0);
        Operand dy = new Operand.In(1);
        if (apart) dy = lines(dy, k.outChannels(), line);
        if (turned) x = turned(s.toTurn(), padded);
        else if (apart) x = lines(x, k.inChannels(), line);
        sum(turned ? s.afterTurn() : s, x, dy, line, padded, turned);
        return new Recipe(actions, workspace);
    }

    private Operand turned(Spatial gathered, int padded) {
        var place = new Operand.Work(workspace);
        long pictures = (long) k.batch() * k.groups();
        long elements = pictures * Spatial.size(gathered.positions()) * padded;
        workspace += TensorConvolve.aligned(type.bytes(elements));
        actions.add(
                TensorConvolve.turn(
                        gathered,
                        pictures,
                        k.inChannels(),
                        padded,
                        type,
                        new Operand.In(0),
                        place));
        return place;
    }

    /** A copy of rows of positions, {@code line} elements apart, with zeros behind each. */
    private Operand lines(Operand from, int channels, int line) {
        var place = new Operand.Work(workspace);
        long positions = Spatial.size(k.out());
        long elements = (long) k.batch() * k.groups() * channels * line;
        workspace += TensorConvolve.aligned(type.bytes(elements));
        var code = new Lines();
        MapText.open(code, "lines", 256, 2, true);
        code.add("const num at = (num)blockIdx.x * 256 + threadIdx.x;");
        code.add("if (at >= %d) return;", elements);
        code.add("const num row = at / %d, p = at %% %d;", line, line);
        code.add("%s x{};", t);
        code.add("if (p < %d) x = ((const %s*)p0)[row * %d + p];", positions, t, positions);
        code.add("((%s*)p1)[at] = x;", t);
        code.close();
        actions.add(
                new Action.Launch(
                        "lines",
                        code.toString(),
                        MapText.blocks(elements, 256),
                        256,
                        0,
                        List.of(from, place)));
        return place;
    }

    private void sum(Spatial s, Operand x, Operand dy, int line, int padded, boolean turned) {
        int depth = STEP_BYTES / (int) type.bytes(1);
        int rows = k.outChannels();
        int columns = Math.toIntExact(padded * Spatial.size(k.kernel()));
        int fragments = Math.ceilDiv(rows, 64) % 2 == 1 ? 2 : 4;
        int downTiles = Math.ceilDiv(rows, 32 * fragments);
        int acrossTiles = Math.ceilDiv(columns, ACROSS);
        long numbers = (long) k.batch() * line;
        long tiles = (long) k.groups() * downTiles * acrossTiles;
        long most = Math.max(1, numbers / ((long) PART_STEPS * depth));
        long wish = Math.clamp(Math.ceilDiv(BLOCKS, tiles), 1, most);
        long part = Math.ceilDiv(Math.ceilDiv(numbers, wish), depth) * depth;
        long parts = Math.ceilDiv(numbers, part);
        var code = new Lines();
        code.open("struct ConvolveSizes");
        s.constants(code);
        TensorConvolve.constant(code, "GROUPS", k.groups());
        TensorConvolve.constant(code, "ROWS", rows);
        TensorConvolve.constant(code, "PADDED", padded);
        TensorConvolve.constant(code, "LINE", line);
        TensorConvolve.constant(code, "NUMBERS", Math.toIntExact(numbers));
        TensorConvolve.constant(code, "PART", Math.toIntExact(part));
        TensorConvolve.constant(code, "ROW_TILES", downTiles);
        TensorConvolve.constant(code, "COLUMN_TILES", acrossTiles);
        code.add("};");
        MapText.open(code, "convolve", THREADS + ", 2", 3, true);
        code.add("EBB_SHARED(memory);");
        code.add(
                "convolve_weights<%s, ConvolveSizes, %d, %b>((const %s*)p0, (const %s*)p1,"
                        + " (f32*)p2, memory);",
                t, fragments, turned, t, t);
        code.close();
        var sums = new Operand.Work(workspace);
        workspace += DType.F32.bytes((long) k.groups() * rows * columns * parts);
        actions.add(
                new Action.Launch(
                        "convolve",
                        code.toString(),
                        tiles * parts,
                        THREADS,
                        STAGES * (32 * fragments + ACROSS) * PITCH_BYTES,
                        List.of(x, dy, sums)));
        join(sums, parts, columns, padded);
    }

    /** Adds the parts in order, and puts taps last again. */
    private void join(Operand sums, long parts, int columns, int padded) {
        long taps = Spatial.size(k.kernel());
        long rows = (long) k.groups() * k.outChannels();
        long size = rows * k.inChannels() * taps;
        var code = new Lines();
        MapText.open(code, "join", 256, 2, true);
        code.add("const num at = (num)blockIdx.x * 256 + threadIdx.x;");
        code.add("if (at >= %d) return;", size);
        code.add(
                "const num row = at / %d, channel = at / %d %% %d, tap = at %% %d;",
                k.inChannels() * taps, taps, k.inChannels(), taps);
        code.add(
                "const f32* const part = (const f32*)p0 + row * %d + tap * %d + channel;",
                columns, padded);
        code.add("f32 sum = part[0];");
        code.add("#pragma unroll 4");
        code.add("for (int i = 1; i < %d; i++) sum += part[i * (i64)%d];", parts, rows * columns);
        code.add("((%s*)p1)[at] = Down<%s>::of(sum);", t, t);
        code.close();
        actions.add(
                new Action.Launch(
                        "join",
                        code.toString(),
                        MapText.blocks(size, 256),
                        256,
                        0,
                        List.of(sums, new Operand.Out(0))));
    }
}
