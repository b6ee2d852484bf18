package dev.ebb.cuda.text;

import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel.Combine;

import java.util.List;

/**
 * The order in which columns are folded, which depends on the number of rows alone: chunks of
 * {@code height} rows, each in order; then groups of consecutive chunks, each in order; then the
 * groups in order.
 */
record Chunks(long rows, long columns, int height) {
    private static final int SHARES = 32;

    /** From this number of rows on, higher chunks still give a GPU enough parallel work. */
    private static final long MANY = 8192;

    /**
     * Chunks for a plain fold of columns: higher if there are many rows, so that fewer are
     * combined.
     */
    static Chunks plain(long rows, long columns) {
        return new Chunks(rows, columns, rows >= MANY ? 64 : 16);
    }

    /**
     * Chunks for rows whose numbers are folded first: each chunk is processed by a few lanes only.
     */
    static Chunks afterNumbers(long rows, long columns) {
        return new Chunks(rows, columns, 16);
    }

    long count() {
        return Math.max(1, (rows + height - 1) / height);
    }

    /** Combines the chunks [count, columns] at {@code from} into {@code to}. */
    Action join(Combine combine, DType type, DType out, Operand from, Operand to) {
        var code = new Lines();
        var t = Words.computed(type);
        var fn = Words.combine(combine);
        long share = (count() + SHARES - 1) / SHARES;
        MapText.open(code, "chunks", 32 * SHARES, 2, true);
        code.add("__shared__ %s shares[%d][32];", t, SHARES);
        code.add("const u32 x = threadIdx.x & 31, y = threadIdx.x >> 5;");
        code.add("const num column = (num)blockIdx.x * 32 + x;");
        code.add("const num first = y * %d;", share);
        code.add(
                "const num last = first + %d < %d ? first + %d : %d;",
                share, count(), share, count());
        code.add("%s sum = %s;", t, Words.identity(combine, type));
        code.open("if (column < %d)", columns);
        code.add("const %s* const part = (const %s*)p0 + column;", t, t);
        code.add("#pragma unroll 8");
        code.add("for (num c = first; c < last; c++) sum = %s(sum, part[c * %d]);", fn, columns);
        code.close();
        code.add("shares[y][x] = sum;");
        code.add("__syncthreads();");
        code.add("if (y > 0 || column >= %d) return;", columns);
        code.add("#pragma unroll");
        code.add("for (int s = 1; s < %d; s++) sum = %s(sum, shares[s][x]);", SHARES, fn);
        code.add("((%s*)p1)[column] = Down<%s>::of(sum);", Words.stored(out), Words.stored(out));
        code.close();
        return new Action.Launch(
                "chunks",
                code.toString(),
                MapText.blocks(columns, 32),
                32 * SHARES,
                0,
                List.of(from, to));
    }
}
