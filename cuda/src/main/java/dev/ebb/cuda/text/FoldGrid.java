package dev.ebb.cuda.text;

import dev.ebb.cuda.recipe.Operand;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * A shape seen as rows: the kept axes enumerate the rows ({@code row} in the generated text), the
 * folded ones the elements of a row ({@code c}).
 */
final class FoldGrid {
    private final Shape shape;
    private final List<Integer> keptAxes;
    private final List<Integer> foldedAxes;
    private final List<View> views;
    private final List<DType> types;
    private final Axes kept;
    private final Axes folded;

    FoldGrid(Shape shape, List<Integer> axes, List<View> views, List<DType> types) {
        this.shape = shape;
        this.views = views;
        this.types = types;
        foldedAxes = axes;
        keptAxes = shape.allAxes().stream().filter(d -> !axes.contains(d)).toList();
        kept = Axes.of(shape, views, keptAxes);
        folded = Axes.of(shape, views, foldedAxes);
    }

    Axes kept() {
        return kept;
    }

    Axes folded() {
        return folded;
    }

    int inputs() {
        return views.size();
    }

    boolean isLarge() {
        return CudaSyntax.isLarge(shape, views);
    }

    /** Whether the fastest axis with more than one element is folded. */
    boolean isRows() {
        for (int d = shape.rank() - 1; d >= 0; d--) {
            if (shape.dim(d) > 1) return foldedAxes.contains(d);
        }
        return true;
    }

    List<Operand> operands(List<Operand> targets) {
        var operands = new ArrayList<Operand>();
        for (int i = 0; i < views.size(); i++) operands.add(new Operand.In(i));
        operands.addAll(targets);
        return operands;
    }

    /**
     * Writes the offset at which each operand's row begins; operands that are constant along a row
     * are read once.
     */
    void rowStarts(SourceLines code) {
        kept.split(code, "row", "k");
        for (int i = 0; i < views.size(); i++) {
            var start = Long.toString(views.get(i).offset());
            code.add("const ofs s%d = %s;", i, kept.offset(i, start, "k"));
            if (folded.isFixed(i))
                code.add(
                        "const %s f%d = %s;",
                        CudaSyntax.computed(types.get(i)),
                        i,
                        MapText.element(types.get(i), "p" + i, "s" + i));
        }
    }

    /** Whether the four elements of a group can be loaded at once. */
    boolean isPacked(int i) {
        return folded.step(i) == 1
                && types.get(i) != DType.BIT
                && folded.inner() % RowLanes.GROUP == 0
                && folded.isAligned(i, RowLanes.GROUP)
                && views.get(i).offset() % RowLanes.GROUP == 0
                && kept.strides().get(i).stream().allMatch(s -> s % RowLanes.GROUP == 0);
    }

    /** Writes the indices along the folded axes of the group at {@code c}. */
    void splitGroup(SourceLines code) {
        if (folded.rank() > 1) folded.split(code, "c", "g");
    }

    /** The offset in a packed operand of the group that {@link #splitGroup} has found. */
    String groupOffset(int i) {
        return folded.rank() > 1 ? folded.offset(i, "s" + i, "g") : "s" + i + " + c";
    }

    /** Writes code that visits the elements of a group, from element {@code c} of a row on. */
    void group(
            SourceLines code,
            RowLanes lanes,
            List<DType> all,
            boolean quick,
            Consumer<Expression> visit) {
        splitGroup(code);
        for (int i = 0; i < views.size(); i++) {
            if (!folded.isFixed(i) && isPacked(i))
                code.add(
                        "const Pack<%s, %d> a%d = load<%d>((const %s*)p%d + %s);",
                        CudaSyntax.stored(types.get(i)),
                        RowLanes.GROUP,
                        i,
                        RowLanes.GROUP,
                        CudaSyntax.stored(types.get(i)),
                        i,
                        groupOffset(i));
        }
        code.add("#pragma unroll");
        code.open("for (int e = 0; e < %d; e++)", RowLanes.GROUP);
        code.add("const num x = c + e;");
        if (lanes.width() % RowLanes.GROUP != 0) code.add("if (x >= last) break;");
        IntFunction<String> loaded = i -> isPacked(i) ? "up(a%d.at[e])".formatted(i) : "";
        visit.accept(element(code, "x", loaded, all, quick));
        code.close();
    }

    /** How many neighbouring columns a thread folds: as many as fit sixteen bytes. */
    int columnsTogether() {
        int least = 16;
        for (int i = 0; i < views.size(); i++) {
            if (!kept.isFixed(i)) least = Math.min(least, (int) types.get(i).bytes(1));
        }
        int width = 16 / least;
        while (width > 1 && !isTogether(width)) width /= 2;
        return width;
    }

