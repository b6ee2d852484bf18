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

/**
 * Products of any types, views and epilogue: tiles of 64 by 64, sixteen steps of the sum at a time
 * in shared memory, sixteen results per thread. The sum runs from the first k to the last with one
 * rounding per step.
 */
public final class ContractText {
    private static final int THREADS = 256;
    private static final int TILE = 64;
    private static final int DEPTH = 16;

    private final Kernel.Contract k;
    private final List<DType> in;
    private final DType out;
    private final Shape shape;
    private final boolean large;
    private final SourceLines code = new SourceLines();

    private ContractText(Kernel.Contract k, List<DType> in, DType out) {
        this.k = k;
        this.in = in;
        this.out = out;
        shape = k.shape();
        large =
                CudaSyntax.isLarge(shape, k.extras())
                        || CudaSyntax.isLarge(k.batch().append(k.m(), k.k()), List.of(k.a()))
                        || CudaSyntax.isLarge(k.batch().append(k.k(), k.n()), List.of(k.b()));
    }

    public static Recipe recipe(Kernel.Contract k, List<DType> in, DType out) {
        if (k.shape().size() == 0) return Recipe.of();
        if (out != DType.BIT) {
            return Recipe.of(new ContractText(k, in, out).launch(new Operand.Out(0)));
        }
        return apart(k, in, out);
    }

    /**
     * Sums into the workspace, followed by the epilogue as a separate map; for results of packed
     * bits.
     */
    private static Recipe apart(Kernel.Contract k, List<DType> in, DType out) {
        var type = in.getFirst().compute();
        var shape = k.shape();
        var bare =
                new Kernel.Contract(
                        k.batch(),
                        k.m(),
                        k.n(),
                        k.k(),
                        k.a(),
                        k.b(),
                        List.of(),
                        dev.ebb.ir.Scalar.arg(0));
        var sums = new ContractText(bare, in.subList(0, 2), type).launch(new Operand.Work(0));
        return new Recipe(
                List.of(sums, epilogue(k, in, out, type, shape)), type.bytes(shape.size()));
    }

    /** The epilogue for sums at the start of the workspace. */
    static Action epilogue(Kernel.Contract k, List<DType> in, DType out, DType type, Shape shape) {
        var views = new ArrayList<View>(List.of(View.contiguous(shape)));
        views.addAll(k.extras());
        var types = new ArrayList<DType>(List.of(type));
        types.addAll(in.subList(2, in.size()));
        var map = Kernel.Map.of(shape, views, k.epilogue());
        var launch = (Action.Launch) MapText.recipe(map, types, List.of(out)).actions().getFirst();
        var operands = new ArrayList<Operand>(List.of(new Operand.Work(0)));
        for (int i = 2; i < in.size(); i++) operands.add(new Operand.In(i));
        operands.add(new Operand.Out(0));
        return launch.on(operands);
    }

