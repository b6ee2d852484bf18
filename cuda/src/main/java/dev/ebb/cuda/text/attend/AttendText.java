package dev.ebb.cuda.text.attend;

import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.cuda.text.CudaSyntax;
import dev.ebb.ir.AttentionShape;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;

import java.util.List;

/** Attention for any type, width and mask: one warp per query, thirty-two keys at a time. */
public final class AttendText extends AttendWarps {
    private AttendText(AttentionShape h, List<DType> in) {
        super(h, in);
    }

    public static Recipe forward(Kernel.Attend k, List<DType> in, List<DType> out) {
        var h = k.heads();
        if ((long) h.batch() * h.heads() * h.queries() == 0) return Recipe.of();
        return Recipe.of(new AttendText(h, in).forward(k, out));
    }

    private Action forward(Kernel.Attend k, List<DType> out) {
        int w = h.width();
        int vw = h.valueWidth();
        int n = in.size();
        var keyHead = "(n / %d)".formatted(h.heads() / h.keyHeads());
        var zero = CudaSyntax.literal(in.getFirst(), 0);
        var least = CudaSyntax.literal(in.getFirst(), Double.NEGATIVE_INFINITY);
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
        code.add(
                "const int end = %s;",
                visible("min(top + %d, %d)".formatted(WARPS - 1, h.queries() - 1)));
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
        results(
                "total",
                n,
                out.get(0),
                vw,
                k.out(),
                "n",
                "sum == %s ? %s : $ / sum".formatted(zero, zero));
        code.add(
                "if (lane == 0) ((%s*)p%d)[(b * %d + n) * %d + i] = Down<%s>::of(sum == %s ? %s :"
                        + " most + fn_log(sum));",
                CudaSyntax.stored(out.get(1)),
                n + 1,
                h.heads(),
                h.queries(),
                CudaSyntax.stored(out.get(1)),
                zero,
                least);
        code.close();
        int bytes = shared(at + WARPS * w);
        return launch(
                "attend",
                operands(new Operand.Out(0), new Operand.Out(1)),
                h.heads(),
                h.queries(),
                bytes);
    }
}
