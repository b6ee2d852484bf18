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
import java.util.Comparator;
import java.util.List;

/**
 * Scatters that add: the elements of each target row are added in the order of the source, without
 * atomics. The axes along which the target's offset moves are its columns. If the index is the same
 * for all columns, a first kernel lists for every target row the source rows that go there, in any
 * order; then a block takes a target row, sorts its list and adds the rows. If a list is too short
 * for its target row, the block searches the whole index instead. If the index differs from column
 * to column, one thread takes a column and adds its elements one after the other. If two indices
 * could lead to the same element in another way, a single thread does all the work.
 */
final class ScatterText {
    private static final int THREADS = 128;

    /** With fewer columns than this, one thread per column leaves most of a GPU idle. */
    private static final long BUSY = 1 << 15;

    /** The capacity of a target row's list, which is preceded by the number of its source rows. */
    private static final int LISTED = 15;

    private final Kernel.Scatter k;
    private final List<View> views;
    private final DType index;
    private final DType type;
    private final List<Integer> columns = new ArrayList<>();
    private final List<Integer> summed = new ArrayList<>();
    private final boolean large;
    private final boolean distinct;
    private final SourceLines code = new SourceLines();

    private ScatterText(Kernel.Scatter k, DType index, DType type) {
        this.k = k;
        this.index = index;
        this.type = type;
        views = List.of(k.target(), k.index(), k.source());
        distinct = isDistinct();
        for (int d = 0; d < k.shape().rank(); d++) {
            if (k.shape().dim(d) == 1) continue;
            (distinct && k.target().stride(d) != 0 ? columns : summed).add(d);
        }
        large = k.size() > Integer.MAX_VALUE / 2 || CudaSyntax.isLarge(k.shape(), views);
    }

    static Recipe recipe(Kernel.Scatter k, DType index, DType type) {
        if (k.size() == 0) return Recipe.of();
        var zero = new Action.Zero(new Operand.Out(0), type.bytes(k.size()));
        if (k.shape().size() == 0) return Recipe.of(zero);
        var text = new ScatterText(k, index, type);
        if (!text.isShared()) return text.elements(zero);
        long bytes = DType.I32.bytes((LISTED + 1L) * k.bound());
        var empty = new Action.Zero(new Operand.Work(0), bytes);
        var lists = new ScatterText(k, index, type).lists();
        return new Recipe(List.of(zero, empty, lists, text.places()), bytes);
    }

    /** Whether target offsets of different columns and different indices differ. */
    private boolean isDistinct() {
        record Axis(long stride, long dim) {}
        var axes = new ArrayList<Axis>();
        for (int d = 0; d < k.shape().rank(); d++) {
            if (k.shape().dim(d) > 1 && k.target().stride(d) != 0)
                axes.add(new Axis(k.target().stride(d), k.shape().dim(d)));
        }
        if (k.bound() > 1) axes.add(new Axis(k.stride(), k.bound()));
        axes.sort(Comparator.comparingLong(Axis::stride));
        long reach = 0;
        for (var axis : axes) {
            if (axis.stride <= reach) return false;
            reach += axis.stride * (axis.dim - 1);
        }
        return true;
    }

    private boolean isShared() {
        return distinct
                && columns.stream().allMatch(d -> k.index().stride(d) == 0)
                && size(columns) < BUSY
                && size(summed) > 1;
    }

    private long size(List<Integer> axes) {
        return axes.stream().mapToLong(d -> k.shape().dim(d)).reduce(1, (a, b) -> a * b);
    }

    private String picked(String offset) {
        return "within(((const %s*)p0)[%s], %d, (i64*)p3, (i64)p4)"
                .formatted(CudaSyntax.stored(index), offset, k.bound());
    }

    private Action launch(String name, long blocks, Operand... more) {
        var operands = new ArrayList<Operand>();
        operands.add(new Operand.In(0));
        operands.add(new Operand.In(1));
        operands.add(new Operand.Out(0));
        operands.add(new Operand.Fault());
        operands.add(new Operand.Node());
        operands.addAll(List.of(more));
        return new Action.Launch(name, code.toString(), blocks, THREADS, 0, operands);
    }

    private void starts(Axes axes, String prefix, String of) {
        for (int v = 0; v < 3; v++) {
            var start = of.isEmpty() ? Long.toString(views.get(v).offset()) : of + v;
            code.add("const ofs %s%d = %s;", prefix, v, axes.offset(v, start, prefix + "i"));
        }
    }

    /** Sums element by element: floats are added in f64 in the workspace and rounded at the end. */
    private Recipe elements(Action zero) {
        if (!isWide()) return Recipe.of(zero, columns(new Operand.Out(0)));
        long bytes = DType.F64.bytes(k.size());
        var sums = new Operand.Work(0);
        var whole = Shape.of(Math.toIntExact(k.size()));
        var round = Kernel.Map.of(whole, List.of(View.contiguous(whole)), Scalar.arg(0).cast(type));
        var last =
                (Action.Launch)
                        MapText.recipe(round, List.of(DType.F64), List.of(type))
                                .actions()
                                .getFirst();
        return new Recipe(
                List.of(
                        new Action.Zero(sums, bytes),
                        columns(sums),
                        last.on(List.of(sums, new Operand.Out(0)))),
                bytes);
    }

    private boolean isWide() {
        return type.isFloat() && type != DType.F64;
    }

