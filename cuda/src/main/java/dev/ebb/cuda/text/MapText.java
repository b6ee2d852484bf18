package dev.ebb.cuda.text;

import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Elementwise kernels. A thread computes a few contiguous elements ("lanes"), so that it reads and
 * writes sixteen bytes at once where an operand allows it. All of its loads come before its first
 * store, so an output may overwrite an operand that is read at the same index.
 */
public final class MapText {
    private static final int THREADS = 256;
    private static final int MOST = 8;

    /** The largest stride of an operand that counts as a small gap. */
    private static final long GAP = 8;

    private final Kernel.Map k;
    private final List<DType> in;
    private final List<DType> out;
    private final Axes axes;
    private final int lanes;

    /** Whether the elements of a thread are adjacent along the fastest axis. */
    private final boolean together;

    private final boolean large;
    private final boolean divides;

    /**
     * Whether every result has sixteen bits, so that faster approximations of exponentials and
     * quotients suffice.
     */
    private final boolean quick;

    private MapText(Kernel.Map k, List<DType> in, List<DType> out) {
        this.k = k;
        this.in = in;
        this.out = out;
        axes = Axes.of(k.shape(), k.operands());
        boolean bits = out.contains(DType.BIT);
        divides = !bits && k.bodies().stream().anyMatch(b -> Expression.divides(b, in));
        // positions beyond the last element must not be noted as divisions by zero
        int wish = bits ? MOST : divides || isSparse() ? 1 : wish();
        while (!bits && axes.rank() > 1 && axes.inner() % wish != 0) wish /= 2;
        together = axes.rank() <= 1 || axes.inner() % wish == 0;
        lanes = together || bits ? wish : 1;
        large = CudaSyntax.isLarge(k.shape(), k.operands());
        quick = out.stream().allMatch(t -> t == DType.BF16 || t == DType.F16);
    }

    static Recipe recipe(Kernel.Map k, List<DType> in, List<DType> out) {
        if (k.shape().size() == 0) return Recipe.of();
        return Recipe.of(new MapText(k, in, out).launch());
    }

    /**
     * Whether most operands are read with small gaps, as the windows of a pool are. Then
     * neighbouring threads should read adjacent elements: with several elements per thread, each
     * cache line would be read several times.
     */
    private boolean isSparse() {
        int gaps = 0;
        int sideBySide = 0;
        for (int i = 0; i < in.size(); i++) {
            long step = Math.abs(axes.step(i));
            if (step > 1 && step <= GAP && in.get(i) != DType.BIT) gaps++;
            if (step == 1) sideBySide++;
        }
        return gaps > 1 && gaps > sideBySide;
    }

    /** The number of elements that fill sixteen bytes of the smallest contiguous type. */
    private int wish() {
        int least = 8;
        for (DType t : out) least = Math.min(least, (int) t.bytes(1));
        for (int i = 0; i < in.size(); i++) {
            if (axes.step(i) == 1) least = Math.min(least, (int) in.get(i).bytes(1));
        }
        return Math.min(MOST, 16 / least);
    }

    private Action.Launch launch() {
        var code = new SourceLines();
        var operands = new ArrayList<Operand>();
        for (int i = 0; i < in.size(); i++) operands.add(new Operand.In(i));
        for (int j = 0; j < out.size(); j++) operands.add(new Operand.Out(j));
        if (divides) operands.addAll(List.of(new Operand.Fault(), new Operand.Node()));
        long size = k.shape().size();
        open(code, "map", THREADS, operands.size(), large);
        code.add("const num at = ((num)blockIdx.x * %d + threadIdx.x) * %d;", THREADS, lanes);
        code.add("if (at >= %d) return;", size);
        boolean tail = size % lanes != 0;
        if (tail) {
            code.add("const int n = %d - at < %d ? (int)(%d - at) : %d;", size, lanes, size, lanes);
        }
        if (together) together(code, tail ? "n" : "");
        else apart(code, tail ? "n" : Integer.toString(lanes));
        code.close();
        long threads = (size + lanes - 1) / lanes;
        return launch(code, "map", threads, THREADS, operands);
    }

