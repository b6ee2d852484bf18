package dev.ebb.cuda.text;

import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Reductions. If the fastest axis is folded, lanes share a row ({@link RowLanes}); if it is kept,
 * each thread folds columns ({@link ColumnChunks}). Partial results go through the workspace to a
 * second launch: there are no atomics, and the order depends on the shape alone. Several bodies are
 * folded together, each with its own accumulator.
 */
final class FoldText {
    /** The most segments of a row that one thread combines. */
    private static final int FEW = 64;

    private final Kernel.Fold k;
    private final FoldGrid grid;
    private final List<DType> in;
    private final DType type;
    private final DType out;

    private FoldText(Kernel.Fold k, FoldGrid grid, List<DType> in, DType type, DType out) {
        this.k = k;
        this.grid = grid;
        this.in = in;
        this.type = type;
        this.out = out;
    }

    static Recipe recipe(Kernel.Fold k, List<DType> in, DType out) {
        long outputs = k.shape().reduce(k.axes(), true).size();
        if (outputs == 0) return Recipe.of();
        var type = k.bodies().getFirst().type(in);
        if (k.shape().size() == 0) return identity(k, type, out, outputs);
        var grid = new FoldGrid(k.shape(), k.axes(), k.operands(), in);
        var text = new FoldText(k, grid, in, type, out);
        return grid.isRows() ? text.rows() : text.columns();
    }

    private static Recipe identity(Kernel.Fold k, DType type, DType out, long outputs) {
        var actions = new ArrayList<Action>();
        for (int j = 0; j < k.bodies().size(); j++) {
            var code = new SourceLines();
            MapText.open(code, "fold", 256, 1, true);
            code.add("const num at = (num)blockIdx.x * 256 + threadIdx.x;");
            code.add(
                    "if (at < %d) ((%s*)p0)[at] = Down<%s>::of(%s);",
                    outputs,
                    CudaSyntax.stored(out),
                    CudaSyntax.stored(out),
                    CudaSyntax.identity(k.combine(), type));
            code.close();
            actions.add(MapText.launch(code, "fold", outputs, 256, List.of(new Operand.Out(j))));
        }
        return new Recipe(actions, 0);
    }

    private int bodies() {
        return k.bodies().size();
    }

    /** The name of the accumulator of body {@code j}. */
    private String sum(int j) {
        return bodies() == 1 ? "sum" : "sum" + j;
    }

    /**
     * Where the result of each body is stored: in its output if {@code whole}, else in {@code
     * bytes} of the workspace.
     */
    private List<Operand> targets(boolean whole, long bytes) {
        var all = new ArrayList<Operand>();
        for (int j = 0; j < bodies(); j++)
            all.add(whole ? new Operand.Out(j) : new Operand.Work(j * bytes));
        return all;
    }

    /** The bytes of {@code count} partial results, in the workspace. */
    private long partBytes(long count) {
        long bytes = type.bytes(count);
        return bodies() == 1 ? bytes : (bytes + 255) / 256 * 256;
    }

