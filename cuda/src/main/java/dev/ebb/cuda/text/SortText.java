package dev.ebb.cuda.text;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;

import java.util.List;

/**
 * The order of every line. One thread takes an element and counts the elements of its line that
 * come before it: that is its place. Work grows with the square of a line's length, but nothing
 * waits for anything, and nothing is needed beside operand and result.
 */
final class SortText {
    private static final int THREADS = 256;

    private SortText() {}

    static Recipe recipe(Kernel.Sort k, DType type) {
        long size = k.outer() * k.length() * k.inner();
        if (size == 0) return Recipe.of();
        var stored = Words.stored(type);
        var computed = Words.computed(type);
        var code = new Lines();
        MapText.open(code, "sort", THREADS, 2, size > Integer.MAX_VALUE / 2);
        code.add("const num at = (num)blockIdx.x * %d + threadIdx.x;", THREADS);
        code.add("if (at >= %d) return;", size);
        code.add("const num j = at / %d %% %d;", k.inner(), k.length());
        code.add("const ofs start = at - j * %d;", k.inner());
        code.add("const %s own = up(((const %s*)p0)[at]);", computed, stored);
        code.add("num place = 0;");
        code.open("for (num k = 0; k < %d; k++)", k.length());
        code.add("const %s x = up(((const %s*)p0)[start + k * %d]);", computed, stored, k.inner());
        code.add(
                "const int sign = x < own ? -1 : x > own ? 1 : (int)(x != x) - (int)(own != own);");
        code.add("if (sign %s 0 || (sign == 0 && k < j)) place++;", k.descending() ? ">" : "<");
        code.close();
        code.add("((i64*)p1)[start + place * %d] = (i64)j;", k.inner());
        code.close();
        return Recipe.of(
                new Action.Launch(
                        "sort",
                        code.toString(),
                        MapText.blocks(size, THREADS),
                        THREADS,
                        0,
                        List.of(new Operand.In(0), new Operand.Out(0))));
    }
}
