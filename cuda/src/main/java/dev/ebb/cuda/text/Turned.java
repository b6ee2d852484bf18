package dev.ebb.cuda.text;

import dev.ebb.cuda.driver.Gemm;
import dev.ebb.ir.DType;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A product by the library whose factors are turned beforehand. Tensor cores take tf32 only along
 * the axis that is summed; a factor that lies the other way is turned by the library in each of its
 * tiles, which costs a fifth of a product, or a third where both factors do. A copy that lies the
 * right way costs less where the factor is read often enough. What is turned depends on the
 * product's sizes alone.
 */
record Turned(Gemm gemm, boolean a, boolean b) {
    /** How long the other factor's free axis must be, where neither factor lies the right way. */
    private static final int FIRST = 1024;

    /** And where one of them does. */
    private static final int SECOND = 8192;

    private static final int SIDE = 32;
    private static final int ALIGNMENT = 256;

    static Turned of(Gemm g) {
        boolean a = false;
        boolean b = false;
        if (g.tensorFloats() && g.batch() == 1) {
            boolean neither = !g.rowsA() && g.rowsB();
            if (neither && Math.max(g.m(), g.n()) >= FIRST) {
                a = g.m() <= g.n();
                b = !a;
            }
            a |= !g.rowsA() && g.n() >= SECOND;
            b |= g.rowsB() && g.m() >= SECOND;
        }
        return new Turned(g, a, b);
    }

    private long aBytes() {
        return a ? aligned((long) gemm.m() * gemm.k()) : 0;
    }

    private long bBytes() {
        return b ? aligned((long) gemm.n() * gemm.k()) : 0;
    }

    private static long aligned(long elements) {
        return Math.ceilDiv(DType.F32.bytes(elements), ALIGNMENT) * ALIGNMENT;
    }

    /** Bytes of the copies. */
    long bytes() {
        return aBytes() + bBytes();
    }

    /** The product as the library sees it. */
    Gemm seen() {
        return new Gemm(
                gemm.type(),
                gemm.result(),
                gemm.tensorFloats(),
                gemm.bias(),
                gemm.batch(),
                gemm.m(),
                gemm.n(),
                gemm.k(),
                a || gemm.rowsA(),
                a ? gemm.k() : gemm.leadA(),
                a ? 0 : gemm.stepA(),
                a ? 0 : gemm.offsetA(),
                !b && gemm.rowsB(),
                b ? gemm.k() : gemm.leadB(),
                b ? 0 : gemm.stepB(),
                b ? 0 : gemm.offsetB());
    }

    /** Copies at the start of the workspace, then the product. */
    List<Action> actions(Operand result, Optional<Operand> bias) {
        var actions = new ArrayList<Action>();
        Operand left = new Operand.In(0);
        Operand right = new Operand.In(1);
        if (a) {
            var to = new Operand.Work(0);
            actions.add(turn(gemm.offsetA(), gemm.leadA(), gemm.m(), left, to));
            left = to;
        }
        if (b) {
            var to = new Operand.Work(aBytes());
            actions.add(turn(gemm.offsetB(), gemm.leadB(), gemm.n(), right, to));
            right = to;
        }
        actions.add(new Action.Product(seen(), left, right, result, bias, bytes()));
        return actions;
    }

    /** From rows along the free axis, {@code lead} apart, to rows along the summed axis. */
    private Action turn(long offset, long lead, int free, Operand from, Operand to) {
        int k = gemm.k();
        long across = MapText.blocks(free, SIDE);
        var code = new Lines();
        MapText.open(code, "turn", 256, 2, true);
        code.add("__shared__ f32 tile[%d][%d];", SIDE, SIDE + 1);
        code.add("const int x = threadIdx.x & 31, y = threadIdx.x >> 5;");
        code.add("const int free = (int)(blockIdx.x %% %d) * %d;", across, SIDE);
        code.add("const int sum = (int)(blockIdx.x / %d) * %d;", across, SIDE);
        code.add("#pragma unroll");
        code.add("for (int r = y; r < %d; r += 8)", SIDE);
        code.add(
                "    if (sum + r < %d && free + x < %d) tile[r][x] = ((const f32*)p0)[%dLL +"
                        + " (ofs)(sum + r) * %d + free + x];",
                k, free, offset, lead);
        code.add("__syncthreads();");
        code.add("#pragma unroll");
        code.add("for (int r = y; r < %d; r += 8)", SIDE);
        code.add(
                "    if (free + r < %d && sum + x < %d) ((f32*)p1)[(ofs)(free + r) * %d + sum + x]"
                        + " = tile[x][r];",
                free, k, k);
        code.close();
        return new Action.Launch(
                "turn",
                code.toString(),
                across * MapText.blocks(k, SIDE),
                256,
                0,
                List.of(from, to));
    }
}
