package dev.ebb.cuda.text;

import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Scalar;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * {@code Rows} kernels: rows, their numbers and all results in one launch. The lanes of a row keep
 * its elements in registers if they fit, so that a norm or a softmax reads memory once; wider rows
 * are read again for every number and once for all results. Folds have the order of {@link
 * RowLanes}, columns that of {@link ColumnChunks}.
 */
final class RowsText {
    private final Kernel.Rows k;
    private final List<DType> in;
    private final List<DType> types;
    private final List<DType> out;
    private final FoldGrid grid;
    private final RowLanes lanes;
    private final SourceLines code = new SourceLines();
    private final RowElements row;
    private final RowNumbers numbers;
    private final RowColumns columns;

    private RowsText(Kernel.Rows k, List<DType> in, List<DType> out) {
        this.k = k;
        this.in = in;
        this.out = out;
        types = k.types(in);
        var axes = IntStream.range(k.leading(), k.shape().rank()).boxed().toList();
        grid = new FoldGrid(k.shape(), axes, k.operands(), in);
        lanes = new RowLanes(k.width());
        row = new RowElements(grid, lanes, in, types, code);
        numbers = new RowNumbers(k, types, grid, lanes, row, code);
        columns = new RowColumns(k, types, out, lanes, code);
    }

    static Recipe recipe(Kernel.Rows k, List<DType> in, List<DType> out) {
        if (k.shape().size() == 0) return empty(k, in, out);
        var text = new RowsText(k, in, out);
        return text.columns.outputs().isEmpty() ? text.rows() : text.chunks();
    }

    /** The results of no elements: numbers of rows without elements, columns without rows. */
    private static Recipe empty(Kernel.Rows k, List<DType> in, List<DType> out) {
        if (out.size() == 1) return empty(k, 0, in, out.getFirst());
        var actions = new ArrayList<Action>();
        for (int i = 0; i < out.size(); i++) {
            var recipe = empty(k, i, in, out.get(i));
            for (var action : recipe.actions()) actions.add(to(i, (Action.Launch) action));
        }
        return Recipe.of(actions.toArray(Action[]::new));
    }

    private static Recipe empty(Kernel.Rows k, int result, List<DType> in, DType out) {
        return switch (k.results().get(result)) {
            case RowParts.RowNumber number when k.outer().size() > 0 ->
                    new RowsText(
                                    new Kernel.Rows(
                                            k.shape(),
                                            k.leading(),
                                            k.operands(),
                                            k.numbers(),
                                            number),
                                    in,
                                    List.of(out))
                            .rows();
            case RowParts.Columns(var combine, var body) when k.outer().size() == 0 -> {
                var fold =
                        new Kernel.Fold(
                                k.shape(),
                                IntStream.range(0, k.leading()).boxed().toList(),
                                combine,
                                List.of(),
                                new Scalar.Lit(body.type(k.types(in)), 0));
                yield FoldText.recipe(fold, List.of(), out);
            }
            case RowParts.RowNumber _, RowParts.Columns _, RowParts.Elements _ -> Recipe.of();
        };
    }

    /** The launch of a kernel with one output, writing output {@code index} instead. */
    private static Action.Launch to(int index, Action.Launch l) {
        return l.on(
                l.operands().stream()
                        .map(o -> o instanceof Operand.Out ? new Operand.Out(index) : o)
                        .toList());
    }

    private void open() {
        MapText.open(code, "rows", lanes.threads(), in.size() + out.size(), grid.isLarge());
        code.add("const u32 lane = threadIdx.x %% %d;", lanes.count());
    }

    /**
     * Writes the number of the part that these lanes process; threads beyond the last part return.
     */
    private void part(String name, long parts) {
        if (lanes.rows() == 1) {
            code.add("const num %s = blockIdx.x;", name);
        } else {
            code.add(
                    "const num %s = (num)blockIdx.x * %d + threadIdx.x / %d;",
                    name, lanes.rows(), lanes.count());
            code.add("if (%s >= %d) return;", name, parts);
        }
    }

    /** Kernels without results over columns: rows are independent. */
    private Recipe rows() {
        long rows = k.outer().size();
        open();
        part("row", rows);
        grid.rowStarts(code);
        row.start();
        numbers.compute();
        results();
        code.close();
        long blocks = MapText.blocks(rows, lanes.rows());
        return Recipe.of(
                launch(blocks, IntStream.range(0, out.size()).boxed().toList(), List.of()));
    }

