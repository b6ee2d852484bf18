package dev.ebb.cuda.text;

import dev.ebb.cuda.recipe.Operand;
import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;

import java.util.List;

/**
 * Kernels whose results depend on the order of elements along one axis: cumulations and sorting. A
 * line is the elements along this axis.
 */
final class LineText {
    private static final int WALKING = 128;
    private static final int SORTING = 256;

    private LineText() {}

    /**
     * Running sums and other cumulations, weighted or not: one thread processes one line. The
     * running value is held in f64, or in the integer's own type, and rounded when it is stored.
     */
    static Recipe cumulate(Kernel.Cumulate k, DType type) {
        long lines = k.outer() * k.inner();
        if (lines == 0 || k.length() == 0) return Recipe.of();
        var t = CudaSyntax.stored(type);
        var code = new SourceLines();
        var x = k.weighted() ? "p1" : "p0";
        var y = k.weighted() ? "p2" : "p1";
        MapText.open(
                code,
                "cumulate",
                WALKING,
                k.weighted() ? 3 : 2,
                lines * k.length() > Integer.MAX_VALUE / 2);
        MapText.each(code, "line", WALKING, lines);
        code.add(
                "const ofs start = line / %d * %d + line %% %d;",
                k.inner(), k.length() * k.inner(), k.inner());
        var carried = type.isFloat() ? "f64" : CudaSyntax.computed(type);
        var rounded = "Down<%s>::of((%s)value)".formatted(t, CudaSyntax.computed(type));
        code.add(
                "%s value = (%s)up(((const %s*)%s)[start + %d]);",
                carried, carried, t, x, first(k));
        code.add("((%s*)%s)[start + %d] = %s;", t, y, first(k), rounded);
        code.open("for (int j = 1; j < %d; j++)", k.length());
        var place = k.reverse() ? (k.length() - 1) + " - j" : "j";
        code.add("const ofs at = start + (ofs)(%s) * %d;", place, k.inner());
        var next = "(%s)up(((const %s*)%s)[at])".formatted(carried, t, x);
        if (k.weighted())
            code.add("value = %s + (%s)up(((const %s*)p0)[at]) * value;", next, carried, t);
        else code.add("value = %s(value, %s);", CudaSyntax.combine(k.combine()), next);
        code.add("((%s*)%s)[at] = %s;", t, y, rounded);
        code.close();
        code.close();
        return Recipe.of(
                MapText.launch(
                        code,
                        "cumulate",
                        lines,
                        WALKING,
                        k.weighted()
                                ? List.of(new Operand.In(0), new Operand.In(1), new Operand.Out(0))
                                : List.of(new Operand.In(0), new Operand.Out(0))));
    }

    private static long first(Kernel.Cumulate k) {
        return k.reverse() ? (k.length() - 1) * k.inner() : 0;
    }

    /**
     * Sorts every line. One thread takes an element and counts the elements of its line that come
     * before it: the count is its position. Work grows with the square of a line's length, but
     * threads need no synchronisation, and no memory besides operand and result is needed.
     */
    static Recipe sort(Kernel.Sort k, DType type) {
        long size = k.outer() * k.length() * k.inner();
        if (size == 0) return Recipe.of();
        var stored = CudaSyntax.stored(type);
        var computed = CudaSyntax.computed(type);
        var code = new SourceLines();
        MapText.open(code, "sort", SORTING, 2, size > Integer.MAX_VALUE / 2);
        MapText.each(code, "at", SORTING, size);
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
                MapText.launch(
                        code,
                        "sort",
                        size,
                        SORTING,
                        List.of(new Operand.In(0), new Operand.Out(0))));
    }
}
