package dev.ebb.cuda;

import dev.ebb.ir.DType;
import dev.ebb.ir.Heads;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;

/**
 * Attention of any type, width and mask: a warp for each query, thirty-two keys at a time, one key
 * a lane for the scores and one element of the row a lane for the results. Keys and values come
 * through shared memory where they fit. The backward half computes every probability twice, once
 * for its query's row and once for its key's, so that no two warps add to one place.
 */
final class AttendText {
    private static final int WARPS = 8;
    private static final int THREADS = 32 * WARPS;

    /** Shared memory that any card since Volta gives a block, with room for the compiler's own. */
    private static final int SHARED = 90_000;

    private final Heads h;
    private final List<DType> in;
    private final String type;
    private final int bytes;
    private final Lines code = new Lines();

    private AttendText(Heads h, List<DType> in) {
        this.h = h;
        this.in = in;
        type = Words.computed(in.getFirst());
        bytes = (int) in.getFirst().compute().bytes(1);
    }

    static Recipe forward(Kernel.Attend k, List<DType> in, List<DType> out) {
        var h = k.heads();
        if ((long) h.batch() * h.heads() * h.queries() == 0) return Recipe.of();
        return Recipe.of(new AttendText(h, in).forward(k, out));
    }

    static Recipe backward(Kernel.AttendGrad k, List<DType> in, List<DType> out) {
        var h = k.heads();
        var actions = new ArrayList<Action>();
        long rows = (long) h.batch() * h.heads() * h.queries();
        if (rows > 0) actions.add(new AttendText(h, in).queries(k, out));
        if ((long) h.batch() * h.keyHeads() * h.keys() > 0)
            actions.add(new AttendText(h, in).keys(k, out));
        return new Recipe(actions, in.getFirst().compute().bytes(rows));
    }

    private int masks() {
        return h.mask().size();
    }

    private static String row(View view, String head, String row) {
        return "(ofs)%d + b * %d + %s * %d + (ofs)(%s) * %d"
                .formatted(
                        view.offset(), view.stride(0), head, view.stride(1), row, view.stride(2));
    }

    private static int shares(int width) {
        return Math.max(1, (width + 31) / 32);
    }

