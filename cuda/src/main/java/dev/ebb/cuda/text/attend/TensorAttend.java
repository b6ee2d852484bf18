package dev.ebb.cuda.text.attend;

import dev.ebb.cuda.Precision;
import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.cuda.text.CudaSyntax;
import dev.ebb.cuda.text.MapText;
import dev.ebb.cuda.text.SourceLines;
import dev.ebb.ir.AttentionShape;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;

/**
 * Attention on tensor cores: for sixteen-bit floats, and for f32 if tf32 is allowed. Rows must
 * start at multiples of sixteen bytes and have a multiple of sixteen bytes.
 */
public final class TensorAttend {
    private static final int WIDEST = 256;

    private TensorAttend() {}

    /** Whether this attention, or its gradient, can be computed on tensor cores. */
    private static boolean fits(
            AttentionShape h,
            List<View> views,
            List<DType> types,
            DType logsum,
            Precision precision) {
        var type = types.getFirst();
        boolean half = type == DType.BF16 || type == DType.F16;
        if (!half && (type != DType.F32 || precision != Precision.TF32)) return false;
        if (types.stream().anyMatch(t -> t != type) || logsum != DType.F32) return false;
        long each = 16 / type.bytes(1);
        if (h.width() % each != 0 || h.valueWidth() % each != 0) return false;
        if (h.width() > WIDEST || h.valueWidth() > WIDEST) return false;
        if (h.width() == 0 || h.valueWidth() == 0 || h.keys() == 0 || h.queries() == 0)
            return false;
        if (h.batch() == 0 || h.heads() == 0) return false;
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

    public static boolean fits(
            Kernel.AttendGrad k, List<DType> in, List<DType> out, Precision precision) {
        var views = new ArrayList<>(k.operands());
        k.results().forEach(r -> views.add(r.view()));
        int rest = 3 + k.heads().mask().size();
        var types = new ArrayList<>(in.subList(0, 3));
        types.addAll(in.subList(rest, rest + 2));
        types.addAll(out);
        return fits(k.heads(), views, types, in.getLast(), precision);
    }

    public static Recipe forward(Kernel.Attend k, List<DType> in) {
        var h = k.heads();
        int n = in.size();
        var type = in.getFirst();
        var t = CudaSyntax.stored(type);
        var tiling = Tiling.forward(type, h);
        var code = new SourceLines();
        sizes(code, h, in);
        place(code, "query", "QUERY_ROW", k.operands().get(0));
        place(code, "key", "KEY_ROW", k.operands().get(1));
        place(code, "value", "VALUE_ROW", k.operands().get(2));
        place(code, "result", "RESULT_ROW", k.out());
        code.add("};");
        MapText.open(code, "attend", tiling.bounds(), n + 2, true);
        code.add("EBB_SHARED(memory);");
        code.add(
                "attend_forward<%s, %s, AttendSizes, %s>(",
                tiling.multiplier(t), t, numbers(tiling));
        code.add(
                "    (const %s*)p0, (const %s*)p1, (const %s*)p2, %s, (%s*)p%d, (f32*)p%d,"
                        + " memory);",
                t, t, t, mask(h), t, n, n + 1);
        code.close();
        var operands = inputs(n);
        operands.add(new Operand.Out(0));
        operands.add(new Operand.Out(1));
        return Recipe.of(
                new Action.Launch(
                        "attend",
                        code.toString(),
                        (long) h.batch() * h.heads() * tiling.blocks(h.queries()),
                        Tiling.THREADS,
                        tiling.bytes(type, h, false),
                        operands));
    }

    /**
     * The gradient of queries, then those of keys and values. Every probability is computed once
     * for its query and once for its key, so that no two blocks add to the same element.
     */
    public static Recipe backward(Kernel.AttendGrad k, List<DType> in) {
        var h = k.heads();
        var actions = new ArrayList<Action>();
        actions.add(queries(k, in));
        if (Tiling.isApart(h)) {
            actions.add(keys(k, in, "attend_dkeys", true, false));
            actions.add(keys(k, in, "attend_dvalues", false, true));
        } else {
            actions.add(keys(k, in, "attend_keys", true, true));
        }
        return new Recipe(actions, DType.F32.bytes(2L * h.batch() * h.heads() * h.queries()));
    }

    private static Action queries(Kernel.AttendGrad k, List<DType> in) {
        var h = k.heads();
        int n = in.size();
        int rest = 3 + h.mask().size();
        var type = in.getFirst();
        var t = CudaSyntax.stored(type);
        var tiling = Tiling.queries(type, h);
        var code = gradientSizes(k, in);
        MapText.open(code, "attend_queries", tiling.bounds(), n + 2, true);
        code.add("EBB_SHARED(memory);");
        code.add(
                "attend_backward_queries<%s, %s, AttendSizes, %s>(",
                tiling.multiplier(t), t, numbers(tiling));
        code.add("    (const %s*)p0, (const %s*)p1, (const %s*)p2, %s,", t, t, t, mask(h));
        code.add(
                "    (const %s*)p%d, (const %s*)p%d, (const f32*)p%d, (%s*)p%d,"
                        + " (Pack<f32, 2>*)p%d, memory);",
                t, rest, t, rest + 1, rest + 2, t, n, n + 1);
        code.close();
        var operands = inputs(n);
        operands.add(new Operand.Out(k.results().get(0).output()));
        operands.add(new Operand.Work(0));
        return new Action.Launch(
                "attend_queries",
                code.toString(),
                (long) h.batch() * h.heads() * tiling.blocks(h.queries()),
                Tiling.THREADS,
                tiling.bytes(type, h, true),
                operands);
    }

    private static Action keys(
            Kernel.AttendGrad k, List<DType> in, String name, boolean keys, boolean values) {
        var h = k.heads();
        int n = in.size();
        int rest = 3 + h.mask().size();
        var type = in.getFirst();
        var t = CudaSyntax.stored(type);
        var tiling = Tiling.keys(type, h);
        var code = gradientSizes(k, in);
        MapText.open(code, name, tiling.bounds(), n + 3, true);
        code.add("EBB_SHARED(memory);");
        code.add(
                "attend_backward_keys<%s, %s, AttendSizes, %s, %b, %b>(",
                tiling.multiplier(t), t, numbers(tiling), keys, values);
        code.add("    (const %s*)p0, (const %s*)p1, (const %s*)p2, %s,", t, t, t, mask(h));
        code.add(
                "    (const %s*)p%d, (const Pack<f32, 2>*)p%d, (%s*)p%d, (%s*)p%d, memory);",
                t, rest + 1, n + 2, t, n, t, n + 1);
        code.close();
        var operands = inputs(n);
        operands.add(new Operand.Out(k.results().get(1).output()));
        operands.add(new Operand.Out(k.results().get(2).output()));
        operands.add(new Operand.Work(0));
        return new Action.Launch(
                name,
                code.toString(),
                (long) h.batch() * h.keyHeads() * tiling.blocks(h.keys()),
                Tiling.THREADS,
                tiling.bytes(type, h, true),
                operands);
    }

    private static String numbers(Tiling tiling) {
        return tiling.fragments() + ", " + tiling.together() + ", " + tiling.kept();
    }

    private static String mask(AttentionShape h) {
        return h.mask().isEmpty() ? "0" : "p3";
    }

    private static List<Operand> inputs(int n) {
        var operands = new ArrayList<Operand>();
        for (int i = 0; i < n; i++) operands.add(new Operand.In(i));
        return operands;
    }

    private static SourceLines gradientSizes(Kernel.AttendGrad k, List<DType> in) {
        var code = new SourceLines();
        sizes(code, k.heads(), in);
        place(code, "query", "QUERY_ROW", k.operands().get(0));
        place(code, "key", "KEY_ROW", k.operands().get(1));
        place(code, "value", "VALUE_ROW", k.operands().get(2));
        place(code, "result", "RESULT_ROW", k.operands().get(3));
        place(code, "dresult", "DRESULT_ROW", k.operands().get(4));
        place(code, "dquery", "DQUERY_ROW", k.results().get(0).view());
        place(code, "dkey", "DKEY_ROW", k.results().get(1).view());
        place(code, "dvalue", "DVALUE_ROW", k.results().get(2).view());
        return code.add("};");
    }

    /** Writes the structure that defines the sizes. */
    private static void sizes(SourceLines code, AttentionShape h, List<DType> in) {
        code.open("struct AttendSizes");
        code.constant("WIDTH", h.width());
        code.constant("VALUES", h.valueWidth());
        code.constant("QUERIES", h.queries());
        code.constant("KEYS", h.keys());
        code.constant("HEADS", h.heads());
        code.constant("GROUP", h.heads() / h.keyHeads());
        code.add("static const bool MASKED = %b;", !h.mask().isEmpty());
        code.add("static constexpr f32 SCALE = %s;", CudaSyntax.literal(DType.F32, h.scale()));
        var seen =
                h.causal()
                        ? "max(0, min(%d, i + (%d)))"
                                .formatted(h.keys(), h.keys() - h.queries() + 1)
                        : Integer.toString(h.keys());
        code.add("static __device__ __forceinline__ int seen(int i) { return %s; }", seen);
        // the first query that attends to a key
        var first =
                h.causal()
                        ? "max(0, min(%d, j - (%d)))".formatted(h.queries(), h.keys() - h.queries())
                        : "0";
        code.add("static __device__ __forceinline__ int first(int j) { return %s; }", first);
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

    private static void place(SourceLines code, String name, String row, View view) {
        code.add(
                "static __device__ __forceinline__ i64 %s(i64 b, i64 n) { return %dLL + b * %d + n"
                        + " * %d; }",
                name, view.offset(), view.stride(0), view.stride(1));
        code.add("static const i64 %s = %d;", row, view.stride(2));
    }
}
