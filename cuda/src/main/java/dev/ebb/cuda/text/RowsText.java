package dev.ebb.cuda.text;

import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Row;
import dev.ebb.ir.Scalar;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * {@code Rows} kernels: rows and their numbers in one launch. The lanes of a row keep its elements
 * in registers if they fit, so that a norm or a softmax reads memory once; wider rows are read
 * again for every number. Folds have the order of {@link Lanes}, columns that of {@link Chunks}.
 */
final class RowsText {
    /** Bytes of a row that a lane keeps in registers. */
    private static final int KEPT = 512;

    private final Kernel.Rows k;
    private final List<DType> in;
    private final List<DType> types;
    private final DType out;
    private final FoldGrid grid;
    private final Lanes lanes;
    private final boolean cached;

    /** Whether the next row of a chunk is loaded while this one is processed. */
    private final boolean ahead;

    private final Lines code = new Lines();

    private RowsText(Kernel.Rows k, List<DType> in, DType out) {
        this.k = k;
        this.in = in;
        this.out = out;
        types = k.types(in);
        var axes = IntStream.range(k.leading(), k.shape().rank()).boxed().toList();
        grid = new FoldGrid(k.shape(), axes, k.operands(), in);
        lanes = new Lanes(k.width());
        int bytes = 0;
        for (int i = 0; i < in.size(); i++) {
            if (!grid.folded().isFixed(i))
                bytes += (int) in.get(i).bytes(1) * lanes.groups() * Lanes.GROUP;
        }
        cached = lanes.segments() == 1 && bytes <= KEPT;
        ahead = cached && bytes > 0 && 2 * bytes <= KEPT;
    }

    static Recipe recipe(Kernel.Rows k, List<DType> in, DType out) {
        if (k.result() instanceof Row.Columns(var combine, var body)) {
            if (k.outer().size() == 0) return none(k, out, combine, body.type(k.types(in)));
            return new RowsText(k, in, out).columns(combine, body.type(k.types(in)));
        }
        if (k.shape().size() == 0 && !(k.result() instanceof Row.Last && k.outer().size() > 0))
            return Recipe.of();
        return new RowsText(k, in, out).rows();
    }

    /** The result of a fold over columns if there are no rows. */
    private static Recipe none(Kernel.Rows k, DType out, Kernel.Combine combine, DType type) {
        var fold =
                new Kernel.Fold(
                        k.shape(),
                        IntStream.range(0, k.leading()).boxed().toList(),
                        combine,
                        List.of(),
                        new Scalar.Lit(type, 0));
        return FoldText.recipe(fold, List.of(), out);
    }

    private void open() {
        MapText.open(code, "rows", lanes.threads(), in.size() + 1, grid.isLarge());
        code.add("const u32 lane = threadIdx.x %% %d;", lanes.count());
    }

