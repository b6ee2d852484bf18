package dev.ebb.cuda.text;

import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;

/** One box in an array that is filled around it, in one pass over the whole. */
final class PadText {
    private static final int THREADS = 256;

    /** An axis of the whole, and where along it the box lies. */
    private record Axis(int size, int start, int length) {
        boolean isWhole() {
            return length == size;
        }
    }

    private PadText() {}

    /** Whether this is one box, element by element. */
    static boolean fits(Kernel.Assemble k) {
        if (k.parts().size() != 1 || k.isUpdate() || k.isTiled()) return false;
        var part = k.parts().getFirst();
        return part.shape().size() > 0 && part.step().stream().allMatch(s -> s == 1);
    }

    private static List<Axis> axes(Shape shape, Kernel.Part part) {
        var axes = new ArrayList<Axis>();
        for (int d = 0; d < shape.rank(); d++) {
            var axis = new Axis(shape.dim(d), part.start().get(d), part.shape().dim(d));
            if (!axes.isEmpty() && axes.getLast().isWhole() && axis.isWhole()) {
                int size = axes.removeLast().size() * axis.size();
                axis = new Axis(size, 0, size);
            }
            axes.add(axis);
        }
        return axes;
    }

    static Recipe recipe(Kernel.Assemble k, DType type) {
        var part = k.parts().getFirst();
        var axes = axes(k.shape(), part);
        long size = k.shape().size();
        int lanes = (int) Math.min(8, 16 / type.bytes(1));
        boolean tail = size % lanes != 0;
        var t = Words.stored(type);
        var fill = type.isFloat() ? Words.literal(type, k.fill()) : Words.whole((long) k.fill());
        var code = new Lines();
        boolean large = Words.isLarge(k.shape(), List.of(View.contiguous(k.shape())));
        MapText.open(code, "pad", THREADS, 2, large);
        code.add("const num first = ((num)blockIdx.x * %d + threadIdx.x) * %d;", THREADS, lanes);
        code.add("if (first >= %d) return;", size);
        code.add("Pack<%s, %d> r;", t, lanes);
        code.add("#pragma unroll");
        code.open("for (int e = 0; e < %d; e++)", lanes);
        code.add("const num x = first + e;");
        code.add("bool inside = %s;", tail ? "x < " + size : "true");
        var rest = "x";
        for (int d = axes.size() - 1; d >= 0; d--) {
            var a = axes.get(d);
            var index = d == 0 ? rest : "%s %% %d".formatted(rest, a.size());
            code.add("const num i%d = %s - %d;", d, index, a.start());
            if (!a.isWhole()) code.add("inside = inside && i%d < %d;", d, a.length());
            if (d > 0) code.add("const num r%d = %s / %d;", d, rest, a.size());
            rest = "r" + d;
        }
        var offset = "i0";
        for (int d = 1; d < axes.size(); d++)
            offset = "(%s * %d + i%d)".formatted(offset, axes.get(d).length(), d);
        code.add("r.at[e] = Down<%s>::of(%s);", t, fill);
        code.add("if (inside) r.at[e] = ((const %s*)p0)[%s];", t, offset);
        code.close();
        if (tail) {
            code.add("const num left = %d - first;", size);
            code.add(
                    "store<%d>((%s*)p1 + first, r, left < %d ? (int)left : %d);",
                    lanes, t, lanes, lanes);
        } else {
            code.add("store<%d>((%s*)p1 + first, r);", lanes, t);
        }
        code.close();
        return Recipe.of(
                new Action.Launch(
                        "pad",
                        code.toString(),
                        MapText.blocks(Math.ceilDiv(size, lanes), THREADS),
                        THREADS,
                        0,
                        List.of(new Operand.In(0), new Operand.Out(0))));
    }
}
