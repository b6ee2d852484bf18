package dev.ebb.cuda.text;

import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;

import java.util.ArrayList;
import java.util.List;

/**
 * Reductions. If the fastest axis is folded, lanes share a row ({@link Lanes}); if it is kept, each
 * thread folds columns ({@link Chunks}). Partial results go through the workspace to a second
 * launch: there are no atomics, and the order depends on the shape alone.
 */
final class FoldText {
    private FoldText() {}

    static Recipe recipe(Kernel.Fold k, List<DType> in, DType out) {
        long outputs = k.shape().reduce(k.axes(), true).size();
        if (outputs == 0) return Recipe.of();
        var type = k.body().type(in);
        if (k.shape().size() == 0) return identity(k, type, out, outputs);
        var grid = new FoldGrid(k.shape(), k.axes(), k.operands(), in);
        return grid.isRows() ? rows(k, grid, in, type, out) : columns(k, grid, type, out);
    }

    private static Recipe identity(Kernel.Fold k, DType type, DType out, long outputs) {
        var code = new Lines();
        MapText.open(code, "fold", 256, 1, true);
        code.add("const num at = (num)blockIdx.x * 256 + threadIdx.x;");
        code.add(
                "if (at < %d) ((%s*)p0)[at] = Down<%s>::of(%s);",
                outputs, Words.stored(out), Words.stored(out), Words.identity(k.combine(), type));
        code.close();
        return Recipe.of(
                new Action.Launch(
                        "fold",
                        code.toString(),
                        MapText.blocks(outputs, 256),
                        256,
                        0,
                        List.of(new Operand.Out(0))));
    }

    private static Recipe rows(
            Kernel.Fold k, FoldGrid grid, List<DType> in, DType type, DType out) {
        var lanes = new Lanes(grid.folded().size());
        long rows = grid.kept().size();
        long segments = lanes.segments();
        long parts = rows * segments;
        boolean whole = segments == 1;
        var code = new Lines();
        MapText.open(code, "fold", lanes.threads(), grid.inputs() + 1, grid.isLarge());
        if (lanes.rows() > 1) {
            code.add(
                    "const num part = (num)blockIdx.x * %d + threadIdx.x / %d;",
                    lanes.rows(), lanes.count());
            code.add("if (part >= %d) return;", parts);
        } else {
            code.add("const num part = blockIdx.x;");
        }
        code.add("const u32 lane = threadIdx.x %% %d;", lanes.count());
        if (whole) {
            code.add("const num row = part;");
            code.add("const num first = 0, last = %d;", lanes.width());
        } else {
            code.add("const num row = part / %d;", segments);
            code.add("const num first = part %% %d * %d;", segments, Lanes.SEGMENT);
            code.add(
                    "const num last = first + %d < %d ? first + %d : %d;",
                    Lanes.SEGMENT, lanes.width(), Lanes.SEGMENT, lanes.width());
        }
        grid.rowStarts(code);
        code.add("%s sum = %s;", Words.computed(type), Words.identity(k.combine(), type));
        code.add("#pragma unroll 8");
        code.open(
                "for (num c = first + lane * %d; c < last; c += %d)",
                Lanes.GROUP, lanes.count() * Lanes.GROUP);
        grid.group(
                code,
                lanes,
                in,
                value ->
                        code.add(
                                "sum = %s(sum, %s);",
                                Words.combine(k.combine()), value.value(k.body())));
        code.close();
        lanes.join(code, k.combine(), type, "sum");
        var to = whole ? out : type;
        code.add(
                "if (lane == 0) ((%s*)p%d)[part] = Down<%s>::of(sum);",
                Words.stored(to), grid.inputs(), Words.stored(to));
        code.close();
        var target = whole ? new Operand.Out(0) : (Operand) new Operand.Work(0);
        var first =
                new Action.Launch(
                        "fold",
                        code.toString(),
                        MapText.blocks(parts, lanes.rows()),
                        lanes.threads(),
                        0,
                        grid.operands(target));
        if (whole) return Recipe.of(first);
        return new Recipe(
                List.of(first, segments(k.combine(), type, out, rows, segments)),
                type.bytes(parts));
    }

    /** Combines the segments of every row, in order. */
    private static Action segments(
            Kernel.Combine combine, DType type, DType out, long rows, long segments) {
        var code = new Lines();
        var t = Words.computed(type);
        MapText.open(code, "segments", 128, 2, true);
        code.add("const num row = (num)blockIdx.x * 128 + threadIdx.x;");
        code.add("if (row >= %d) return;", rows);
        code.add("const %s* const part = (const %s*)p0 + row * %d;", t, t, segments);
        code.add("%s sum = part[0];", t);
        code.add("#pragma unroll 16");
        code.add(
                "for (int s = 1; s < %d; s++) sum = %s(sum, part[s]);",
                segments, Words.combine(combine));
        code.add("((%s*)p1)[row] = Down<%s>::of(sum);", Words.stored(out), Words.stored(out));
        code.close();
        return new Action.Launch(
                "segments",
                code.toString(),
                MapText.blocks(rows, 128),
                128,
                0,
                List.of(new Operand.Work(0), new Operand.Out(0)));
    }

    private static Recipe columns(Kernel.Fold k, FoldGrid grid, DType type, DType out) {
        long columns = grid.kept().size();
        var chunks = Chunks.plain(grid.folded().size(), columns);
        boolean whole = chunks.count() == 1;
        int width = grid.columnsTogether();
        long groups = columns / width;
        long threads = groups * chunks.count();
        var t = Words.computed(type);
        var code = new Lines();
        MapText.open(code, "fold", 128, grid.inputs() + 1, grid.isLarge());
        code.add("const num at = (num)blockIdx.x * 128 + threadIdx.x;");
        code.add("if (at >= %d) return;", threads);
        code.add("const num row = at %% %d * %d;", groups, width);
        code.add("const num first = at / %d * %d;", groups, chunks.height());
        code.add(
                "const num last = first + %d < %d ? first + %d : %d;",
                chunks.height(), chunks.rows(), chunks.height(), chunks.rows());
        grid.columnStarts(code, width);
        code.add("%s sum[%d];", t, width);
        code.add("#pragma unroll");
        code.add(
                "for (int e = 0; e < %d; e++) sum[e] = %s;",
                width, Words.identity(k.combine(), type));
        code.add("#pragma unroll 8");
        code.open("for (num c = first; c < last; c++)");
        grid.columns(
                code,
                width,
                value ->
                        code.add(
                                "sum[e] = %s(sum[e], %s);",
                                Words.combine(k.combine()), value.value(k.body())));
        code.close();
        var to = Words.stored(whole ? out : type);
        code.add("Pack<%s, %d> r;", to, width);
        code.add("#pragma unroll");
        code.add("for (int e = 0; e < %d; e++) r.at[e] = Down<%s>::of(sum[e]);", width, to);
        code.add("store<%d>((%s*)p%d + at * %d, r);", width, to, grid.inputs(), width);
        code.close();
        var target = whole ? new Operand.Out(0) : (Operand) new Operand.Work(0);
        var actions = new ArrayList<Action>();
        actions.add(
                new Action.Launch(
                        "fold",
                        code.toString(),
                        MapText.blocks(threads, 128),
                        128,
                        0,
                        grid.operands(target)));
        if (!whole) actions.add(chunks.join(k.combine(), type, out));
        return new Recipe(actions, whole ? 0 : type.bytes(columns * chunks.count()));
    }
}
