package dev.ebb.cuda.text;

import dev.ebb.ir.DType;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The elements of a row, as the lanes of a {@code Rows} kernel visit them: in registers if the row
 * fits, otherwise loaded anew for every visit.
 */
final class RowElements {
    /** Bytes of a row that a lane keeps in registers. */
    private static final int KEPT = 512;

    /** The same for rows of several segments, whose many lanes have fewer registers each. */
    private static final int KEPT_OF_SEGMENTS = 256;

    private final FoldGrid grid;
    private final RowLanes lanes;
    private final List<DType> in;
    private final List<DType> types;
    private final SourceLines code;
    private final boolean cached;

    /**
     * @param types the types of operands and numbers
     */
    RowElements(
            FoldGrid grid, RowLanes lanes, List<DType> in, List<DType> types, SourceLines code) {
        this.grid = grid;
        this.lanes = lanes;
        this.in = in;
        this.types = types;
        this.code = code;
        long kept = 0;
        boolean wide = true;
        for (int i = 0; i < in.size(); i++) {
            if (!varies(i)) continue;
            kept += in.get(i).bytes(1) * lanes.allGroups() * RowLanes.GROUP;
            wide &= in.get(i).bytes(1) >= Float.BYTES;
        }
        // several rows of sixteen bits at a time, read again from the cache, are faster than one
        cached =
                lanes.segments() == 1 ? kept <= KEPT : kept > 0 && kept <= KEPT_OF_SEGMENTS && wide;
    }

    /** Whether an operand has more than one element in a row. */
    private boolean varies(int i) {
        return !grid.folded().isFixed(i);
    }

    /** Writes the start of a row's visits: reads the row into registers if it fits. */
    void start() {
        if (!cached) return;
        declare();
        read();
    }

    /**
     * Writes a loop over all groups of a lane: {@code visit} for every element, {@code before} and
     * {@code after} for every group; see {@link Expression} for {@code quick}.
     */
    void groups(boolean quick, Runnable before, Consumer<Expression> visit, Runnable after) {
        if (cached) {
            kept("0", lanes.allGroups(), quick, before, visit, after);
            return;
        }
        code.open(
                "for (num c = lane * %d, j = 0; c < %d; c += %d, j++)",
                RowLanes.GROUP, lanes.width(), lanes.count() * RowLanes.GROUP);
        code.add("const num last = %d;", lanes.width());
        before.run();
        grid.group(code, lanes, types, quick, visit);
        after.run();
        code.close();
    }

    /** Writes loops over all elements in the order of a fold; {@code join} ends every segment. */
    void segments(Runnable start, Consumer<Expression> visit, Runnable join) {
        if (lanes.segments() == 1) {
            start.run();
            groups(false, () -> {}, visit, () -> {});
            join.run();
            return;
        }
        if (cached) {
            int each = lanes.groups();
            code.add("#pragma unroll");
            code.open("for (int s = 0; s < %d; s++)", lanes.segments());
            code.add("const bool first = s == 0;");
            start.run();
            kept("s * %d".formatted(each), each, false, () -> {}, visit, () -> {});
        } else {
            code.open(
                    "for (num begin = 0; begin < %d; begin += %d)",
                    lanes.width(), RowLanes.SEGMENT);
            code.add("const bool first = begin == 0;");
            code.add(
                    "const num last = begin + %d < %d ? begin + %d : %d;",
                    RowLanes.SEGMENT, lanes.width(), RowLanes.SEGMENT, lanes.width());
            start.run();
            code.add("#pragma unroll 8");
            code.open(
                    "for (num c = begin + lane * %d; c < last; c += %d)",
                    RowLanes.GROUP, lanes.count() * RowLanes.GROUP);
            grid.group(code, lanes, types, false, visit);
            code.close();
        }
        join.run();
        code.close();
    }

    /** Writes a loop over {@code count} groups in registers, from group {@code from} on. */
    private void kept(
            String from,
            int count,
            boolean quick,
            Runnable before,
            Consumer<Expression> visit,
            Runnable after) {
        long width = lanes.width();
        code.add("#pragma unroll");
        if (from.equals("0")) code.open("for (int j = 0; j < %d; j++)", count);
        else code.open("for (int j = %s; j < %s + %d; j++)", from, from, count);
        code.add("const num c = (lane + j * %d) * %d;", lanes.count(), RowLanes.GROUP);
        code.open("if (c < %d)", width);
        before.run();
        code.add("#pragma unroll");
        code.open("for (int e = 0; e < %d; e++)", RowLanes.GROUP);
        code.add("const num x = c + e;");
        boolean ragged = width % RowLanes.GROUP != 0;
        if (ragged) code.open("if (x < %d)", width);
        visit.accept(grid.element(code, "x", "up(a%d[j].at[e])"::formatted, types, quick));
        if (ragged) code.close();
        code.close();
        after.run();
        code.close();
        code.close();
    }

    /** Declares the registers of a row. */
    private void declare() {
        for (int i = 0; i < in.size(); i++) {
            if (!varies(i)) continue;
            code.add("Pack<%s, %d> a%d[%d];", stored(i), RowLanes.GROUP, i, lanes.allGroups());
        }
    }

    /** Reads the row into registers. */
    private void read() {
        code.add("#pragma unroll");
        code.open("for (int j = 0; j < %d; j++)", lanes.allGroups());
        code.add("const num c = (lane + j * %d) * %d;", lanes.count(), RowLanes.GROUP);
        code.open("if (c < %d)", lanes.width());
        grid.splitGroup(code);
        for (int i = 0; i < in.size(); i++) {
            if (varies(i) && grid.isPacked(i))
                code.add(
                        "a%d[j] = load<%d>((const %s*)p%d + %s);",
                        i, RowLanes.GROUP, CudaSyntax.stored(in.get(i)), i, grid.groupOffset(i));
        }
        if (IntStream.range(0, in.size()).anyMatch(i -> varies(i) && !grid.isPacked(i))) {
            code.add("#pragma unroll");
            code.open("for (int e = 0; e < %d; e++)", RowLanes.GROUP);
            code.add("const num x = c + e < %d ? c + e : c;", lanes.width());
            grid.folded().split(code, "x", "d");
            for (int i = 0; i < in.size(); i++) {
                if (!varies(i) || grid.isPacked(i)) continue;
                var offset = grid.folded().offset(i, "s" + i, "d");
                code.add(
                        "a%d[j].at[e] = %s;",
                        i,
                        in.get(i) == DType.BIT
                                ? MapText.element(DType.BIT, "p" + i, offset)
                                : "((const %s*)p%d)[%s]"
                                        .formatted(CudaSyntax.stored(in.get(i)), i, offset));
            }
            code.close();
        }
        code.close();
        code.close();
    }

    private String stored(int i) {
        return in.get(i) == DType.BIT ? "bool" : CudaSyntax.stored(in.get(i));
    }
}