    private Action launch(Operand target) {
        var type = CudaSyntax.computed(in.getFirst());
        long down = (k.m() + TILE - 1) / TILE;
        long across = (k.n() + TILE - 1) / TILE;
        MapText.open(code, "contract", THREADS, in.size() + 1, large);
        code.add("__shared__ %s left[%d][%d];", type, DEPTH, TILE + 1);
        code.add("__shared__ %s right[%d][%d];", type, DEPTH, TILE + 1);
        code.add("const num across = blockIdx.x %% %d * %d;", across, TILE);
        code.add("const num down = blockIdx.x / %d %% %d * %d;", across, down, TILE);
        code.add("const num batch = blockIdx.x / %d;", across * down);
        code.add("const int tx = threadIdx.x & 15, ty = threadIdx.x >> 4;");
        var views = new ArrayList<View>(List.of(k.a(), k.b()));
        views.addAll(k.extras());
        var axes = Axes.of(shape, views, k.batch().allAxes());
        axes.split(code, "batch", "b");
        for (int v = 0; v < views.size(); v++) {
            var start = Long.toString(views.get(v).offset());
            code.add("const ofs s%d = %s;", v, axes.offset(v, start, "b"));
        }
        code.add("%s sum[4][4] = {};", type);
        code.open("for (num depth = 0; depth < %d; depth += %d)", k.k(), DEPTH);
        code.add("#pragma unroll");
        code.open("for (int r = 0; r < 4; r++)");
        loads("left", 0, "down", k.m(), k.a(), true);
        loads("right", 1, "across", k.n(), k.b(), false);
        code.close();
        code.add("__syncthreads();");
        code.add("#pragma unroll");
        code.open("for (int t = 0; t < %d; t++)", DEPTH);
        code.add("#pragma unroll");
        code.add("for (int i = 0; i < 4; i++)");
        code.add("#pragma unroll");
        code.add("    for (int j = 0; j < 4; j++)");
        code.add(
                "        sum[i][j] = multiply_add(left[t][ty * 4 + i], right[t][tx + 16 * j],"
                        + " sum[i][j]);");
        code.close();
        code.add("__syncthreads();");
        code.close();
        results();
        code.close();
        var operands = new ArrayList<Operand>();
        for (int i = 0; i < in.size(); i++) operands.add(new Operand.In(i));
        operands.add(target);
        return new Action.Launch(
                "contract",
                code.toString(),
                k.batch().size() * down * across,
                THREADS,
                0,
                operands);
    }

    /** Loads this thread's elements of a tile; neighbouring threads follow the contiguous axis. */
    private void loads(String tile, int operand, String start, int bound, View view, boolean rows) {
        int rank = shape.rank();
        long step = view.stride(rows ? rank - 2 : rank - 1);
        long depth = view.stride(rows ? rank - 1 : rank - 2);
        code.add("{");
        if (Math.abs(depth) == 1) {
            code.add("const int t = threadIdx.x & 15, i = (threadIdx.x >> 4) + 16 * r;");
        } else {
            code.add("const int i = threadIdx.x & 63, t = (threadIdx.x >> 6) + 4 * r;");
        }
        code.add("const num x = %s + i, z = depth + t;", start);
        var offset = "s%d + (ofs)x * %d + (ofs)z * %d".formatted(operand, step, depth);
        code.add(
                "%s[t][i] = x < %d && z < %d ? %s : %s;",
                tile,
                bound,
                k.k(),
                MapText.element(in.get(operand), "p" + operand, offset),
                CudaSyntax.literal(in.get(operand), 0));
        code.close();
    }

    private void results() {
        int rank = shape.rank();
        code.add("#pragma unroll");
        code.open("for (int i = 0; i < 4; i++)");
        code.add("#pragma unroll");
        code.open("for (int j = 0; j < 4; j++)");
        code.add("const num y = down + ty * 4 + i, x = across + tx + 16 * j;");
        code.open("if (y < %d && x < %d)", k.m(), k.n());
        code.add("const num at = (batch * %d + y) * %d + x;", k.m(), k.n());
        var types = new ArrayList<DType>(List.of(in.getFirst()));
        types.addAll(in.subList(2, in.size()));
        for (int e = 0; e < k.extras().size(); e++) {
            var view = k.extras().get(e);
            var offset =
                    "s%d + (ofs)y * %d + (ofs)x * %d"
                            .formatted(e + 2, view.stride(rank - 2), view.stride(rank - 1));
            code.add(
                    "const %s e%d = %s;",
                    CudaSyntax.computed(in.get(e + 2)),
                    e,
                    MapText.element(in.get(e + 2), "p" + (e + 2), offset));
        }
        var values =
                new Expression(
                        code,
                        types,
                        MapText.names(shape, "at", i -> i == 0 ? "sum[i][j]" : "e" + (i - 1)),
                        "t");
        var value = values.value(k.epilogue());
        code.add(
                "((%s*)p%d)[at] = Down<%s>::of(%s);",
                CudaSyntax.stored(out), in.size(), CudaSyntax.stored(out), value);
        code.close();
        code.close();
        code.close();
    }
}
