package dev.ebb.cuda.text;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Sums at places that an index names, each place's in the order of the source, without atomics. The
 * axes along which the target moves are its columns. Where the index is the same for all columns, a
 * block takes one named place, looks through the whole index for it and adds the rows it finds;
 * else one thread takes a column and adds its elements one after the other. Where two indices could
 * meet in one place in another way, one thread does it all.
 */
final class ScatterText {
    private static final int THREADS = 128;

    /** With fewer columns than this, one thread for each leaves most of a card idle. */
    private static final long BUSY = 1 << 15;

    private final Kernel.Scatter k;
    private final List<View> views;
    private final DType index;
    private final DType type;
    private final List<Integer> columns = new ArrayList<>();
    private final List<Integer> summed = new ArrayList<>();
    private final boolean large;
    private final Lines code = new Lines();

    private ScatterText(Kernel.Scatter k, DType index, DType type) {
        this.k = k;
        this.index = index;
        this.type = type;
        views = List.of(k.target(), k.index(), k.source());
        boolean distinct = isDistinct();
        for (int d = 0; d < k.shape().rank(); d++) {
            if (k.shape().dim(d) == 1) continue;
            (distinct && k.target().stride(d) != 0 ? columns : summed).add(d);
        }
        large = k.size() > Integer.MAX_VALUE / 2 || Words.isLarge(k.shape(), views);
    }

    static Recipe recipe(Kernel.Scatter k, DType index, DType type) {
        if (k.size() == 0) return Recipe.of();
        var zero = new Action.Zero(new Operand.Out(0), type.bytes(k.size()));
        if (k.shape().size() == 0) return Recipe.of(zero);
        var text = new ScatterText(k, index, type);
        return Recipe.of(zero, text.isShared() ? text.places() : text.columns());
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
        return columns.stream().allMatch(d -> k.index().stride(d) == 0)
                && !columns.isEmpty()
                && size(columns) < BUSY
                && size(summed) > 1;
    }

    private long size(List<Integer> axes) {
        return axes.stream().mapToLong(d -> k.shape().dim(d)).reduce(1, (a, b) -> a * b);
    }

    private String picked(String offset) {
        return "within(((const %s*)p0)[%s], %d, (i64*)p3, (i64)p4)"
                .formatted(Words.stored(index), offset, k.bound());
    }

    private Action launch(long blocks) {
        return new Action.Launch(
                "scatter",
                code.toString(),
                blocks,
                THREADS,
                0,
                List.of(
                        new Operand.In(0),
                        new Operand.In(1),
                        new Operand.Out(0),
                        new Operand.Fault(),
                        new Operand.Node()));
    }

    private void starts(Axes axes, String prefix, String of) {
        for (int v = 0; v < 3; v++) {
            var start = of.isEmpty() ? Long.toString(views.get(v).offset()) : of + v;
            code.add("const ofs %s%d = %s;", prefix, v, axes.offset(v, start, prefix + "i"));
        }
    }

    /** A thread for each column. */
    private Action columns() {
        var kept = Axes.of(k.shape(), views, columns);
        var rest = Axes.of(k.shape(), views, summed);
        var t = Words.stored(type);
        MapText.open(code, "scatter", THREADS, 5, large);
        code.add("const num column = (num)blockIdx.x * %d + threadIdx.x;", THREADS);
        code.add("if (column >= %d) return;", size(columns));
        kept.split(code, "column", "ci");
        starts(kept, "c", "");
        code.open("for (num s = 0; s < %d; s++)", size(summed));
        rest.split(code, "s", "ri");
        starts(rest, "r", "c");
        code.add("%s* const to = (%s*)p2 + r0 + %s * %d;", t, t, picked("r1"), k.stride());
        code.add("*to = Down<%s>::of(add(up(*to), up(((const %s*)p1)[r2])));", t, t);
        code.close();
        code.close();
        return launch(MapText.blocks(size(columns), THREADS));
    }

    /** A block for each place that the index may name, and 128 columns of it. */
    private Action places() {
        var kept = Axes.of(k.shape(), views, columns);
        var rest = Axes.of(k.shape(), views, summed);
        var t = Words.stored(type);
        long groups = MapText.blocks(size(columns), THREADS);
        MapText.open(code, "scatter", THREADS, 5, large);
        code.add("__shared__ u32 found[%d];", THREADS / 32);
        code.add("const i64 place = blockIdx.x / %d;", groups);
        code.add("const num column = blockIdx.x %% %d * %d + threadIdx.x;", groups, THREADS);
        code.add("const num own = column < %d ? column : 0;", size(columns));
        kept.split(code, "own", "ci");
        starts(kept, "c", "");
        var wide = type.isFloat() ? "f64" : Words.computed(type);
        code.add("%s sum = 0;", wide);
        code.add("bool any = false;");
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
        rest.split(code, "s", "ri");
        code.add("const ofs r2 = %s;", rest.offset(2, "c2", "ri"));
        code.add("sum = add(sum, (%s)up(((const %s*)p1)[r2]));", wide, t);
        code.add("any = true;");
        code.close();
        code.close();
        code.add("__syncthreads();");
        code.close();
        code.add(
                "if (any && column < %d) ((%s*)p2)[c0 + place * %d] = Down<%s>::of((%s)sum);",
                size(columns), t, k.stride(), t, Words.computed(type));
        code.close();
        return launch(groups * k.bound());
    }
}
