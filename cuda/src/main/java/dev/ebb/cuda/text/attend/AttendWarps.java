package dev.ebb.cuda.text.attend;

import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.cuda.text.CudaSyntax;
import dev.ebb.cuda.text.MapText;
import dev.ebb.cuda.text.SourceLines;
import dev.ebb.ir.AttentionShape;
import dev.ebb.ir.DType;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Common parts of the attention kernels for any type, width and mask. One warp processes one row of
 * queries (or keys); thirty-two rows of the other side at a time are in shared memory. For dot
 * products each lane takes one of these rows, for sums each lane takes one element of the row. Rows
 * that are too wide for shared memory are read from global memory.
 */
abstract class AttendWarps {
    static final int WARPS = 8;
    private static final int THREADS = 32 * WARPS;

    /**
     * The shared memory that any GPU since Volta gives a block, less a reserve for the compiler.
     */
    private static final int SHARED = 90_000;

    final AttentionShape h;
    final List<DType> in;
    final String type;
    private final int bytes;
    private final boolean direct;
    private final Map<String, Source> sources = new HashMap<>();
    final SourceLines code = new SourceLines();

    /** Rows that are too wide for shared memory: where to read them each time. */
    private record Source(int operand, View view, String head, String row, int rows) {}

    AttendWarps(AttentionShape h, List<DType> in) {
        this.h = h;
        this.in = in;
        type = CudaSyntax.computed(in.getFirst());
        bytes = (int) in.getFirst().compute().bytes(1);
        long wide = (long) h.width() + h.valueWidth();
        direct = (32 * (wide + 2) + WARPS * wide) * bytes > SHARED;
    }

    /** An element of this warp's row. */
    String own(String name, String d) {
        return direct ? read(name, "", d) : name + "[" + d + "]";
    }

    /** Element {@code d} of row {@code r} of a tile. */
    private String tile(String name, String r, int width, String d) {
        return direct ? read(name, r, d) : "%s[%s * %d + %s]".formatted(name, r, width + 1, d);
    }

    private String read(String name, String r, String d) {
        var from = Objects.requireNonNull(sources.get(name));
        var at = r.isEmpty() ? from.row() : from.row() + " + " + r;
        var element =
                MapText.element(
                        in.get(from.operand()),
                        "p" + from.operand(),
                        row(from.view(), from.head(), at) + " + " + d);
        return "(%s < %d ? (%s)%s : %s)"
                .formatted(at, from.rows(), type, element, CudaSyntax.literal(in.getFirst(), 0));
    }

    int masks() {
        return h.mask().size();
    }

    static String row(View view, String head, String row) {
        return "(ofs)%d + b * %d + %s * %d + (ofs)(%s) * %d"
                .formatted(
                        view.offset(), view.stride(0), head, view.stride(1), row, view.stride(2));
    }

    static int shares(int width) {
        return Math.max(1, (width + 31) / 32);
    }

    /** The score of query {@code i} and key {@code j}, their product being {@code dot}. */
    void score(String dot) {
        code.add("s = %s * %s;", dot, CudaSyntax.literal(in.getFirst(), h.scale()));
        for (int m = 0; m < masks(); m++) {
            var view = h.mask().get(m);
            var offset =
                    "(ofs)%d + b * %d + n * %d + (ofs)i * %d + (ofs)j * %d"
                            .formatted(
                                    view.offset(),
                                    view.stride(0),
                                    view.stride(1),
                                    view.stride(2),
                                    view.stride(3));
            code.add(
                    "s = s + (%s)%s;", type, MapText.element(in.get(3 + m), "p" + (3 + m), offset));
        }
    }

    /** Opens a kernel whose warps each take one row of {@code heads} x {@code rows}. */
    void open(String name, int operands, int heads, int rows) {
        long blocks = (rows + WARPS - 1) / WARPS;
        MapText.open(code, name, THREADS, operands, true);
        code.add("EBB_SHARED(memory);");
        code.add("const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;");
        code.add("const int top = (int)(blockIdx.x %% %d) * %d;", blocks, WARPS);
        code.add("const ofs head = blockIdx.x / %d %% %d;", blocks, heads);
        code.add("const ofs b = blockIdx.x / %d;", blocks * heads);
        code.add("const int own = top + warp;");
        code.add("const int row = own < %d ? own : %d;", rows, rows - 1);
    }