    /**
     * Names the part of the work that these lanes do together; threads beyond the last part return.
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

    private Recipe rows() {
        long rows = k.outer().size();
        open();
        part("row", rows);
        grid.rowStarts(code);
        if (cached) {
            declare("a");
            read("a");
        }
        numbers();
        var to = Words.stored(out);
        switch (k.result()) {
            case Row.Elements(var body) -> elements(body);
            case Row.Last _ ->
                    code.add(
                            "if (lane == 0) ((%s*)p%d)[row] = Down<%s>::of(n%d);",
                            to, in.size(), to, k.numbers().size() - 1);
            case Row.Columns _ -> throw new IllegalStateException("columns are not rows");
        }
        code.close();
        return Recipe.of(launch(rows, new Operand.Out(0)));
    }

    private Action launch(long parts, Operand target) {
        return new Action.Launch(
                "rows",
                code.toString(),
                MapText.blocks(parts, lanes.rows()),
                lanes.threads(),
                0,
                grid.operands(List.of(target)));
    }

    private void elements(Scalar body) {
        var to = Words.stored(out);
        boolean packed = lanes.width() % Lanes.GROUP == 0;
        groups(
                () -> {
                    if (packed) code.add("Pack<%s, %d> r;", to, Lanes.GROUP);
                },
                value -> {
                    var result = "Down<" + to + ">::of(" + value.value(body) + ")";
                    if (packed) code.add("r.at[e] = %s;", result);
                    else
                        code.add(
                                "((%s*)p%d)[row * %d + x] = %s;",
                                to, in.size(), lanes.width(), result);
                },
                () -> {
                    if (packed)
                        code.add(
                                "store<%d>((%s*)p%d + row * %d + c, r);",
                                Lanes.GROUP, to, in.size(), lanes.width());
                });
    }

    private Recipe columns(Kernel.Combine combine, DType type) {
        long rows = k.outer().size();
        var chunks = Chunks.afterNumbers(rows, lanes.width());
        boolean registers = lanes.segments() == 1;
        boolean whole = chunks.count() == 1 && registers;
        var t = Words.computed(type);
        var identity = Words.identity(combine, type);
        open();
        part("chunk", chunks.count());
        if (registers) {
            code.add("%s total[%d][%d];", t, lanes.groups(), Lanes.GROUP);
            code.add("#pragma unroll");
            code.add("for (int j = 0; j < %d; j++)", lanes.groups());
            code.add("#pragma unroll");
            code.add("    for (int e = 0; e < %d; e++) total[j][e] = %s;", Lanes.GROUP, identity);
        } else {
            code.add("%s* const total = (%s*)p%d + chunk * %d;", t, t, in.size(), lanes.width());
            code.add(
                    "for (num c = lane * %d; c < %d; c += %d)",
                    Lanes.GROUP, lanes.width(), lanes.count() * Lanes.GROUP);
            code.add(
                    "    for (int e = 0; e < %d; e++) if (c + e < %d) total[c + e] = %s;",
                    Lanes.GROUP, lanes.width(), identity);
        }
        code.add(
                "const num end = chunk * %d + %d < %d ? chunk * %d + %d : %d;",
                chunks.height(), chunks.height(), rows, chunks.height(), chunks.height(), rows);
        if (ahead) {
            declare("a");
            declare("m");
            code.add("{");
            code.add("const num row = chunk * %d;", chunks.height());
            grid.rowStarts(code);
            read("m");
            code.close();
        }
        code.open("for (num row = chunk * %d; row < end; row++)", chunks.height());
        if (ahead) next();
        grid.rowStarts(code);
        if (cached && !ahead) {
            declare("a");
            read("a");
        }
        numbers();
        var body = ((Row.Columns) k.result()).body();
        var fn = Words.combine(combine);
        var place = registers ? "total[j][e]" : "total[x]";
        groups(
                () -> {},
                value -> code.add("%s = %s(%s, %s);", place, fn, place, value.value(body)),
                () -> {});
        code.close();
        if (registers) results(whole ? out : type);
        code.close();
        var first = launch(chunks.count(), whole ? new Operand.Out(0) : new Operand.Work(0));
        if (whole) return Recipe.of(first);
        return new Recipe(
                List.of(
                        first,
                        chunks.join(combine, type, out, new Operand.Work(0), new Operand.Out(0))),
                type.bytes(chunks.count() * lanes.width()));
    }

    /** Writes the totals of a chunk. */
    private void results(DType to) {
        code.add("#pragma unroll");
        code.open("for (int j = 0; j < %d; j++)", lanes.groups());
        code.add("#pragma unroll");
        code.open("for (int e = 0; e < %d; e++)", Lanes.GROUP);
        code.add("const num x = (lane + j * %d) * %d + e;", lanes.count(), Lanes.GROUP);
        code.add(
                "if (x < %d) ((%s*)p%d)[chunk * %d + x] = Down<%s>::of(total[j][e]);",
                lanes.width(), Words.stored(to), in.size(), lanes.width(), Words.stored(to));
        code.close();
        code.close();
    }

    /** Takes over the row that was prefetched, and prefetches the next one. */
    private void next() {
        code.add("#pragma unroll");
        code.open("for (int j = 0; j < %d; j++)", lanes.groups());
        for (int i = 0; i < in.size(); i++) {
            if (!grid.folded().isFixed(i)) code.add("a%d[j] = m%d[j];", i, i);
        }
        code.close();
        code.open("if (row + 1 < end)");
        code.add("const num after = row + 1;");
        code.add("{");
        code.add("const num row = after;");
        grid.rowStarts(code);
        read("m");
        code.close();
        code.close();
    }

    /** Writes the code that computes the numbers of {@code row}. */
    private void numbers() {
        for (int i = 0; i < k.numbers().size(); i++) {
            var type = types.get(in.size() + i);
            switch (k.numbers().get(i)) {
                case Row.Apply(var body) -> {
                    code.add("%s n%d;", Words.computed(type), i);
                    code.add("{");
                    var values = grid.element(code, "0", _ -> "", types, "t");
                    code.add("n%d = %s;", i, values.value(body));
                    code.close();
                }
                case Row.Fold(var combine, var body) -> fold(i, combine, body, type);
            }
        }
    }