    /**
     * @param direct the outputs that are written; all others are written as totals of chunks into
     *     {@code work}, in order
     */
    private Action launch(long blocks, List<Integer> direct, List<Operand> work) {
        var targets = new ArrayList<Operand>();
        int next = 0;
        for (int i = 0; i < out.size(); i++)
            targets.add(direct.contains(i) ? new Operand.Out(i) : work.get(next++));
        return new Action.Launch(
                "rows", code.toString(), blocks, lanes.threads(), 0, grid.operands(targets));
    }

    /** Writes the results of {@code row}; columns are added to their totals. */
    private void results() {
        boolean packed = lanes.width() % RowLanes.GROUP == 0;
        boolean visits = false;
        for (int i = 0; i < out.size(); i++) {
            var to = CudaSyntax.stored(out.get(i));
            if (k.results().get(i) instanceof RowParts.RowNumber(int index))
                code.add(
                        "if (lane == 0) ((%s*)p%d)[row] = Down<%s>::of(n%d);",
                        to, in.size() + i, to, index);
            else visits = true;
        }
        if (!visits) return;
        row.groups(
                isQuick(),
                () -> {
                    for (int i = 0; i < out.size(); i++) beforeGroup(i, packed);
                },
                values -> {
                    for (int i = 0; i < out.size(); i++) visit(i, values, packed);
                },
                () -> {
                    for (int i = 0; i < out.size(); i++) afterGroup(i, packed);
                });
    }

    private void beforeGroup(int i, boolean packed) {
        switch (k.results().get(i)) {
            case RowParts.Elements _ -> {
                if (packed)
                    code.add("Pack<%s, %d> r%d;", CudaSyntax.stored(out.get(i)), RowLanes.GROUP, i);
            }
            case RowParts.Columns _ -> columns.before(i);
            case RowParts.RowNumber _ -> {}
        }
    }

    private void afterGroup(int i, boolean packed) {
        switch (k.results().get(i)) {
            case RowParts.Elements _ -> {
                if (packed)
                    code.add(
                            "store<%d>((%s*)p%d + row * %d + c, r%d);",
                            RowLanes.GROUP,
                            CudaSyntax.stored(out.get(i)),
                            in.size() + i,
                            lanes.width(),
                            i);
            }
            case RowParts.Columns _ -> columns.after(i);
            case RowParts.RowNumber _ -> {}
        }
    }

    /** Whether everything that is computed element by element is stored in sixteen bits. */
    private boolean isQuick() {
        return IntStream.range(0, out.size())
                .filter(i -> !(k.results().get(i) instanceof RowParts.RowNumber))
                .allMatch(i -> out.get(i) == DType.BF16 || out.get(i) == DType.F16);
    }

    private void visit(int i, Expression values, boolean packed) {
        var to = CudaSyntax.stored(out.get(i));
        switch (k.results().get(i)) {
            case RowParts.Elements(var body) -> {
                var result = "Down<" + to + ">::of(" + values.value(body) + ")";
                if (packed) code.add("r%d.at[e] = %s;", i, result);
                else
                    code.add(
                            "((%s*)p%d)[row * %d + x] = %s;",
                            to, in.size() + i, lanes.width(), result);
            }
            case RowParts.Columns(_, var body) -> columns.visit(i, values.value(body));
            case RowParts.RowNumber _ -> {}
        }
    }

    /**
     * Kernels with results over columns: the same lanes process the rows of a chunk one after the
     * other, or those of a strip of it.
     */
    private Recipe chunks() {
        long rows = k.outer().size();
        var chunks = columns.chunks();
        open();
        if (chunks.strips() > 1) {
            code.add("const num chunk = blockIdx.x;");
            code.add("const u32 strip = threadIdx.x / %d;", lanes.count());
            code.add("num row = chunk * %d + strip * %d;", chunks.height(), chunks.strip());
        } else {
            part("chunk", chunks.count());
            code.add("num row = chunk * %d;", chunks.height());
        }
        columns.declare();
        code.add(
                "const num end = row + %d < %d ? row + %d : %d;",
                chunks.strip(), rows, chunks.strip(), rows);
        code.open("for (; row < end; row++)");
        grid.rowStarts(code);
        row.start();
        numbers.compute();
        results();
        code.close();
        columns.write();
        code.close();
        var direct = new ArrayList<>(IntStream.range(0, out.size()).boxed().toList());
        if (!columns.whole()) direct.removeAll(columns.outputs());
        var work = columns.totals().stream().map(ColumnChunks.Totals::from).toList();
        var actions = new ArrayList<Action>();
        long blocks =
                chunks.strips() > 1 ? chunks.count() : MapText.blocks(chunks.count(), lanes.rows());
        actions.add(launch(blocks, direct, work));
        actions.addAll(columns.joins());
        return new Recipe(actions, columns.workspaceBytes());
    }
}
