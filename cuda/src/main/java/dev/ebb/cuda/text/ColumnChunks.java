package dev.ebb.cuda.text;

import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel.Combine;

import java.util.ArrayList;
import java.util.List;

/**
 * The order in which columns are folded. It depends on the shape alone: rows are divided into
 * chunks of {@code height} rows, and these into {@code strips} of consecutive rows; the rows of a
 * strip are folded in order, then the strips of a chunk in order, then groups of consecutive
 * chunks, each in order, then the groups in order.
 */
record ColumnChunks(long rows, long columns, int height, int strips) {
    private static final int SHARES = 32;

    /** Partial results of a thread that are loaded before they are folded. */
    private static final int LOADED = 32;

    /** From this number of rows on, larger chunks still give a GPU enough parallel work. */
    private static final long MANY = 8192;

    /**
     * Chunks for a plain fold of columns: larger if there are many rows, so that fewer chunks are
     * combined.
     */
    static ColumnChunks plain(long rows, long columns) {
        return new ColumnChunks(rows, columns, rows >= MANY ? 64 : 16, 1);
    }

    /**
     * Chunks of {@code strips} strips for a {@code Rows} kernel: shorter ones if there are fewer
     * rows, so that a GPU has enough parallel work.
     */
    static ColumnChunks afterNumbers(long rows, long columns, int strips) {
        int strip = strips == 1 || rows >= 4 * MANY ? 16 : rows >= MANY ? 8 : 4;
        return new ColumnChunks(rows, columns, strips * strip, strips);
    }

    /** The rows of a strip. */
    int strip() {
        return height / strips;
    }

    long count() {
        return Math.max(1, (rows + height - 1) / height);
    }

    /**
     * The partial results [count, columns] of all chunks at {@code from}, to be combined into
     * {@code to}.
     */
    record Totals(Combine combine, DType type, DType out, Operand from, Operand to) {
        /** Whether the same code combines these partial results and {@code other}. */
        private boolean isLike(Totals other) {
            return combine == other.combine && type == other.type && out == other.out;
        }
    }

    /**
     * Combines the chunks of each of {@code all}; partial results that need the same code share one
     * launch.
     */
    List<Action> join(List<Totals> all) {
        var actions = new ArrayList<Action>();
        var open = new ArrayList<>(all);
        while (!open.isEmpty()) {
            var alike = open.stream().filter(open.getFirst()::isLike).toList();
            open.removeAll(alike);
            actions.add(joinAlike(alike));
        }
        return actions;
    }

    private Action joinAlike(List<Totals> all) {
        var code = new SourceLines();
        var combine = all.getFirst().combine;
        var type = all.getFirst().type;
        var t = CudaSyntax.computed(type);
        var to = CudaSyntax.stored(all.getFirst().out);
        var fn = CudaSyntax.combine(combine);
        var identity = CudaSyntax.identity(combine, type);
        long share = (count() + SHARES - 1) / SHARES;
        long loaded = Math.min(share, LOADED);
        long blocks = MapText.blocks(columns, 32);
        MapText.open(code, "chunks", 32 * SHARES, 2 * all.size(), true);
        code.add("__shared__ %s shares[%d][32];", t, SHARES);
        code.add("const u32 x = threadIdx.x & 31, y = threadIdx.x >> 5;");
        code.add("const void* from = p0;");
        code.add("void* to = p%d;", all.size());
        for (int i = 1; i < all.size(); i++)
            code.add("if (blockIdx.x >= %d) from = p%d, to = p%d;", i * blocks, i, all.size() + i);
        var block = all.size() == 1 ? "blockIdx.x" : "(blockIdx.x %% %d)".formatted(blocks);
        code.add("const num column = (num)%s * 32 + x;", block);
        code.add("const num first = y * %d;", share);
        code.add("%s sum = %s;", t, identity);
        code.open("if (column < %d)", columns);
        code.add("const %s* const part = (const %s*)from + column;", t, t);
        code.open("for (num c = first; c < first + %d; c += %d)", share, loaded);
        code.add("%s parts[%d];", t, loaded);
        code.add("#pragma unroll");
        code.add("for (int i = 0; i < %d; i++)", loaded);
        code.add(
                "    parts[i] = c + i < first + %d && c + i < %d ? part[(c + i) * %d] : %s;",
                share, count(), columns, identity);
        code.add("#pragma unroll");
        code.add("for (int i = 0; i < %d; i++) sum = %s(sum, parts[i]);", loaded, fn);
        code.close();
        code.close();
        code.add("shares[y][x] = sum;");
        code.add("__syncthreads();");
        code.add("if (y > 0 || column >= %d) return;", columns);
        code.add("#pragma unroll");
        code.add("for (int s = 1; s < %d; s++) sum = %s(sum, shares[s][x]);", SHARES, fn);
        code.add("((%s*)to)[column] = Down<%s>::of(sum);", to, to);
        code.close();
        var operands = new ArrayList<Operand>();
        all.forEach(totals -> operands.add(totals.from));
        all.forEach(totals -> operands.add(totals.to));
        return new Action.Launch(
                "chunks", code.toString(), blocks * all.size(), 32 * SHARES, 0, operands);
    }
}
