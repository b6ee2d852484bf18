package dev.ebb.cuda.text;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;

import java.util.List;

/**
 * Running sums and the like: one thread walks one line. What runs along is carried in f64, or in
 * the integer's own type, and rounded where it is stored.
 */
final class CumulateText {
    private static final int THREADS = 128;

    private CumulateText() {}

    static Recipe recipe(Kernel.Cumulate k, DType type) {
        long lines = k.outer() * k.inner();
        if (lines == 0 || k.length() == 0) return Recipe.of();
        var t = Words.stored(type);
        var code = new Lines();
        MapText.open(code, "cumulate", THREADS, 2, lines * k.length() > Integer.MAX_VALUE / 2);
        code.add("const num line = (num)blockIdx.x * %d + threadIdx.x;", THREADS);
        code.add("if (line >= %d) return;", lines);
        code.add(
                "const ofs start = line / %d * %d + line %% %d;",
                k.inner(), k.length() * k.inner(), k.inner());
        var carried = type.isFloat() ? "f64" : Words.computed(type);
        var rounded = "Down<%s>::of((%s)value)".formatted(t, Words.computed(type));
        code.add("%s value = (%s)up(((const %s*)p0)[start + %d]);", carried, carried, t, first(k));
        code.add("((%s*)p1)[start + %d] = %s;", t, first(k), rounded);
        code.open("for (int j = 1; j < %d; j++)", k.length());
        var place = k.reverse() ? (k.length() - 1) + " - j" : "j";
        code.add("const ofs at = start + (ofs)(%s) * %d;", place, k.inner());
        code.add(
                "value = %s(value, (%s)up(((const %s*)p0)[at]));",
                Words.combine(k.combine()), carried, t);
        code.add("((%s*)p1)[at] = %s;", t, rounded);
        code.close();
        code.close();
        return Recipe.of(
                new Action.Launch(
                        "cumulate",
                        code.toString(),
                        MapText.blocks(lines, THREADS),
                        THREADS,
                        0,
                        List.of(new Operand.In(0), new Operand.Out(0))));
    }

    private static long first(Kernel.Cumulate k) {
        return k.reverse() ? (k.length() - 1) * k.inner() : 0;
    }
}