    /** One thread per column. */
    private Action columns(Operand to) {
        var kept = Axes.of(k.shape(), views, columns);
        var rest = Axes.of(k.shape(), views, summed);
        var t = isWide() ? "f64" : CudaSyntax.stored(type);
        MapText.open(code, "scatter", THREADS, 6, large);
        MapText.each(code, "column", THREADS, size(columns));
        kept.split(code, "column", "ci");
        starts(kept, "c", "");
        code.open("for (num s = 0; s < %d; s++)", size(summed));
        rest.split(code, "s", "ri");
        starts(rest, "r", "c");
        code.add("%s* const to = (%s*)p5 + r0 + %s * %d;", t, t, picked("r1"), k.stride());
        code.add(
                "*to = Down<%s>::of(add(up(*to), (%s)up(((const %s*)p1)[r2])));",
                t, isWide() ? "f64" : CudaSyntax.computed(type), CudaSyntax.stored(type));
        code.close();
        code.close();
        return launch("scatter", MapText.blocks(size(columns), THREADS), to);
    }

    /** Writes for every target row the number of its source rows and the list of the first ones. */
    private Action lists() {
        var rest = Axes.of(k.shape(), views, summed);
        MapText.open(code, "scatter_lists", THREADS, 6, large);
        MapText.each(code, "s", THREADS, size(summed));
        rest.split(code, "s", "ri");
        code.add("const ofs r1 = %s;", rest.offset(1, "" + k.index().offset(), "ri"));
        code.add("u32* const list = (u32*)p5 + %s * %d;", picked("r1"), LISTED + 1);
        code.add("const u32 slot = atomicAdd(list, 1u);");
        code.add("if (slot < %d) list[1 + slot] = (u32)s;", LISTED);
        code.close();
        var blocks = MapText.blocks(size(summed), THREADS);
        return launch("scatter_lists", blocks, new Operand.Work(0));
    }

    /** One block per target row. */
    private Action places() {
        var kept = Axes.of(k.shape(), views, columns);
        var rest = Axes.of(k.shape(), views, summed);
        var t = CudaSyntax.stored(type);
        MapText.open(code, "scatter", THREADS, 6, large);
        code.add("__shared__ u32 found[%d], order[%d];", THREADS / 32, LISTED);
        code.add("const i64 place = blockIdx.x;");
        code.add("const u32* const list = (const u32*)p5 + place * %d;", LISTED + 1);
        code.add("const u32 count = list[0];");
        code.add("if (count == 0) return;");
        code.open("if (count <= %d && threadIdx.x < count)", LISTED);
        code.add("const u32 own = list[1 + threadIdx.x];");
        code.add("u32 before = 0;");
        code.add("for (u32 i = 0; i < count; i++) before += list[1 + i] < own;");
        code.add("order[before] = own;");
        code.close();
        code.add("__syncthreads();");
        code.open("for (num first = 0; first < %d; first += %d)", size(columns), THREADS);
        code.add("const num column = first + threadIdx.x;");
        code.add("const num own = column < %d ? column : 0;", size(columns));
        kept.split(code, "own", "ci");
        starts(kept, "c", "");
        code.add("%s sum = 0;", type.isFloat() ? "f64" : CudaSyntax.computed(type));
        code.open("if (count <= %d)", LISTED);
        code.open("for (u32 i = 0; i < count; i++)");
        code.add("const num s = order[i];");
        row(rest);
        code.close();
        code.add("} else {");
        search(rest);
        code.close();
        code.add(
                "if (column < %d) ((%s*)p2)[c0 + place * %d] = Down<%s>::of((%s)sum);",
                size(columns), t, k.stride(), t, CudaSyntax.computed(type));
        code.close();
        code.close();
        return launch("scatter", k.bound(), new Operand.Work(0));
    }

    /** Adds this thread's element of row {@code s}. */
    private void row(Axes rest) {
        var wide = type.isFloat() ? "f64" : CudaSyntax.computed(type);
        rest.split(code, "s", "ri");
        code.add("const ofs r2 = %s;", rest.offset(2, "c2", "ri"));
        code.add("sum = add(sum, (%s)up(((const %s*)p1)[r2]));", wide, CudaSyntax.stored(type));
    }

    /** Searches the whole index for this block's target row. */
    private void search(Axes rest) {
        code.open("for (num base = 0; base < %d; base += %d)", size(summed), THREADS);
        code.add("bool mine = false;");
        code.open("if (base + threadIdx.x < %d)", size(summed));
        code.add("const num s = base + threadIdx.x;");
        rest.split(code, "s", "ri");
        code.add("const ofs r1 = %s;", rest.offset(1, "" + k.index().offset(), "ri"));
        code.add("mine = %s == place;", picked("r1"));
        code.close();
        code.add("const u32 warp = __ballot_sync(0xffffffffu, mine);");
        code.add("if ((threadIdx.x & 31) == 0) found[threadIdx.x >> 5] = warp;");
        code.add("__syncthreads();");
        code.open("for (int w = 0; w < %d; w++)", THREADS / 32);
        code.open("for (u32 left = found[w]; left != 0; left &= left - 1)");
        code.add("const num s = base + w * 32 + (__ffs(left) - 1);");
        row(rest);
        code.close();
        code.close();
        code.add("__syncthreads();");
        code.close();
    }
}