    /** Writes the start of a kernel with one thread for each {@code index} below {@code count}. */
    static void each(SourceLines code, String index, int threads, long count) {
        code.add("const num %s = (num)blockIdx.x * %d + threadIdx.x;", index, threads);
        code.add("if (%s >= %d) return;", index, count);
    }

    /** The launch of {@code code} with one thread for each of {@code count} indices. */
    static Action.Launch launch(
            SourceLines code,
            String name,
            long count,
            int threads,
            List<? extends Operand> operands) {
        return new Action.Launch(
                name, code.toString(), blocks(count, threads), threads, 0, List.copyOf(operands));
    }

    static long blocks(long threads, int each) {
        return (threads + each - 1) / each;
    }

    /**
     * Writes the head of a kernel with {@code operands} operands; {@code large} if element numbers
     * need more than 32 bits.
     */
    public static void open(
            SourceLines code, String name, int threads, int operands, boolean large) {
        open(code, name, Integer.toString(threads), operands, large);
    }

    /** The same with launch bounds: threads per block, and blocks per multiprocessor. */
    public static void open(
            SourceLines code, String name, String bounds, int operands, boolean large) {
        var names = new ArrayList<String>();
        for (int i = 0; i < operands; i++) names.add("void* p" + i);
        code.open(
                "extern \"C\" __global__ void __launch_bounds__(%s) %s(%s)",
                bounds, name, String.join(", ", names));
        code.add(large ? "typedef u64 num;" : "typedef u32 num;");
        code.add(large ? "typedef i64 ofs;" : "typedef i32 ofs;");
        code.add("await_previous();");
    }

    private String note() {
        int next = in.size() + out.size();
        return divides ? "p%d, p%d".formatted(next, next + 1) : "";
    }

    private void together(SourceLines code, String n) {
        axes.split(code, "at", "i");
        for (int i = 0; i < in.size(); i++) {
            var start = Long.toString(k.operands().get(i).offset());
            code.add("const ofs o%d = %s;", i, axes.offset(i, start, "i"));
            code.add(loads(i, n));
        }
        for (int j = 0; j < out.size(); j++) {
            if (out.get(j) == DType.BIT) code.add("u32 r%d = 0;", j);
            else code.add("Pack<%s, %d> r%d;", CudaSyntax.stored(out.get(j)), lanes, j);
        }
        code.add("#pragma unroll");
        code.open("for (int e = 0; e < %d; e++)", lanes);
        var values = new Expression(code, in, names("at + e", this::lane), "t", note(), quick);
        var results = k.bodies().stream().map(values::value).toList();
        for (int j = 0; j < out.size(); j++) result(code, j, results.get(j), "r%d.at[e] = %s;");
        code.close();
        for (int j = 0; j < out.size(); j++) {
            int p = in.size() + j;
            if (out.get(j) == DType.BIT) code.add("((u8*)p%d)[at >> 3] = (u8)r%d;", p, j);
            else
                code.add(
                        "store<%d>((%s*)p%d + at, r%d%s);",
                        lanes, CudaSyntax.stored(out.get(j)), p, j, n.isEmpty() ? "" : ", " + n);
        }
    }

    private void result(SourceLines code, int j, String value, String format) {
        if (out.get(j) == DType.BIT) code.add("r%d |= (u32)%s << e;", j, value);
        else code.add(format, j, "Down<" + CudaSyntax.stored(out.get(j)) + ">::of(" + value + ")");
    }