    private void fold(int i, Kernel.Combine combine, Scalar body, DType type) {
        var t = Words.computed(type);
        var fn = Words.combine(combine);
        var sum = "n" + i;
        code.add("%s %s = %s;", t, sum, Words.identity(combine, type));
        if (lanes.segments() == 1) {
            groups(
                    () -> {},
                    value -> code.add("%s = %s(%s, %s);", sum, fn, sum, value.value(body)),
                    () -> {});
            lanes.join(code, combine, type, sum);
            return;
        }
        code.open("for (num first = 0; first < %d; first += %d)", lanes.width(), Lanes.SEGMENT);
        code.add(
                "const num last = first + %d < %d ? first + %d : %d;",
                Lanes.SEGMENT, lanes.width(), Lanes.SEGMENT, lanes.width());
        code.add("%s part = %s;", t, Words.identity(combine, type));
        code.add("#pragma unroll 8");
        code.open(
                "for (num c = first + lane * %d; c < last; c += %d)",
                Lanes.GROUP, lanes.count() * Lanes.GROUP);
        grid.group(
                code,
                lanes,
                types,
                value -> code.add("part = %s(part, %s);", fn, value.value(body)));
        code.close();
        lanes.join(code, combine, type, "part");
        code.add("%s = first == 0 ? part : %s(%s, part);", sum, fn, sum);
        code.close();
    }

    /** Writes a loop over all groups of a lane. */
    private void groups(Runnable before, Consumer<Expression> visit, Runnable after) {
        long width = lanes.width();
        if (cached) {
            code.add("#pragma unroll");
            code.open("for (int j = 0; j < %d; j++)", lanes.groups());
            code.add("const num c = (lane + j * %d) * %d;", lanes.count(), Lanes.GROUP);
            code.open("if (c < %d)", width);
        } else {
            code.open(
                    "for (num c = lane * %d, j = 0; c < %d; c += %d, j++)",
                    Lanes.GROUP, width, lanes.count() * Lanes.GROUP);
            code.add("const num last = %d;", width);
        }
        before.run();
        if (cached) {
            code.add("#pragma unroll");
            code.open("for (int e = 0; e < %d; e++)", Lanes.GROUP);
            code.add("const num x = c + e;");
            boolean ragged = width % Lanes.GROUP != 0;
            if (ragged) code.open("if (x < %d)", width);
            visit.accept(grid.element(code, "x", "up(a%d[j].at[e])"::formatted, types, "t"));
            if (ragged) code.close();
            code.close();
        } else {
            grid.group(code, lanes, types, visit);
        }
        after.run();
        code.close();
        if (cached) code.close();
    }

    /** Declares the registers of a row. */
    private void declare(String name) {
        for (int i = 0; i < in.size(); i++) {
            if (grid.folded().isFixed(i)) continue;
            code.add("Pack<%s, %d> %s%d[%d];", kept(i), Lanes.GROUP, name, i, lanes.groups());
        }
    }

    /** Reads the row into registers. */
    private void read(String name) {
        code.add("#pragma unroll");
        code.open("for (int j = 0; j < %d; j++)", lanes.groups());
        code.add("const num c = (lane + j * %d) * %d;", lanes.count(), Lanes.GROUP);
        code.open("if (c < %d)", lanes.width());
        grid.splitGroup(code);
        for (int i = 0; i < in.size(); i++) {
            if (!grid.folded().isFixed(i) && grid.isPacked(i))
                code.add(
                        "%s%d[j] = load<%d>((const %s*)p%d + %s);",
                        name, i, Lanes.GROUP, Words.stored(in.get(i)), i, grid.groupOffset(i));
        }
        if (IntStream.range(0, in.size())
                .anyMatch(i -> !grid.folded().isFixed(i) && !grid.isPacked(i))) {
            code.add("#pragma unroll");
            code.open("for (int e = 0; e < %d; e++)", Lanes.GROUP);
            code.add("const num x = c + e < %d ? c + e : c;", lanes.width());
            grid.folded().split(code, "x", "d");
            for (int i = 0; i < in.size(); i++) {
                if (grid.folded().isFixed(i) || grid.isPacked(i)) continue;
                var offset = grid.folded().offset(i, "s" + i, "d");
                code.add(
                        "%s%d[j].at[e] = %s;",
                        name,
                        i,
                        in.get(i) == DType.BIT
                                ? MapText.element(DType.BIT, "p" + i, offset)
                                : "((const %s*)p%d)[%s]"
                                        .formatted(Words.stored(in.get(i)), i, offset));
            }
            code.close();
        }
        code.close();
        code.close();
    }

    private String kept(int i) {
        return in.get(i) == DType.BIT ? "bool" : Words.stored(in.get(i));
    }
}
