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

/** Kernels that move elements unchanged: assemble, cut, gather. */
final class MoveText {
    private static final int THREADS = 256;

    private MoveText() {}

    static Recipe assemble(Kernel.Assemble k, DType type) {
        var actions = new ArrayList<Action>();
        if (k.shape().size() == 0) return Recipe.of();
        if (Pad.fits(k)) return Pad.recipe(k, type);
        boolean update = k.isUpdate();
        if (!update && !k.isTiled()) actions.add(fill(k.shape().size(), type, k.fill()));
        for (int p = 0; p < k.parts().size(); p++) {
            var part = k.parts().get(p);
            if (part.shape().size() == 0) continue;
            var from = new Operand.In(p);
            var out = new Operand.Out(0);
            var own = View.contiguous(part.shape());
            var copy = copy(part.shape(), type, own, part.in(k.shape()), from, out);
            actions.add(update && p == 0 ? new Action.Unless(from, out, copy) : copy);
        }
        return new Recipe(actions, 0);
    }

    static Recipe cut(Kernel.Cut k, DType type) {
        var actions = new ArrayList<Action>();
        for (int j = 0; j < k.sizes().size(); j++) {
            var shape = k.shape(j);
            if (shape.size() == 0) continue;
            var to = View.contiguous(shape);
            actions.add(copy(shape, type, k.view(j), to, new Operand.In(0), new Operand.Out(j)));
        }
        return new Recipe(actions, 0);
    }

    private static Action fill(long size, DType type, double value) {
        if (value == 0 && !(1 / value < 0 && type.isFloat())) {
            return new Action.Zero(new Operand.Out(0), type.bytes(size));
        }
        var code = new SourceLines();
        MapText.open(code, "fill", THREADS, 1, true);
        code.add("const num at = (num)blockIdx.x * %d + threadIdx.x;", THREADS);
        var word =
                type.isFloat() ? CudaSyntax.literal(type, value) : CudaSyntax.whole((long) value);
        code.add(
                "if (at < %d) ((%s*)p0)[at] = Down<%s>::of(%s);",
                size, CudaSyntax.stored(type), CudaSyntax.stored(type), word);
        code.close();
        return MapText.launch(code, "fill", size, THREADS, List.of(new Operand.Out(0)));
    }

    /** Copies elements of {@code shape} from one view to another. */
    static Action.Launch copy(
            Shape shape, DType type, View from, View to, Operand source, Operand target) {
        var walk = new Walk(shape, List.of(from, to), type, 0);
        var code = new SourceLines();
        MapText.open(code, "copy", THREADS, 2, walk.large);
        walk.begin(code);
        walk.move(code, "o0", "p0", "o1", "p1");
        code.close();
        return walk.launch("copy", code, List.of(source, target));
    }

    static Recipe gather(Kernel.Gather k, DType type, DType index) {
        if (k.shape().size() == 0) return Recipe.of();
        var out = View.contiguous(k.shape());
        var walk = new Walk(k.shape(), List.of(k.data(), out, k.index()), type, k.stride());
        var code = new SourceLines();
        MapText.open(code, "gather", THREADS, 5, walk.large);
        walk.begin(code);
        code.add(
                "const i64 pick = within(((const %s*)p1)[o2], %dLL, (i64*)p3, (i64)p4);",
                CudaSyntax.stored(index), k.bound());
        walk.move(code, "o0 + pick * %dLL".formatted(k.stride()), "p0", "o1", "p2");
        code.close();
        var operands =
                List.<Operand>of(
                        new Operand.In(0),
                        new Operand.In(1),
                        new Operand.Out(0),
                        new Operand.Fault(),
                        new Operand.Node());
        return Recipe.of(walk.launch("gather", code, operands));
    }

    /**
     * An iteration over several elements per thread if these are contiguous in source and target,
     * otherwise over one.
     */
    private static final class Walk {
        private final Shape shape;
        private final List<View> views;
        private final String type;
        private final Axes axes;
        private final int lanes;
        private final boolean large;

        /**
         * The first two views are source and target; any others must be constant along the lanes.
         */
        Walk(Shape shape, List<View> views, DType stored, long jump) {
            this.shape = shape;
            this.views = views;
            type = CudaSyntax.raw(stored);
            axes = Axes.of(shape, views);
            int wish = (int) Math.min(8, 16 / stored.bytes(1));
            lanes = sideBySide(wish, jump) ? wish : 1;
            large = CudaSyntax.isLarge(shape, views);
        }

        private boolean sideBySide(int n, long jump) {
            if (axes.rank() > 1 && axes.inner() % n != 0 || jump % n != 0) return false;
            for (int v = 0; v < views.size(); v++) {
                if (axes.step(v) != (v < 2 ? 1 : 0)) return false;
                if (v < 2 && (views.get(v).offset() % n != 0 || !axes.isAligned(v, n)))
                    return false;
            }
            return true;
        }

        private boolean tail() {
            return shape.size() % lanes != 0;
        }

        void begin(SourceLines code) {
            long size = shape.size();
            code.add("const num at = ((num)blockIdx.x * %d + threadIdx.x) * %d;", THREADS, lanes);
            code.add("if (at >= %d) return;", size);
            if (tail()) {
                code.add(
                        "const int n = %d - at < %d ? (int)(%d - at) : %d;",
                        size, lanes, size, lanes);
            }
            axes.split(code, "at", "i");
            for (int v = 0; v < views.size(); v++) {
                var start = Long.toString(views.get(v).offset());
                code.add("const ofs o%d = %s;", v, axes.offset(v, start, "i"));
            }
        }

        void move(SourceLines code, String from, String source, String to, String target) {
            var n = tail() ? ", n" : "";
            code.add(
                    "store<%d>((%s*)%s + %s, load<%d>((const %s*)%s + %s%s)%s);",
                    lanes, type, target, to, lanes, type, source, from, n, n);
        }

        Action.Launch launch(String name, SourceLines code, List<Operand> operands) {
            long threads = (shape.size() + lanes - 1) / lanes;
            return MapText.launch(code, name, threads, THREADS, operands);
        }
    }

    /**
     * A box in an array that is filled with a constant around it, written in one pass over the
     * whole array.
     */
    private static final class Pad {
        private static final int THREADS = 256;

        /** An axis of the whole array, and the position of the box along it. */
        private record Axis(int size, int start, int length) {
            boolean isWhole() {
                return length == size;
            }
        }

        private Pad() {}

        /** Whether the kernel assembles a single box with step one. */
        static boolean fits(Kernel.Assemble k) {
            if (k.parts().size() != 1 || k.isUpdate() || k.isTiled()) return false;
            var part = k.parts().getFirst();
            return part.shape().size() > 0 && part.step().stream().allMatch(s -> s == 1);
        }

        private static List<Axis> axes(Shape shape, View.Part part) {
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
            var t = CudaSyntax.stored(type);
            var fill =
                    type.isFloat()
                            ? CudaSyntax.literal(type, k.fill())
                            : CudaSyntax.whole((long) k.fill());
            var code = new SourceLines();
            boolean large = CudaSyntax.isLarge(k.shape(), List.of(View.contiguous(k.shape())));
            MapText.open(code, "pad", THREADS, 2, large);
            code.add(
                    "const num first = ((num)blockIdx.x * %d + threadIdx.x) * %d;", THREADS, lanes);
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
                    MapText.launch(
                            code,
                            "pad",
                            Math.ceilDiv(size, lanes),
                            THREADS,
                            List.of(new Operand.In(0), new Operand.Out(0))));
        }
    }
}