    /** Writes the loads of an operand for all elements of a thread. */
    private String loads(int i, String n) {
        var type = CudaSyntax.stored(in.get(i));
        var from = "(const " + type + "*)p" + i;
        long step = axes.step(i);
        if (in.get(i) == DType.BIT) {
            return step == 1 && isAligned(i)
                    ? "const u32 a%d = (%s)[o%d >> 3];".formatted(i, from, i)
                    : "const u8* const a%d = %s;".formatted(i, from);
        }
        if (step == 0) return "const %s a%d = (%s)[o%d];".formatted(type, i, from, i);
        if (step == 1 && isAligned(i)) {
            var rest = n.isEmpty() ? "" : ", " + n;
            return "const Pack<%s, %d> a%d = load<%d>(%s + o%d%s);"
                    .formatted(type, lanes, i, lanes, from, i, rest);
        }
        return "const Pack<%s, %d> a%d = strided<%d>(%s + o%d, %d, %s);"
                .formatted(type, lanes, i, lanes, from, i, step, n.isEmpty() ? "" + lanes : n);
    }

    private boolean isAligned(int i) {
        return k.operands().get(i).offset() % lanes == 0 && axes.isAligned(i, lanes);
    }

    /** The argument of a lane, loaded by {@link #loads}. */
    private String lane(int i) {
        long step = axes.step(i);
        if (in.get(i) == DType.BIT) {
            return step == 1 && isAligned(i)
                    ? "(bool)(a%d >> e & 1)".formatted(i)
                    : "bit(a%d, o%d + e * %dLL)".formatted(i, i, step);
        }
        return step == 0 ? "up(a%d)".formatted(i) : "up(a%d.at[e])".formatted(i);
    }

    /** Writes the index of every element of a thread separately. */
    private void apart(SourceLines code, String n) {
        for (int j = 0; j < out.size(); j++) {
            if (out.get(j) == DType.BIT) code.add("u32 r%d = 0;", j);
        }
        code.open("for (int e = 0; e < %s; e++)", n);
        code.add("const num here = at + e;");
        axes.split(code, "here", "i");
        for (int i = 0; i < in.size(); i++) {
            var start = Long.toString(k.operands().get(i).offset());
            code.add("const ofs o%d = %s;", i, axes.offset(i, start, "i"));
            code.add(
                    "const %s a%d = %s;", CudaSyntax.computed(in.get(i)), i, element(in.get(i), i));
        }
        var values = new Expression(code, in, names("here", i -> "a" + i), "t", note(), quick);
        var results = k.bodies().stream().map(values::value).toList();
        for (int j = 0; j < out.size(); j++) {
            var format =
                    "((%s*)p%d)[here] = %%2$s;"
                            .formatted(CudaSyntax.stored(out.get(j)), in.size() + j);
            result(code, j, results.get(j), format);
        }
        code.close();
        for (int j = 0; j < out.size(); j++) {
            if (out.get(j) == DType.BIT)
                code.add("((u8*)p%d)[at >> 3] = (u8)r%d;", in.size() + j, j);
        }
    }

    /**
     * The expression for element {@code o} of operand {@code p}, both with the suffix {@code i}.
     */
    public static String element(DType type, int i) {
        return element(type, "p" + i, "o" + i);
    }

    public static String element(DType type, String pointer, String offset) {
        return type == DType.BIT
                ? "bit((const u8*)%s, %s)".formatted(pointer, offset)
                : "up(((const %s*)%s)[%s])".formatted(CudaSyntax.stored(type), pointer, offset);
    }

    private Expression.Names names(String position, IntFunction<String> arg) {
        return names(k.shape(), "(" + position + ")", arg);
    }

    /** The names of the inputs at a row-major position of {@code shape}. */
    static Expression.Names names(Shape shape, String position, IntFunction<String> arg) {
        return new Expression.Names() {
            @Override
            public String argument(int index) {
                return arg.apply(index);
            }

            @Override
            public String index(int axis) {
                long inner = 1;
                for (int d = axis + 1; d < shape.rank(); d++) inner *= shape.dim(d);
                return "(i32)(%s / %d %% %d)"
                        .formatted(position, inner, Math.max(1, shape.dim(axis)));
            }

            @Override
            public String position() {
                return "(i64)" + position;
            }
        };
    }
}