    private boolean isTogether(int width) {
        if (kept.inner() % width != 0) return false;
        for (int i = 0; i < views.size(); i++) {
            if (!kept.isFixed(i) && !isTogether(i, width)) return false;
        }
        return true;
    }

    private boolean isTogether(int i, int width) {
        return kept.step(i) == 1
                && types.get(i) != DType.BIT
                && views.get(i).offset() % width == 0
                && kept.isAligned(i, width)
                && folded.strides().get(i).stream().allMatch(s -> s % width == 0);
    }

    /** Writes the offset of each operand in {@code width} columns from {@code row} on. */
    void columnStarts(SourceLines code, int width) {
        kept.split(code, "row", "k");
        for (int i = 0; i < views.size(); i++) {
            var start = Long.toString(views.get(i).offset());
            code.add("const ofs s%d = %s;", i, kept.offset(i, start, "k"));
            if (folded.isFixed(i)) loadColumns(code, i, width);
        }
    }

    /** Writes code that visits element {@code c} of each of these columns. */
    void columns(SourceLines code, int width, Consumer<Expression> visit) {
        folded.split(code, "c", "d");
        for (int i = 0; i < views.size(); i++) {
            if (!folded.isFixed(i)) loadColumns(code, i, width);
        }
        code.add("#pragma unroll");
        code.open("for (int e = 0; e < %d; e++)", width);
        var row = width == 1 ? "row" : "(row + e)";
        visit.accept(
                new Expression(
                        code,
                        types,
                        names(
                                i -> isAlone(i, width) ? "x" + i : "up(x%d.at[e])".formatted(i),
                                row,
                                "c"),
                        "t"));
        code.close();
    }

    /** Whether an operand has the same element for all columns of a thread. */
    private boolean isAlone(int i, int width) {
        return width == 1 || kept.isFixed(i);
    }

    private void loadColumns(SourceLines code, int i, int width) {
        var offset = folded.isFixed(i) ? "s" + i : folded.offset(i, "s" + i, "d");
        var type = types.get(i);
        if (isAlone(i, width)) {
            code.add(
                    "const %s x%d = %s;",
                    CudaSyntax.computed(type), i, MapText.element(type, "p" + i, offset));
        } else {
            var from = "(const %s*)p%d".formatted(CudaSyntax.stored(type), i);
            code.add(
                    "const Pack<%s, %d> x%d = load<%d>(%s + %s);",
                    CudaSyntax.stored(type), width, i, width, from, offset);
        }
    }

    /**
     * An expression at element {@code c} of the row, with numbers of the row as further arguments;
     * {@code loaded} names the operands already loaded, {@code all} are the types of operands and
     * numbers; see {@link Expression} for {@code quick}.
     */
    Expression element(
            SourceLines code,
            String c,
            IntFunction<String> loaded,
            List<DType> all,
            boolean quick) {
        folded.split(code, c, "d");
        var names = names(i -> argument(code, i, loaded), "row", c);
        return new Expression(code, all, names, "t", "", quick);
    }

    /** Writes a load of an operand that is not loaded yet. */
    private String argument(SourceLines code, int i, IntFunction<String> loaded) {
        if (i >= views.size()) return "n" + (i - views.size());
        if (folded.isFixed(i)) return "f" + i;
        var name = loaded.apply(i);
        if (!name.isEmpty()) return name;
        var offset = folded.offset(i, "s" + i, "d");
        var element = MapText.element(types.get(i), "p" + i, offset);
        code.add("const %s x%d = %s;", CudaSyntax.computed(types.get(i)), i, element);
        return "x" + i;
    }

    /** The names of the inputs at an element of a row. */
    Expression.Names names(IntFunction<String> argument, String row, String element) {
        return new Expression.Names() {
            @Override
            public String argument(int index) {
                return argument.apply(index);
            }

            @Override
            public String index(int axis) {
                return "(i32)" + at(axis);
            }

            private String at(int axis) {
                var axes = keptAxes.contains(axis) ? keptAxes : foldedAxes;
                long inner = 1;
                for (int d : axes) if (d > axis) inner *= shape.dim(d);
                return "(%s / %d %% %d)"
                        .formatted(
                                keptAxes.contains(axis) ? row : element,
                                inner,
                                Math.max(1, shape.dim(axis)));
            }

            @Override
            public String position() {
                var own = View.contiguous(shape);
                var sum = new StringBuilder("((i64)0");
                for (int d = 0; d < shape.rank(); d++) {
                    if (shape.dim(d) > 1)
                        sum.append(" + ").append(at(d)).append(" * ").append(own.stride(d));
                }
                return sum.append(")").toString();
            }
        };
    }
}
