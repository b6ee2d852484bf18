package dev.ebb.cuda.text;

import dev.ebb.cuda.Precision;
import dev.ebb.cuda.driver.Gemm;
import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides which products cuBLASLt computes: those of floats whose rows or columns are contiguous
 * and whose batch has uniform strides. All others are generated. The decision depends on the kernel
 * and the types alone. The library adds a bias itself; any other epilogue is a separate map over
 * sums in the workspace, because it may overwrite its operands.
 */
public final class Products {
    /**
     * Below this number of multiplications a generated product takes no longer than the library's.
     */
    private static final long SMALL = 1 << 15;

    /** The most workspace bytes for the library. */
    private static final long LIBRARY = 32L << 20;

    /** Sums split over blocks may take the memory of this many results. */
    private static final long SPLITS = 16;

    /** Bytes for aligning the library's part of a workspace. */
    private static final long SLACK = 256;

    private Products() {}

    static Recipe recipe(Kernel.Contract k, List<DType> in, DType out, Precision precision) {
        var found = gemm(k, in, out, precision);
        if (found.isEmpty()) return ContractText.recipe(k, in, out);
        var gemm = found.get();
        if ((isPlain(k) || gemm.bias()) && gemm.result() == out) {
            var turned = TransposedProduct.of(gemm);
            Optional<Operand> bias =
                    gemm.bias() ? Optional.of(new Operand.In(2)) : Optional.empty();
            return new Recipe(
                    turned.actions(new Operand.Out(0), bias),
                    turned.bytes() + libraryBytes(gemm) + SLACK);
        }
        var shape = k.shape();
        long bytes = (gemm.result().bytes(shape.size()) + 255) / 256 * 256;
        return new Recipe(
                List.of(
                        new Action.Product(
                                gemm,
                                new Operand.In(0),
                                new Operand.In(1),
                                new Operand.Work(0),
                                Optional.empty(),
                                bytes),
                        ContractText.epilogue(k, in, out, gemm.result(), shape)),
                bytes + libraryBytes(gemm) + SLACK);
    }

    /** The bytes that the library may use for a product; depends on its sizes alone. */
    public static long libraryBytes(Gemm g) {
        long result = g.result().bytes((long) g.batch() * g.m() * g.n());
        return Math.min(LIBRARY, SPLITS * (result + SLACK) / SLACK * SLACK);
    }

    private static boolean isPlain(Kernel.Contract k) {
        return k.epilogue().equals(Scalar.arg(0));
    }

    /**
     * Whether the epilogue adds a vector to every row. The library adds it to the sums before they
     * are rounded. It reads the vector while it writes the result, so a product of a single row,
     * which may overwrite the vector, is left to a map.
     */
    private static boolean isBias(Kernel.Contract k, List<DType> in, DType out) {
        var type = in.getFirst();
        if (type == DType.F64 || out != type || in.size() != 3 || in.get(2) != type) return false;
        var bias = Scalar.arg(1);
        var epilogue = k.epilogue();
        boolean sum = false;
        for (var x : List.of(Scalar.arg(0), new Scalar.Cast(type, Scalar.arg(0))))
            sum |= epilogue.equals(x.add(bias)) || epilogue.equals(bias.add(x));
        if (!sum || k.batch().size() * k.m() == 1) return false;
        var view = k.extras().getFirst();
        int last = k.batch().rank() + 1;
        for (int d = 0; d < last; d++) if (view.stride(d) != 0) return false;
        return view.offset() == 0 && view.stride(last) == 1;
    }

    /** The product in the library's terms, if the library can compute it. */
    public static Optional<Gemm> gemm(
            Kernel.Contract k, List<DType> in, DType out, Precision precision) {
        var type = in.getFirst();
        if (!type.isFloat() || in.get(1) != type) return Optional.empty();
        long size = k.batch().size() * k.m() * k.n();
        if (size == 0 || k.k() == 0 || size * k.k() < SMALL) return Optional.empty();
        var a = Side.of(k.a(), k.batch().rank(), k.m(), k.k());
        var b = Side.of(k.b(), k.batch().rank(), k.k(), k.n());
        if (a.isEmpty() || b.isEmpty()) return Optional.empty();
        var axes = Axes.of(k.shape(), List.of(k.a(), k.b()), k.batch().allAxes());
        if (axes.rank() > 1) return Optional.empty();
        boolean half = type == DType.BF16 || type == DType.F16;
        boolean bias = isBias(k, in, out);
        // the library may round to sixteen bits; a separate epilogue reads f32
        var result = half && (isPlain(k) || bias) && out == type ? type : type.compute();
        return Optional.of(
                new Gemm(
                        type,
                        result,
                        type == DType.F32 && precision == Precision.TF32,
                        bias,
                        Math.toIntExact(k.batch().size()),
                        k.m(),
                        k.n(),
                        k.k(),
                        a.get().rows,
                        a.get().lead,
                        axes.step(0),
                        k.a().offset(),
                        b.get().rows,
                        b.get().lead,
                        axes.step(1),
                        k.b().offset()));
    }

    /**
     * A product by cuBLASLt with transposed copies of factors. In tf32, tensor cores need factors
     * that are contiguous along the summed axis; the library transposes any other factor in each of
     * its tiles, which takes a fifth of a product's time, or a third for both factors. A transposed
     * copy costs less if the factor is read often enough. Which factors are copied depends on the
     * product's sizes alone.
     */
    private record TransposedProduct(Gemm gemm, boolean a, boolean b) {
        /**
         * The least length of the other factor's free axis if neither factor is contiguous along
         * the sum.
         */
        private static final int FIRST = 1024;

        /** The same if one of them is. */
        private static final int SECOND = 8192;

        private static final int SIDE = 32;
        private static final int ALIGNMENT = 256;

        static TransposedProduct of(Gemm g) {
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
            return new TransposedProduct(g, a, b);
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

        /** The product that the library computes after the copies. */
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

        /** Copies rows along the free axis, {@code lead} apart, to rows along the summed axis. */
        private Action turn(long offset, long lead, int free, Operand from, Operand to) {
            int k = gemm.k();
            long across = MapText.blocks(free, SIDE);
            var code = new SourceLines();
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
                    "    if (free + r < %d && sum + x < %d) ((f32*)p1)[(ofs)(free + r) * %d + sum +"
                            + " x] = tile[x][r];",
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

    /** The memory layout of a matrix. */
    private record Side(boolean rows, long lead) {
        static Optional<Side> of(View view, int batch, int down, int across) {
            long row = view.stride(batch);
            long column = view.stride(batch + 1);
            if ((column == 1 || across == 1) && (row >= across || down == 1))
                return Optional.of(new Side(true, down == 1 ? across : row));
            if ((row == 1 || down == 1) && (column >= down || across == 1))
                return Optional.of(new Side(false, across == 1 ? down : column));
            return Optional.empty();
        }
    }
}
