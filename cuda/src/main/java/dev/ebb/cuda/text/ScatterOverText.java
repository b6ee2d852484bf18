package dev.ebb.cuda.text;

import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;

/**
 * Scatters that overwrite: each element is written to the position given by its index. Along the
 * axes on which the target's offset depends, positions are distinct: one thread takes each and
 * writes its elements in the order of the source, so that the last one remains.
 */
final class ScatterOverText {
    private static final int THREADS = 128;

    private ScatterOverText() {}

    static Recipe recipe(Kernel.Scatter k, DType index, DType type) {
        if (k.size() == 0) return Recipe.of();
        var actions = new ArrayList<Action>();
        var whole = Shape.of(Math.toIntExact(k.size()));
        var own = View.contiguous(whole);
        var data = new Operand.In(0);
        var out = new Operand.Out(0);
        actions.add(new Action.Unless(data, out, MoveText.copy(whole, type, own, own, data, out)));
        if (k.shape().size() > 0) actions.add(places(k, index, type));
        return new Recipe(actions, 0);
    }

    private static Action places(Kernel.Scatter k, DType index, DType type) {
        var views = List.of(k.target(), k.index(), k.source());
        var moving = new ArrayList<Integer>();
        var still = new ArrayList<Integer>();
        for (int d = 0; d < k.shape().rank(); d++)
            (k.target().stride(d) != 0 ? moving : still).add(d);
        var kept = Axes.of(k.shape(), views, moving);
        var rest = Axes.of(k.shape(), views, still);
        boolean large = k.size() > Integer.MAX_VALUE / 2 || CudaSyntax.isLarge(k.shape(), views);
        var code = new SourceLines();
        MapText.open(code, "scatter_over", THREADS, 5, large);
        MapText.each(code, "column", THREADS, kept.size());
        kept.split(code, "column", "ci");
        starts(code, kept, views, "c", "");
        code.open("for (num s = 0; s < %d; s++)", rest.size());
        rest.split(code, "s", "ri");
        starts(code, rest, views, "r", "c");
        code.add(
                "const i64 place = within(((const %s*)p0)[r1], %d, (i64*)p3, (i64)p4);",
                CudaSyntax.stored(index), k.bound());
        write(code, k, type);
        code.close();
        code.close();
        return MapText.launch(
                code,
                "scatter_over",
                kept.size(),
                THREADS,
                List.of(
                        new Operand.In(1),
                        new Operand.In(2),
                        new Operand.Out(0),
                        new Operand.Fault(),
                        new Operand.Node()));
    }

    private static void starts(
            SourceLines code, Axes axes, List<View> views, String prefix, String of) {
        for (int v = 0; v < 3; v++) {
            var start = of.isEmpty() ? Long.toString(views.get(v).offset()) : of + v;
            code.add("const ofs %s%d = %s;", prefix, v, axes.offset(v, start, prefix + "i"));
        }
    }

    private static void write(SourceLines code, Kernel.Scatter k, DType type) {
        var raw = CudaSyntax.raw(type);
        var t = CudaSyntax.stored(type);
        switch (k.write()) {
            case ADD -> throw new IllegalStateException(k + " adds to zeros");
            case SET ->
                    code.add(
                            "((%s*)p2)[r0 + place * %d] = ((const %s*)p1)[r2];",
                            raw, k.stride(), raw);
            case MAX -> extreme(code, k, t, "maximum");
            case MIN -> extreme(code, k, t, "minimum");
        }
    }

    private static void extreme(SourceLines code, Kernel.Scatter k, String type, String name) {
        code.add("%s* const to = (%s*)p2 + r0 + place * %d;", type, type, k.stride());
        code.add("*to = Down<%s>::of(%s(up(*to), up(((const %s*)p1)[r2])));", type, name, type);
    }
}
