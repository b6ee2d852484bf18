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

    private RowsText(Kernel.Rows k, List<DType> in, List<DType> out) {
        this.k = k;
        this.in = in;
        this.out = out;
        types = k.types(in);
        var axes = IntStream.range(k.leading(), k.shape().rank()).boxed().toList();
        grid = new FoldGrid(k.shape(), axes, k.operands(), in);
        lanes = new RowLanes(k.width());
        row = new RowElements(grid, lanes, in, types, code);
    }

    static Recipe recipe(Kernel.Rows k, List<DType> in, List<DType> out) {
        if (k.shape().size() == 0) return empty(k, in, out);
        var text = new RowsText(k, in, out);
        return k.results().stream().anyMatch(r -> r instanceof RowParts.Columns)
                ? text.chunks()
                : text.rows();
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
        var operands =
                l.operands().stream()
                        .map(o -> o instanceof Operand.Out ? new Operand.Out(index) : o)
                        .toList();
        return new Action.Launch(
                l.name(), l.text(), l.blocks(), l.threads(), l.sharedBytes(), operands);
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
        numbers();
        results();
        code.close();
        return Recipe.of(launch(rows, IntStream.range(0, out.size()).boxed().toList(), List.of()));
    }

    /**
     * @param direct the outputs that are written; all others are written as totals of chunks into
     *     {@code work}, in order
     */
    private Action launch(long parts, List<Integer> direct, List<Operand> work) {
        var targets = new ArrayList<Operand>();
        int next = 0;
        for (int i = 0; i < out.size(); i++)
            targets.add(direct.contains(i) ? new Operand.Out(i) : work.get(next++));
        return new Action.Launch(
                "rows",
                code.toString(),
                MapText.blocks(parts, lanes.rows()),
                lanes.threads(),
                0,
                grid.operands(targets));
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
                    for (int i = 0; i < out.size(); i++)
                        if (packed && k.results().get(i) instanceof RowParts.Elements)
                            code.add(
                                    "Pack<%s, %d> r%d;",
                                    CudaSyntax.stored(out.get(i)), RowLanes.GROUP, i);
                },
                values -> {
                    for (int i = 0; i < out.size(); i++) visit(i, values, packed);
                },
                () -> {
                    for (int i = 0; i < out.size(); i++)
                        if (packed && k.results().get(i) instanceof RowParts.Elements)
                            code.add(
                                    "store<%d>((%s*)p%d + row * %d + c, r%d);",
                                    RowLanes.GROUP,
                                    CudaSyntax.stored(out.get(i)),
                                    in.size() + i,
                                    lanes.width(),
                                    i);
                });
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
            case RowParts.Columns(var combine, var body) -> {
                var total = "total" + i + (isInRegisters() ? "[j][e]" : "[x]");
                code.add(
                        "%s = %s(%s, %s);",
                        total, CudaSyntax.combine(combine), total, values.value(body));
            }
            case RowParts.RowNumber _ -> {}
        }
    }

    /** Whether the partial results of a chunk's columns are in registers. */
    private boolean isInRegisters() {
        return lanes.segments() == 1;
    }

    /**
     * Kernels with results over columns: the same lanes process the rows of a chunk one after the
     * other.
     */
    private Recipe chunks() {
        long rows = k.outer().size();
        var chunks = ColumnChunks.afterNumbers(rows, lanes.width());
        boolean whole = chunks.count() == 1 && isInRegisters();
        var columns = columns();
        open();
        part("chunk", chunks.count());
        for (int i : columns) total(i);
        code.add(
                "const num end = chunk * %d + %d < %d ? chunk * %d + %d : %d;",
                chunks.height(), chunks.height(), rows, chunks.height(), chunks.height(), rows);
        int totals =
                isInRegisters()
                        ? columns.size() * lanes.groups() * RowLanes.GROUP * Float.BYTES
                        : 0;
        boolean ahead = row.fitsTwice(totals);
        if (ahead) row.startAhead("chunk * " + chunks.height());
        code.open("for (num row = chunk * %d; row < end; row++)", chunks.height());
        if (ahead) row.next();
        grid.rowStarts(code);
        if (!ahead) row.start();
        numbers();
        results();
        code.close();
        if (isInRegisters()) for (int i : columns) write(i, whole ? out.get(i) : type(i));
        code.close();
        return joined(chunks, whole);
    }

    /** The launch, followed by the launches that combine the chunks of each result over columns. */
    private Recipe joined(ColumnChunks chunks, boolean whole) {
        var direct = new ArrayList<>(IntStream.range(0, out.size()).boxed().toList());
        if (!whole) direct.removeAll(columns());
        var work = new ArrayList<Operand>();
        var totals = new ArrayList<ColumnChunks.Totals>();
        long bytes = 0;
        for (int i : columns()) {
            if (whole) continue;
            var from = new Operand.Work(bytes);
            var combine = ((RowParts.Columns) k.results().get(i)).combine();
            work.add(from);
            totals.add(
                    new ColumnChunks.Totals(
                            combine, type(i), out.get(i), from, new Operand.Out(i)));
            bytes += (type(i).bytes(chunks.count() * lanes.width()) + 15) / 16 * 16;
        }
        var actions = new ArrayList<Action>();
        actions.add(launch(chunks.count(), direct, work));
        actions.addAll(chunks.join(totals));
        return new Recipe(actions, bytes);
    }

    private List<Integer> columns() {
        return IntStream.range(0, out.size())
                .filter(i -> k.results().get(i) instanceof RowParts.Columns)
                .boxed()
                .toList();
    }

    /** The type in which the columns of a result are added. */
    private DType type(int result) {
        return ((RowParts.Columns) k.results().get(result)).body().type(types);
    }

    /** Declares the totals of a chunk. */
    private void total(int i) {
        var t = CudaSyntax.computed(type(i));
        var identity =
                CudaSyntax.identity(((RowParts.Columns) k.results().get(i)).combine(), type(i));
        if (isInRegisters()) {
            code.add("%s total%d[%d][%d];", t, i, lanes.groups(), RowLanes.GROUP);
            code.add("#pragma unroll");
            code.add("for (int j = 0; j < %d; j++)", lanes.groups());
            code.add("#pragma unroll");
            code.add(
                    "    for (int e = 0; e < %d; e++) total%d[j][e] = %s;",
                    RowLanes.GROUP, i, identity);
        } else {
            code.add(
                    "%s* const total%d = (%s*)p%d + chunk * %d;",
                    t, i, t, in.size() + i, lanes.width());
            code.add(
                    "for (num c = lane * %d; c < %d; c += %d)",
                    RowLanes.GROUP, lanes.width(), lanes.count() * RowLanes.GROUP);
            code.add(
                    "    for (int e = 0; e < %d; e++) if (c + e < %d) total%d[c + e] = %s;",
                    RowLanes.GROUP, lanes.width(), i, identity);
        }
    }

    /** Writes the totals of a chunk. */
    private void write(int i, DType to) {
        code.add("#pragma unroll");
        code.open("for (int j = 0; j < %d; j++)", lanes.groups());
        code.add("#pragma unroll");
        code.open("for (int e = 0; e < %d; e++)", RowLanes.GROUP);
        code.add("const num x = (lane + j * %d) * %d + e;", lanes.count(), RowLanes.GROUP);
        code.add(
                "if (x < %d) ((%s*)p%d)[chunk * %d + x] = Down<%s>::of(total%d[j][e]);",
                lanes.width(),
                CudaSyntax.stored(to),
                in.size() + i,
                lanes.width(),
                CudaSyntax.stored(to),
                i);
        code.close();
        code.close();
    }

    /** Writes the code that computes the numbers of {@code row}. */
    private void numbers() {
        for (int i = 0; i < k.numbers().size(); i++) {
            var type = types.get(in.size() + i);
            switch (k.numbers().get(i)) {
                case RowParts.Apply(var body) -> {
                    code.add("%s n%d;", CudaSyntax.computed(type), i);
                    code.add("{");
                    var values = grid.element(code, "0", _ -> "", types, false);
                    code.add("n%d = %s;", i, values.value(body));
                    code.close();
                }
                case RowParts.Fold(var combine, var body) -> fold(i, combine, body, type);
            }
        }
    }

    private void fold(int i, Kernel.Combine combine, Scalar body, DType type) {
        var t = CudaSyntax.computed(type);
        var fn = CudaSyntax.combine(combine);
        boolean alone = lanes.segments() == 1;
        var sum = alone ? "n" + i : "part";
        var identity = CudaSyntax.identity(combine, type);
        if (!alone) code.add("%s n%d = %s;", t, i, identity);
        row.segments(
                "%s %s = %s;".formatted(t, sum, identity),
                value -> code.add("%s = %s(%s, %s);", sum, fn, sum, value.value(body)),
                () -> {
                    lanes.join(code, combine, type, sum);
                    if (!alone) code.add("n%d = first ? part : %s(n%d, part);", i, fn, i);
                });
    }
}