    /** The score of query {@code i} and key {@code j}, their product being {@code dot}. */
    private void score(String dot) {
        code.add("s = %s * %s;", dot, Words.literal(in.getFirst(), h.scale()));
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
                    "s = s + (%s)%s;",
                    type, MapText.element(in.get(3 + m), "p" + (3 + m), offset));
        }
    }

    /** Opens a kernel whose warps each take one row of {@code heads} x {@code rows}. */
    private void open(String name, int operands, int heads, int rows) {
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

    private Action launch(
            String name, List<Operand> operands, int heads, int rows, int sharedBytes) {
        long blocks = (long) h.batch() * heads * ((rows + WARPS - 1) / WARPS);
        return new Action.Launch(
                name, code.toString(), blocks, THREADS, sharedBytes, operands);
    }

    /** Declares a tile of 32 rows, padded so that lanes on one column meet no bank twice. */
    private String tile(String name, int width, int at) {
        code.add("%s* const %s = (%s*)memory + %d;", type, name, type, at);
        return name;
    }

    /** Reads 32 rows from {@code first} on into a tile. */
    private void fill(String tile, int operand, int width, View view, String head, int rows) {
        code.open("for (int x = threadIdx.x; x < %d; x += %d)", 32 * width, THREADS);
        code.add("const int r = x / %d, d = x %% %d;", width, width);
        code.add(
                "%s[r * %d + d] = first + r < %d ? %s : %s;",
                tile,
                width + 1,
                rows,
                MapText.element(
                        in.get(operand), "p" + operand, row(view, head, "first + r") + " + d"),
                Words.literal(in.getFirst(), 0));
        code.close();
    }

    /** A row's product with this lane's row of the tile. */
    private void dot(String name, String own, String tile, int width) {
        code.add("%s %s = %s;", type, name, Words.literal(in.getFirst(), 0));
        code.add("#pragma unroll 8");
        code.add(
                "for (int d = 0; d < %d; d++) %s = multiply_add(%s[d], %s[lane * %d + d], %s);",
                width, name, own, tile, width + 1, name);
    }

    /** This warp's row of an operand, in shared memory. */
    private void own(String name, int operand, int width, View view, String head, int at) {
        code.add("%s* const %s = (%s*)memory + %d + warp * %d;", type, name, type, at, width);
        code.add(
                "for (int d = lane; d < %d; d += 32) %s[d] = %s;",
                width,
                name,
                MapText.element(in.get(operand), "p" + operand, row(view, head, "row") + " + d"));
    }

    private void totals(String name, int width) {
        code.add("%s %s[%d] = {};", type, name, shares(width));
    }

    /** Adds 32 rows of a tile, each times one lane's factor, to this warp's totals. */
    private void accumulate(String name, String factor, String tile, int width) {
        code.open("for (int r = 0; r < 32; r++)");
        code.add("const %s f = __shfl_sync(0xffffffffu, %s, r);", type, factor);
        code.add("#pragma unroll");
        code.open("for (int x = 0; x < %d; x++)", shares(width));
        code.add("const int d = lane + 32 * x;");
        code.add(
                "if (d < %d) %s[x] = multiply_add(f, %s[r * %d + d], %s[x]);",
                width, name, tile, width + 1, name);
        code.close();
        code.close();
    }

    private void results(
            String name, int output, DType to, int width, View view, String head, String value) {
        code.add("#pragma unroll");
        code.open("for (int x = 0; x < %d; x++)", shares(width));
        code.add("const int d = lane + 32 * x;");
        code.add(
                "if (d < %d) ((%s*)p%d)[%s + d] = Down<%s>::of(%s);",
                width,
                Words.stored(to),
                output,
                row(view, head, "row"),
                Words.stored(to),
                value.replace("$", name + "[x]"));
        code.close();
    }

    /** Keys that query {@code i} sees. */
    private String visible(String i) {
        if (!h.causal()) return Integer.toString(h.keys());
        int ahead = h.keys() - h.queries() + 1;
        return "max(0, min(%d, %s + (%d)))".formatted(h.keys(), i, ahead);
    }

    private List<Operand> operands(Operand... rest) {
        var operands = new ArrayList<Operand>();
        for (int i = 0; i < in.size(); i++) operands.add(new Operand.In(i));
        operands.addAll(List.of(rest));
        return operands;
    }

    private int shared(int numbers, String what) {
        long total = (long) numbers * bytes;
        if (total > SHARED) {
            throw new UnsupportedOperationException(
                    "attention "
                            + what
                            + " of width "
                            + h.width()
                            + " and value width "
                            + h.valueWidth()
                            + " needs "
                            + total
                            + " bytes of shared memory, over "
                            + SHARED);
        }
        return (int) total;
    }

    private Action forward(Kernel.Attend k, List<DType> out) {
        int w = h.width();
        int vw = h.valueWidth();
        int n = in.size();
        var keyHead = "(n / %d)".formatted(h.heads() / h.keyHeads());
        var zero = Words.literal(in.getFirst(), 0);
        var least = Words.literal(in.getFirst(), Double.NEGATIVE_INFINITY);
        open("attend", n + 2, h.heads(), h.queries());
        code.add("const ofs n = head;");
        code.add("const int i = row;");
        tile("keys", w, 0);
        tile("values", vw, 32 * (w + 1));
        int at = 32 * (w + 1) + 32 * (vw + 1);
        own("query", 0, w, k.operands().get(0), "n", at);
        totals("total", vw);
        code.add("%s most = %s, sum = %s;", type, least, zero);
        code.add("const int seen = %s;", visible("i"));
        code.add("const int end = %s;", visible("min(top + %d, %d)".formatted(WARPS - 1, h.queries() - 1)));
        code.open("for (int first = 0; first < end; first += 32)");
        code.add("__syncthreads();");
        fill("keys", 1, w, k.operands().get(1), keyHead, h.keys());
        fill("values", 2, vw, k.operands().get(2), keyHead, h.keys());
        code.add("__syncthreads();");
        code.add("const int j = first + lane;");
        code.add("%s s = %s;", type, least);
        dot("dot", "query", "keys", w);
        code.open("if (j < seen)");
        score("dot");
        code.close();
        code.add("%s high = s;", type);
        shuffle("maximum", "high");
        code.add("const %s now = maximum(most, high);", type);
        code.add("const bool none = now == %s;", least);
        code.add("const %s p = none ? %s : fn_exp(s - now);", type, zero);
        code.add("const %s shrink = none ? %s : fn_exp(most - now);", type, zero);
        code.add("%s more = p;", type);
        shuffle("add", "more");
        code.add("sum = sum * shrink + more;");
        code.add("most = now;");
        code.add("#pragma unroll");
        code.add("for (int x = 0; x < %d; x++) total[x] = total[x] * shrink;", shares(vw));
        accumulate("total", "p", "values", vw);
        code.close();
        code.add("if (own != row) return;");
        results("total", n, out.get(0), vw, k.out(), "n", "sum == %s ? %s : $ / sum".formatted(zero, zero));
        code.add(
                "if (lane == 0) ((%s*)p%d)[(b * %d + n) * %d + i] = Down<%s>::of(sum == %s ? %s :"
                        + " most + fn_log(sum));",
                Words.stored(out.get(1)),
                n + 1,
                h.heads(),
                h.queries(),
                Words.stored(out.get(1)),
                zero,
                least);
        code.close();
        int bytes = shared(at + WARPS * w, "forward");
        return launch(
                "attend",
                operands(new Operand.Out(0), new Operand.Out(1)),
                h.heads(),
                h.queries(),
                bytes);
    }

    private void shuffle(String fn, String name) {
        code.add("#pragma unroll");
        code.add("for (int far = 16; far > 0; far >>= 1)");
        code.add("    %s = %s(%s, __shfl_xor_sync(0xffffffffu, %s, far));", name, fn, name, name);
    }

    /** The gradient of every query, and each query's product of output and its cotangent. */
    private Action queries(Kernel.AttendGrad k, List<DType> out) {
        int w = h.width();
        int vw = h.valueWidth();
        int n = in.size();
        int rest = 3 + masks();
        var views = k.operands();
        var keyHead = "(n / %d)".formatted(h.heads() / h.keyHeads());
        var zero = Words.literal(in.getFirst(), 0);
        open("attend_queries", n + 2, h.heads(), h.queries());
        code.add("const ofs n = head;");
        code.add("const int i = row;");
        tile("keys", w, 0);
        tile("values", vw, 32 * (w + 1));
        int at = 32 * (w + 1) + 32 * (vw + 1);
        own("query", 0, w, views.get(0), "n", at);
        own("dout", rest + 1, vw, views.get(4), "n", at + WARPS * w);
        code.add("%s inner = %s;", type, zero);
        code.add(
                "for (int d = lane; d < %d; d += 32) inner = multiply_add(dout[d], %s, inner);",
                vw,
                MapText.element(
                        in.get(rest), "p" + rest, row(views.get(3), "n", "row") + " + d"));
        shuffle("add", "inner");
        code.add("const ofs number = (b * %d + n) * %d + i;", h.heads(), h.queries());
        code.add("if (lane == 0 && own == row) ((%s*)p%d)[number] = inner;", type, n + 1);
        code.add(
                "const %s logsum = %s;",
                type, MapText.element(in.getLast(), "p" + (n - 1), "number"));
        code.add(
                "const int seen = logsum == %s ? 0 : %s;",
                Words.literal(in.getFirst(), Double.NEGATIVE_INFINITY), visible("i"));
        code.add(
                "const int end = %s;",
                visible("min(top + %d, %d)".formatted(WARPS - 1, h.queries() - 1)));
        totals("total", w);
        code.open("for (int first = 0; first < end; first += 32)");
        code.add("__syncthreads();");
        fill("keys", 1, w, views.get(1), keyHead, h.keys());
        fill("values", 2, vw, views.get(2), keyHead, h.keys());
        code.add("__syncthreads();");
        code.add("const int j = first + lane;");
        code.add("%s ds = %s;", type, zero);
        dot("dot", "query", "keys", w);
        dot("dp", "dout", "values", vw);
        code.open("if (j < seen)");
        code.add("%s s;", type);
        score("dot");
        code.add(
                "ds = fn_exp(s - logsum) * (dp - inner) * %s;",
                Words.literal(in.getFirst(), h.scale()));
        code.close();
        accumulate("total", "ds", "keys", w);
        code.close();
        code.add("if (own != row) return;");
        var place = k.results().get(0);
        results("total", n, out.get(place.output()), w, place.view(), "n", "$");
        code.close();
        int bytes = shared(at + WARPS * (w + vw), "backward");
        return launch(
                "attend_queries",
                operands(new Operand.Out(place.output()), new Operand.Work(0)),
                h.heads(),
                h.queries(),
                bytes);
    }

    /** The gradients of every key and value, over all queries of all heads that read them. */
    private Action keys(Kernel.AttendGrad k, List<DType> out) {
        int w = h.width();
        int vw = h.valueWidth();
        int n = in.size();
        int rest = 3 + masks();
        int group = h.heads() / h.keyHeads();
        var views = k.operands();
        var zero = Words.literal(in.getFirst(), 0);
        open("attend_keys", n + 3, h.keyHeads(), h.keys());
        code.add("const int j = row;");
        tile("queries", w, 0);
        tile("douts", vw, 32 * (w + 1));
        int at = 32 * (w + 1) + 32 * (vw + 1);
        own("key", 1, w, views.get(1), "head", at);
        own("value", 2, vw, views.get(2), "head", at + WARPS * w);
        totals("dkey", w);
        totals("dvalue", vw);
        // the first query that sees the block's first key; those before it see none of the block
        var start =
                h.causal()
                        ? "max(0, top - %d) / 32 * 32".formatted(Math.max(0, h.keys() - h.queries()))
                        : "0";
        code.open("for (ofs n = head * %d; n < (head + 1) * %d; n++)", group, group);
        code.open("for (int first = %s; first < %d; first += 32)", start, h.queries());
        code.add("__syncthreads();");
        fill("queries", 0, w, views.get(0), "n", h.queries());
        fill("douts", rest + 1, vw, views.get(4), "n", h.queries());
        code.add("__syncthreads();");
        code.add("const int i = first + lane;");
        code.add("%s p = %s, ds = %s;", type, zero, zero);
        dot("dot", "key", "queries", w);
        dot("dp", "value", "douts", vw);
        code.open("if (i < %d && j < %s)", h.queries(), visible("i"));
        code.add("const ofs number = (b * %d + n) * %d + i;", h.heads(), h.queries());
        code.add(
                "const %s logsum = %s;",
                type, MapText.element(in.getLast(), "p" + (n - 1), "number"));
        code.open(
                "if (logsum != %s)",
                Words.literal(in.getFirst(), Double.NEGATIVE_INFINITY));
        code.add("%s s;", type);
        score("dot");
        code.add("p = fn_exp(s - logsum);");
        code.add(
                "ds = p * (dp - ((const %s*)p%d)[number]) * %s;",
                type, n + 2, Words.literal(in.getFirst(), h.scale()));
        code.close();
        code.close();
        accumulate("dkey", "ds", "queries", w);
        accumulate("dvalue", "p", "douts", vw);
        code.close();
        code.close();
        code.add("if (own != row) return;");
        var dk = k.results().get(1);
        var dv = k.results().get(2);
        results("dkey", n, out.get(dk.output()), w, dk.view(), "head", "$");
        results("dvalue", n + 1, out.get(dv.output()), vw, dv.view(), "head", "$");
        code.close();
        int bytes = shared(at + WARPS * (w + vw), "backward");
        return launch(
                "attend_keys",
                operands(
                        new Operand.Out(dk.output()),
                        new Operand.Out(dv.output()),
                        new Operand.Work(0)),
                h.keyHeads(),
                h.keys(),
                bytes);
    }
}
