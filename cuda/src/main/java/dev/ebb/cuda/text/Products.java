package dev.ebb.cuda.text;

import dev.ebb.cuda.Precision;
import dev.ebb.cuda.driver.Gemm;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.View;

import java.util.List;
import java.util.Optional;

/**
 * Which products the library computes: those of floats whose rows or columns lie side by side, and
 * whose batch goes on in even steps. The rest is generated. Which of the two it is depends on the
 * kernel and the types alone. The library adds a bias itself; any other epilogue is a map of its
 * own over sums in the workspace, for it may write over what it reads.
 */
public final class Products {
    /** Below so many multiplications a generated product takes no longer than the library's. */
    private static final long SMALL = 1 << 15;

    /** Bytes the library may use at most. */
    private static final long LIBRARY = 32L << 20;

    /** Sums split over blocks may take the room of so many results. */
    private static final long SPLITS = 16;

    /** What aligning the library's part of a workspace may take. */
    private static final long SLACK = 256;

    private Products() {}

    static Recipe recipe(Kernel.Contract k, List<DType> in, DType out, Precision precision) {
        var found = gemm(k, in, out, precision);
        if (found.isEmpty()) return ContractText.recipe(k, in, out);
        var gemm = found.get();
        if ((isPlain(k) || gemm.bias()) && gemm.result() == out) {
            var turned = Turned.of(gemm);
            Optional<Operand> bias =
                    gemm.bias() ? Optional.of(new Operand.In(2)) : Optional.empty();
            return new Recipe(
                    turned.actions(new Operand.Out(0), bias),
                    turned.bytes() + libraryBytes(gemm) + SLACK);
        }
        var shape = ContractText.shape(k, k.m(), k.n());
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

    /** The bytes that the library may use for a product, by its sizes alone. */
    public static long libraryBytes(Gemm g) {
        long result = g.result().bytes((long) g.batch() * g.m() * g.n());
        return Math.min(LIBRARY, SPLITS * (result + SLACK) / SLACK * SLACK);
    }

    private static boolean isPlain(Kernel.Contract k) {
        return k.epilogue().equals(Scalar.arg(0));
    }

    /**
     * Whether the epilogue adds a vector to every row. The library adds it to the sums before they
     * are rounded. It reads the vector while it writes, so that one row alone, which may lie over
     * it, is left to a map.
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

    /** The product as the library would compute it, if it can. */
    public static Optional<Gemm> gemm(
            Kernel.Contract k, List<DType> in, DType out, Precision precision) {
        var type = in.getFirst();
        if (!type.isFloat() || in.get(1) != type) return Optional.empty();
        long size = k.batch().size() * k.m() * k.n();
        if (size == 0 || k.k() == 0 || size * k.k() < SMALL) return Optional.empty();
        var a = Side.of(k.a(), k.batch().rank(), k.m(), k.k());
        var b = Side.of(k.b(), k.batch().rank(), k.k(), k.n());
        if (a.isEmpty() || b.isEmpty()) return Optional.empty();
        var axes =
                Axes.of(
                        ContractText.shape(k, k.m(), k.n()),
                        List.of(k.a(), k.b()),
                        k.batch().allAxes());
        if (axes.rank() > 1) return Optional.empty();
        boolean half = type == DType.BF16 || type == DType.F16;
        boolean bias = isBias(k, in, out);
        // the library may round to sixteen bits; an epilogue of its own reads f32
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

    /** How a matrix lies in memory. */
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
