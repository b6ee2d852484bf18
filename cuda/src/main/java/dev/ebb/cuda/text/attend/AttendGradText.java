package dev.ebb.cuda.text.attend;

import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.cuda.text.CudaSyntax;
import dev.ebb.cuda.text.MapText;
import dev.ebb.ir.AttentionShape;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;

import java.util.ArrayList;
import java.util.List;

/**
 * The gradients of attention for any type, width and mask. Every probability is computed twice,
 * once for its query's row and once for its key's, so that no two warps add to the same element.
 */
public final class AttendGradText extends AttendWarps {
    private AttendGradText(AttentionShape h, List<DType> in) {
        super(h, in);
    }

    public static Recipe backward(Kernel.AttendGrad k, List<DType> in, List<DType> out) {
        var h = k.heads();
        var actions = new ArrayList<Action>();
        long rows = (long) h.batch() * h.heads() * h.queries();
        if (rows > 0) actions.add(new AttendGradText(h, in).queries(k, out));
        if ((long) h.batch() * h.keyHeads() * h.keys() > 0)
            actions.add(new AttendGradText(h, in).keys(k, out));
        return new Recipe(actions, in.getFirst().compute().bytes(rows));
    }

    /**
     * The gradient of every query, and the dot product of each query's output with its cotangent.
     */
    private Action queries(Kernel.AttendGrad k, List<DType> out) {
        int w = h.width();
        int vw = h.valueWidth();
        int n = in.size();
        int rest = 3 + masks();
        var views = k.operands();
        var keyHead = "(n / %d)".formatted(h.heads() / h.keyHeads());
        var zero = CudaSyntax.literal(in.getFirst(), 0);
        open("attend_queries", n + 2, h.heads(), h.queries());
        code.add("const ofs n = head;");
        code.add("const int i = row;");
        tile("keys", w, 0);
        tile("values", vw, 32 * (w + 1));
        int at = 32 * (w + 1) + 32 * (vw + 1);
        own("query", 0, w, views.get(0), "n", at);
        own("dout", rest + 1, vw, views.get(4), "n", at + WARPS * w);
        code.add("__syncwarp();");
        // summed in the order of dp, so that a query with a single key has a gradient of exactly
        // zero
        code.add("%s inner = %s;", type, zero);
        code.add(
                "for (int d = 0; d < %d; d++) inner = multiply_add(%s, %s, inner);",
                vw,
                own("dout", "d"),
                MapText.element(in.get(rest), "p" + rest, row(views.get(3), "n", "row") + " + d"));
        code.add("const ofs number = (b * %d + n) * %d + i;", h.heads(), h.queries());
        code.add("if (lane == 0 && own == row) ((%s*)p%d)[number] = inner;", type, n + 1);
        code.add(
                "const %s logsum = %s;",
                type, MapText.element(in.getLast(), "p" + (n - 1), "number"));
        code.add(
                "const int seen = logsum == %s ? 0 : %s;",
                CudaSyntax.literal(in.getFirst(), Double.NEGATIVE_INFINITY), visible("i"));
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
                CudaSyntax.literal(in.getFirst(), h.scale()));
        code.close();
        accumulate("total", "ds", "keys", w);
        code.close();
        code.add("if (own != row) return;");
        var place = k.results().get(0);
        results("total", n, out.get(place.output()), w, place.view(), "n", "$");
        code.close();
        int bytes = shared(at + WARPS * (w + vw));
        return launch(
                "attend_queries",
                operands(new Operand.Out(place.output()), new Operand.Work(0)),
                h.heads(),
                h.queries(),
                bytes);
    }

    /**
     * The gradients of every key and value, summed over all queries of all heads that read them.
     */
    private Action keys(Kernel.AttendGrad k, List<DType> out) {
        int w = h.width();
        int vw = h.valueWidth();
        int n = in.size();
        int rest = 3 + masks();
        int group = h.heads() / h.keyHeads();
        var views = k.operands();
        var zero = CudaSyntax.literal(in.getFirst(), 0);
        open("attend_keys", n + 3, h.keyHeads(), h.keys());
        code.add("const int j = row;");
        tile("queries", w, 0);
        tile("douts", vw, 32 * (w + 1));
        int at = 32 * (w + 1) + 32 * (vw + 1);
        own("key", 1, w, views.get(1), "head", at);
        own("value", 2, vw, views.get(2), "head", at + WARPS * w);
        totals("dkey", w);
        totals("dvalue", vw);
        // the first query that attends to the block's first key; earlier queries attend to none of
        // them
        var start =
                h.causal()
                        ? "max(0, top - %d) / 32 * 32"
                                .formatted(Math.max(0, h.keys() - h.queries()))
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
        code.open("if (logsum != %s)", CudaSyntax.literal(in.getFirst(), Double.NEGATIVE_INFINITY));
        code.add("%s s;", type);
        score("dot");
        code.add("p = fn_exp(s - logsum);");
        code.add(
                "ds = p * (dp - ((const %s*)p%d)[number]) * %s;",
                type, n + 2, CudaSyntax.literal(in.getFirst(), h.scale()));
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
        int bytes = shared(at + WARPS * (w + vw));
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