    Action launch(String name, List<Operand> operands, int heads, int rows, int sharedBytes) {
        long blocks = (long) h.batch() * heads * ((rows + WARPS - 1) / WARPS);
        return new Action.Launch(name, code.toString(), blocks, THREADS, sharedBytes, operands);
    }

    /** Declares a tile of 32 rows, padded so that lanes on one column have no bank conflicts. */
    String tile(String name, int width, int at) {
        if (direct) return name;
        code.add("%s* const %s = (%s*)memory + %d;", type, name, type, at);
        return name;
    }

    /** Reads 32 rows from {@code first} on into a tile. */
    void fill(String tile, int operand, int width, View view, String head, int rows) {
        sources.put(tile, new Source(operand, view, head, "first", rows));
        if (direct) return;
        code.open("for (int x = threadIdx.x; x < %d; x += %d)", 32 * width, THREADS);
        code.add("const int r = x / %d, d = x %% %d;", width, width);
        code.add(
                "%s[r * %d + d] = first + r < %d ? %s : %s;",
                tile,
                width + 1,
                rows,
                MapText.element(
                        in.get(operand), "p" + operand, row(view, head, "first + r") + " + d"),
                CudaSyntax.literal(in.getFirst(), 0));
        code.close();
    }

    /** The dot product of a row with this lane's row of the tile. */
    void dot(String name, String own, String tile, int width) {
        code.add("%s %s = %s;", type, name, CudaSyntax.literal(in.getFirst(), 0));
        code.add("#pragma unroll 8");
        code.add(
                "for (int d = 0; d < %d; d++) %s = multiply_add(%s, %s, %s);",
                width, name, own(own, "d"), tile(tile, "lane", width, "d"), name);
    }

    /** Loads this warp's row of an operand into shared memory. */
    void own(String name, int operand, int width, View view, String head, int at) {
        sources.put(name, new Source(operand, view, head, "row", Integer.MAX_VALUE));
        if (direct) return;
        code.add("%s* const %s = (%s*)memory + %d + warp * %d;", type, name, type, at, width);
        code.add(
                "for (int d = lane; d < %d; d += 32) %s[d] = %s;",
                width,
                name,
                MapText.element(in.get(operand), "p" + operand, row(view, head, "row") + " + d"));
    }

    void totals(String name, int width) {
        code.add("%s %s[%d] = {};", type, name, shares(width));
    }

    /** Adds 32 rows of a tile, each multiplied by one lane's factor, to this warp's totals. */
    void accumulate(String name, String factor, String tile, int width) {
        code.open("for (int r = 0; r < 32; r++)");
        code.add("const %s f = __shfl_sync(0xffffffffu, %s, r);", type, factor);
        code.add("#pragma unroll");
        code.open("for (int x = 0; x < %d; x++)", shares(width));
        code.add("const int d = lane + 32 * x;");
        code.add(
                "if (d < %d) %s[x] = multiply_add(f, %s, %s[x]);",
                width, name, tile(tile, "r", width, "d"), name);
        code.close();
        code.close();
    }

    void results(
            String name, int output, DType to, int width, View view, String head, String value) {
        code.add("#pragma unroll");
        code.open("for (int x = 0; x < %d; x++)", shares(width));
        code.add("const int d = lane + 32 * x;");
        code.add(
                "if (d < %d) ((%s*)p%d)[%s + d] = Down<%s>::of(%s);",
                width,
                CudaSyntax.stored(to),
                output,
                row(view, head, "row"),
                CudaSyntax.stored(to),
                value.replace("$", name + "[x]"));
        code.close();
    }

    /** The number of keys that query {@code i} attends to. */
    String visible(String i) {
        if (!h.causal()) return Integer.toString(h.keys());
        int ahead = h.keys() - h.queries() + 1;
        return "max(0, min(%d, %s + (%d)))".formatted(h.keys(), i, ahead);
    }

    List<Operand> operands(Operand... rest) {
        var operands = new ArrayList<Operand>();
        for (int i = 0; i < in.size(); i++) operands.add(new Operand.In(i));
        operands.addAll(List.of(rest));
        return operands;
    }

    int shared(int numbers) {
        return direct ? 0 : numbers * bytes;
    }

    void shuffle(String fn, String name) {
        code.add("#pragma unroll");
        code.add("for (int far = 16; far > 0; far >>= 1)");
        code.add("    %s = %s(%s, __shfl_xor_sync(0xffffffffu, %s, far));", name, fn, name, name);
    }
}