    private Recipe rows() {
        var lanes = new RowLanes(grid.folded().size());
        long rows = grid.kept().size();
        long segments = lanes.segments();
        long parts = rows * segments;
        boolean whole = segments == 1;
        var code = new SourceLines();
        MapText.open(code, "fold", lanes.threads(), grid.inputs() + bodies(), grid.isLarge());
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
            code.add("const num first = part %% %d * %d;", segments, RowLanes.SEGMENT);
            code.add(
                    "const num last = first + %d < %d ? first + %d : %d;",
                    RowLanes.SEGMENT, lanes.width(), RowLanes.SEGMENT, lanes.width());
        }
        grid.rowStarts(code);
        for (int j = 0; j < bodies(); j++)
            code.add(
                    "%s %s = %s;",
                    CudaSyntax.computed(type), sum(j), CudaSyntax.identity(k.combine(), type));
        code.add("#pragma unroll 8");
        code.open(
                "for (num c = first + lane * %d; c < last; c += %d)",
                RowLanes.GROUP, lanes.count() * RowLanes.GROUP);
        grid.group(code, lanes, in, false, value -> combine(code, value, ""));
        code.close();
        lanes.join(
                code,
                IntStream.range(0, bodies())
                        .mapToObj(j -> new RowLanes.Partial(k.combine(), type, sum(j)))
                        .toList());
        var to = whole ? out : type;
        for (int j = 0; j < bodies(); j++)
            code.add(
                    "if (lane == 0) ((%s*)p%d)[part] = Down<%s>::of(%s);",
                    CudaSyntax.stored(to), grid.inputs() + j, CudaSyntax.stored(to), sum(j));
        code.close();
        long bytes = partBytes(parts);
        var actions = new ArrayList<Action>();
        actions.add(
                new Action.Launch(
                        "fold",
                        code.toString(),
                        MapText.blocks(parts, lanes.rows()),
                        lanes.threads(),
                        0,
                        grid.operands(targets(whole, bytes))));
        if (whole) return new Recipe(actions, 0);
        if (segments > FEW)
            return foldedAgain(actions, Shape.of(toInt(rows), toInt(segments)), bytes);
        for (int j = 0; j < bodies(); j++)
            actions.add(segments(rows, segments, new Operand.Work(j * bytes), new Operand.Out(j)));
        return new Recipe(actions, bodies() * bytes);
    }

    private static int toInt(long x) {
        return Math.toIntExact(x);
    }

    /**
     * Combines the many segments of every row: folds of the partial results, {@code parts} of each
     * body, which {@code first} writes into {@code bytes} of the workspace.
     */
    private Recipe foldedAgain(List<Action> first, Shape parts, long bytes) {
        var fold =
                new Kernel.Fold(
                        parts,
                        List.of(1),
                        k.combine(),
                        List.of(View.contiguous(parts)),
                        Scalar.arg(0));
        var again = recipe(fold, List.of(type), out);
        long used = (bodies() * bytes + 255) / 256 * 256;
        var actions = new ArrayList<>(first);
        for (int j = 0; j < bodies(); j++)
            for (var action : again.actions())
                actions.add(foldedAgain((Action.Launch) action, j, bytes, used));
        return new Recipe(actions, used + again.workspaceBytes());
    }

    /** A launch that folds the partial results of body {@code j}, with workspace of its own. */
    private static Action foldedAgain(Action.Launch launch, int j, long bytes, long used) {
        return launch.on(
                launch.operands().stream()
                        .map(
                                o ->
                                        switch (o) {
                                            case Operand.In _ -> new Operand.Work(j * bytes);
                                            case Operand.Out _ -> new Operand.Out(j);
                                            case Operand.Work(long at) ->
                                                    new Operand.Work(used + at);
                                            case Operand.Fault _, Operand.Node _ -> o;
                                        })
                        .toList());
    }

    /** Combines an element of every body with its accumulator; {@code at} is an index. */
    private void combine(SourceLines code, Expression value, String at) {
        for (int j = 0; j < bodies(); j++)
            code.add(
                    "%s%s = %s(%s%s, %s);",
                    sum(j),
                    at,
                    CudaSyntax.combine(k.combine()),
                    sum(j),
                    at,
                    value.value(k.bodies().get(j)));
    }

    /** Combines the segments of every row, in order. */
    private Action segments(long rows, long segments, Operand from, Operand to) {
        var code = new SourceLines();
        var t = CudaSyntax.computed(type);
        MapText.open(code, "segments", 128, 2, true);
        MapText.each(code, "row", 128, rows);
        code.add("const %s* const part = (const %s*)p0 + row * %d;", t, t, segments);
        code.add("%s sum = part[0];", t);
        code.add("#pragma unroll 16");
        code.add(
                "for (int s = 1; s < %d; s++) sum = %s(sum, part[s]);",
                segments, CudaSyntax.combine(k.combine()));
        code.add(
                "((%s*)p1)[row] = Down<%s>::of(sum);",
                CudaSyntax.stored(out), CudaSyntax.stored(out));
        code.close();
        return MapText.launch(code, "segments", rows, 128, List.of(from, to));
    }

    private Recipe columns() {
        long columns = grid.kept().size();
        var chunks = ColumnChunks.plain(grid.folded().size(), columns);
        boolean whole = chunks.count() == 1;
        int width = grid.columnsTogether();
        long groups = columns / width;
        long threads = groups * chunks.count();
        var t = CudaSyntax.computed(type);
        var code = new SourceLines();
        MapText.open(code, "fold", 128, grid.inputs() + bodies(), grid.isLarge());
        MapText.each(code, "at", 128, threads);
        code.add("const num row = at %% %d * %d;", groups, width);
        code.add("const num first = at / %d * %d;", groups, chunks.height());
        code.add(
                "const num last = first + %d < %d ? first + %d : %d;",
                chunks.height(), chunks.rows(), chunks.height(), chunks.rows());
        grid.columnStarts(code, width);
        for (int j = 0; j < bodies(); j++) {
            code.add("%s %s[%d];", t, sum(j), width);
            code.add("#pragma unroll");
            code.add(
                    "for (int e = 0; e < %d; e++) %s[e] = %s;",
                    width, sum(j), CudaSyntax.identity(k.combine(), type));
        }
        code.add("#pragma unroll 8");
        code.open("for (num c = first; c < last; c++)");
        grid.columns(code, width, value -> combine(code, value, "[e]"));
        code.close();
        var to = CudaSyntax.stored(whole ? out : type);
        for (int j = 0; j < bodies(); j++) {
            var packed = bodies() == 1 ? "r" : "r" + j;
            code.add("Pack<%s, %d> %s;", to, width, packed);
            code.add("#pragma unroll");
            code.add(
                    "for (int e = 0; e < %d; e++) %s.at[e] = Down<%s>::of(%s[e]);",
                    width, packed, to, sum(j));
            code.add(
                    "store<%d>((%s*)p%d + at * %d, %s);",
                    width, to, grid.inputs() + j, width, packed);
        }
        code.close();
        long bytes = partBytes(columns * chunks.count());
        var actions = new ArrayList<Action>();
        actions.add(
                MapText.launch(code, "fold", threads, 128, grid.operands(targets(whole, bytes))));
        if (whole) return new Recipe(actions, 0);
        var totals = new ArrayList<ColumnChunks.Totals>();
        for (int j = 0; j < bodies(); j++)
            totals.add(
                    new ColumnChunks.Totals(
                            k.combine(),
                            type,
                            out,
                            new Operand.Work(j * bytes),
                            new Operand.Out(j)));
        actions.addAll(chunks.join(totals));
        return new Recipe(actions, bodies() * bytes);
    }
}
