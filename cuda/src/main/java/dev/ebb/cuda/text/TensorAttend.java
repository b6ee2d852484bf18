package dev.ebb.cuda.text;

import dev.ebb.cuda.Precision;
import dev.ebb.ir.DType;
import dev.ebb.ir.Heads;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;

/**
 * Attention by tensor cores: for sixteen-bit floats, and for f32 where tf32 will do. Rows must
 * begin at multiples of sixteen bytes and be made of whole fragments.
 */
public final class TensorAttend {
    private static final int THREADS = 128;
    private static final int QUERIES = 64;
    private static final int KEYS = 64;
    private static final int WIDEST = 128;

    private TensorAttend() {}

    /** Whether this attention, or its gradient, can be computed so. */
    static boolean fits(
            Heads h, List<View> views, List<DType> types, DType logsum, Precision precision) {
        var type = types.getFirst();
        boolean half = type == DType.BF16 || type == DType.F16;
        if (!half && (type != DType.F32 || precision != Precision.TF32)) return false;
        if (types.stream().anyMatch(t -> t != type) || logsum != DType.F32) return false;
        if (h.width() % 16 != 0 || h.valueWidth() % 16 != 0) return false;
        if (h.width() > WIDEST || h.valueWidth() > WIDEST) return false;
        if (h.width() == 0 || h.valueWidth() == 0 || h.keys() == 0 || h.queries() == 0)
            return false;
        long each = 16 / type.bytes(1);
        for (var view : views) {
            if (view.offset() % each != 0) return false;
            for (int d = 0; d < 3; d++) if (view.stride(d) % each != 0) return false;
        }
        return true;
    }

    public static boolean fits(
            Kernel.Attend k, List<DType> in, List<DType> out, Precision precision) {
        var views = new ArrayList<>(k.operands());
        views.add(k.out());
        var types = List.of(in.get(0), in.get(1), in.get(2), out.get(0));
        return fits(k.heads(), views, types, out.get(1), precision);
    }

    static Recipe forward(Kernel.Attend k, List<DType> in) {
        var h = k.heads();
        int n = in.size();
        var type = in.getFirst();
        var t = Words.stored(type);
        var code = new Lines();
        sizes(code, h, in);
        place(code, "query", "QUERY_ROW", k.operands().get(0));
        place(code, "key", "KEY_ROW", k.operands().get(1));
        place(code, "value", "VALUE_ROW", k.operands().get(2));
        place(code, "result", "RESULT_ROW", k.out());
        code.add("};");
        MapText.open(code, "attend", THREADS, n + 2, true);
        code.add("EBB_SHARED(memory);");
        code.add("attend_forward<%s, AttendSizes>(", t);
        code.add(
                "    (const %s*)p0, (const %s*)p1, (const %s*)p2, %s, (%s*)p%d, (f32*)p%d,"
                        + " memory);",
                t, t, t, h.mask().isEmpty() ? "0" : "p3", t, n, n + 1);
        code.close();
        int pad = type == DType.F32 ? 4 : 8;
        long elements =
                (long) (QUERIES + 2 * KEYS) * (h.width() + pad)
                        + 2L * KEYS * (h.valueWidth() + pad);
        long blocks = (long) h.batch() * h.heads() * ((h.queries() + QUERIES - 1) / QUERIES);
        var operands = new ArrayList<Operand>();
        for (int i = 0; i < n; i++) operands.add(new Operand.In(i));
        operands.add(new Operand.Out(0));
        operands.add(new Operand.Out(1));
        return Recipe.of(
                new Action.Launch(
                        "attend",
                        code.toString(),
                        blocks,
                        THREADS,
                        (int) type.bytes(elements),
                        operands));
    }

    /** Opens the structure that names sizes. */
    private static void sizes(Lines code, Heads h, List<DType> in) {
        code.open("struct AttendSizes");
        constant(code, "WIDTH", h.width());
        constant(code, "VALUES", h.valueWidth());
        constant(code, "QUERIES", h.queries());
        constant(code, "KEYS", h.keys());
        constant(code, "HEADS", h.heads());
        constant(code, "GROUP", h.heads() / h.keyHeads());
        code.add("static const bool MASKED = %b;", !h.mask().isEmpty());
        code.add("static constexpr f32 SCALE = %s;", Words.literal(DType.F32, h.scale()));
        var seen =
                h.causal()
                        ? "max(0, min(%d, i + (%d)))"
                                .formatted(h.keys(), h.keys() - h.queries() + 1)
                        : Integer.toString(h.keys());
        code.add("static __device__ __forceinline__ int seen(int i) { return %s; }", seen);
        var mask = "0.0f";
        if (!h.mask().isEmpty()) {
            var view = h.mask().getFirst();
            var offset =
                    "%dLL + b * %d + n * %d + (i64)i * %d + (i64)j * %d"
                            .formatted(
                                    view.offset(),
                                    view.stride(0),
                                    view.stride(1),
                                    view.stride(2),
                                    view.stride(3));
            mask = "(f32)" + MapText.element(in.get(3), "p", offset);
        }
        code.add(
                "static __device__ __forceinline__ f32 mask(const void* p, i64 b, i64 n, int i, int"
                        + " j) { return %s; }",
                mask);
    }

    private static void constant(Lines code, String name, int value) {
        code.add("static const int %s = %d;", name, value);
    }

    private static void place(Lines code, String name, String row, View view) {
        code.add(
                "static __device__ __forceinline__ i64 %s(i64 b, i64 n) { return %dLL + b * %d + n"
                        + " * %d; }",
                name, view.offset(), view.stride(0), view.stride(1));
        code.add("static const i64 %s = %d;", row, view.stride(2));
    }
}
