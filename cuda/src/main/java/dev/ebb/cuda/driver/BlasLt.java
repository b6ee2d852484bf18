package dev.ebb.cuda.driver;

import dev.ebb.cuda.CudaException;
import dev.ebb.ir.DType;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.util.OptionalLong;

/**
 * Matrix products by cuBLASLt. The library uses column-major matrices, so a row-major product is
 * computed as the product of the transposed factors in reverse order. The algorithm is the
 * library's first proposal for a product's sizes and layouts; sums that are split over blocks are
 * combined in the workspace in a fixed order.
 */
public final class BlasLt {
    private static final int TRANSPOSE_A = 3;
    private static final int TRANSPOSE_B = 4;
    private static final int EPILOGUE = 7;
    private static final int BIAS_POINTER = 8;
    private static final int ADD_BIAS = 4;
    private static final int BATCH = 5;
    private static final int STEP = 6;
    private static final int WORKSPACE = 1;
    private static final int REDUCTIONS = 3;
    private static final int ALIGNMENT_A = 5;
    private static final int SUM_IN_COMPUTE_TYPE = 2;
    private static final long ALGORITHM_BYTES = 64;
    private static final long HEURISTIC_BYTES = 96;

    private final Native library;
    private final Arena arena;
    private final long handle;
    private final MemorySegment one;
    private final MemorySegment zero;

    /** A product with its algorithm and descriptors. */
    public record Plan(
            Gemm gemm,
            long product,
            long a,
            long b,
            long c,
            MemorySegment algorithm,
            long workspaceBytes) {}

    public BlasLt(SymbolLookup symbols, Arena arena) {
        library = new Native("libcublasLt", symbols, BlasLt::describe);
        this.arena = arena;
        handle = handle("cublasLtCreate");
        // the bits of a double are not those of a float: one pair of constants for each type
        one = arena.allocate(16);
        one.set(ValueLayout.JAVA_DOUBLE, 0, 1);
        one.set(ValueLayout.JAVA_FLOAT, 8, 1);
        zero = arena.allocate(16);
    }

    private static String describe(int code) {
        var name =
                switch (code) {
                    case 1 -> "not initialized";
                    case 3 -> "allocation failed";
                    case 7 -> "invalid value";
                    case 8 -> "architecture mismatch";
                    case 11 -> "mapping error";
                    case 13 -> "execution failed";
                    case 14 -> "internal error";
                    case 15 -> "not supported";
                    default -> "unknown";
                };
        return "cuBLAS status " + code + ", " + name;
    }

    private long handle(String function, Object... rest) {
        try (var confined = Arena.ofConfined()) {
            var to = confined.allocate(ValueLayout.JAVA_LONG);
            var all = new Object[rest.length + 1];
            all[0] = to.address();
            System.arraycopy(rest, 0, all, 1, rest.length);
            library.call(function, all);
            return to.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    private static int type(DType type) {
        return switch (type) {
            case F32 -> 0;
            case F64 -> 1;
            case F16 -> 2;
            case BF16 -> 14;
            case I32, I64, U8, BOOL, BIT ->
                    throw new IllegalArgumentException("no product of " + type + " by cuBLASLt");
        };
    }

    private static int compute(Gemm gemm) {
        if (gemm.type() == DType.F64) return 70;
        return gemm.tensorFloats() ? 77 : 68;
    }

    private void set(String function, long object, int attribute, long value, int bytes) {
        try (var confined = Arena.ofConfined()) {
            var from = confined.allocate(8, 8);
            if (bytes == 4) from.set(ValueLayout.JAVA_INT, 0, (int) value);
            else from.set(ValueLayout.JAVA_LONG, 0, value);
            library.call(function, object, attribute, from.address(), (long) bytes);
        }
    }

    /** A matrix whose columns have {@code rows} elements and start {@code lead} elements apart. */
    private long layout(DType type, long rows, long columns, long lead, int batch, long step) {
        long layout = handle("cublasLtMatrixLayoutCreate", type(type), rows, columns, lead);
        set("cublasLtMatrixLayoutSetAttribute", layout, BATCH, batch, 4);
        set("cublasLtMatrixLayoutSetAttribute", layout, STEP, step, 8);
        return layout;
    }

    /** Chooses the algorithm for a product, with at most {@code workspaceBytes} of workspace. */
    public Plan plan(Gemm g, long workspaceBytes) {
        int scale = g.type() == DType.F64 ? 1 : 0;
        long product = handle("cublasLtMatmulDescCreate", compute(g), scale);
        var attribute = "cublasLtMatmulDescSetAttribute";
        set(attribute, product, TRANSPOSE_A, g.rowsB() ? 0 : 1, 4);
        set(attribute, product, TRANSPOSE_B, g.rowsA() ? 0 : 1, 4);
        if (g.bias()) set(attribute, product, EPILOGUE, ADD_BIAS, 4);
        long first =
                g.rowsB()
                        ? layout(g.type(), g.n(), g.k(), g.leadB(), g.batch(), g.stepB())
                        : layout(g.type(), g.k(), g.n(), g.leadB(), g.batch(), g.stepB());
        long second =
                g.rowsA()
                        ? layout(g.type(), g.k(), g.m(), g.leadA(), g.batch(), g.stepA())
                        : layout(g.type(), g.m(), g.k(), g.leadA(), g.batch(), g.stepA());
        long result = layout(g.result(), g.n(), g.m(), g.n(), g.batch(), (long) g.m() * g.n());
        long preference = handle("cublasLtMatmulPreferenceCreate");
        var wish = "cublasLtMatmulPreferenceSetAttribute";
        set(wish, preference, WORKSPACE, workspaceBytes, 8);
        set(wish, preference, REDUCTIONS, SUM_IN_COMPUTE_TYPE, 4);
        set(wish, preference, ALIGNMENT_A, alignment(g.offsetB(), g.type()), 4);
        set(wish, preference, ALIGNMENT_A + 1, alignment(g.offsetA(), g.type()), 4);
        set(wish, preference, ALIGNMENT_A + 2, alignment(0, g.result()), 4);
        set(wish, preference, ALIGNMENT_A + 3, alignment(0, g.result()), 4);
        var found = arena.allocate(HEURISTIC_BYTES, 8);
        var count = arena.allocate(ValueLayout.JAVA_INT);
        library.call(
                "cublasLtMatmulAlgoGetHeuristic",
                handle,
                product,
                first,
                second,
                result,
                result,
                preference,
                1,
                found.address(),
                count.address());
        library.call("cublasLtMatmulPreferenceDestroy", preference);
        if (count.get(ValueLayout.JAVA_INT, 0) == 0) {
            throw new CudaException("cuBLASLt knows no algorithm for " + g);
        }
        long needs = found.get(ValueLayout.JAVA_LONG, ALGORITHM_BYTES);
        return new Plan(
                g, product, first, second, result, found.asSlice(0, ALGORITHM_BYTES), needs);
    }

    /**
     * The alignment of an operand that starts {@code offset} elements into a buffer; buffers are
     * aligned to 64 bytes.
     */
    private static long alignment(long offset, DType type) {
        return Long.lowestOneBit(type.bytes(offset) | 64);
    }

    /** Enqueues a product on a stream; addresses are those of the buffers. */
    public void run(
            Plan plan, long a, long b, long c, OptionalLong bias, long workspace, long stream) {
        if (bias.isEmpty()) {
            run(plan, a, b, c, workspace, stream);
            return;
        }
        // the address is part of the product's description, which several nodes may share
        synchronized (plan) {
            set(
                    "cublasLtMatmulDescSetAttribute",
                    plan.product(),
                    BIAS_POINTER,
                    bias.getAsLong(),
                    8);
            run(plan, a, b, c, workspace, stream);
        }
    }

    private void run(Plan plan, long a, long b, long c, long workspace, long stream) {
        var g = plan.gemm();
        long shift = g.type() == DType.F64 ? 0 : 8;
        library.call(
                "cublasLtMatmul",
                handle,
                plan.product(),
                one.address() + shift,
                b + g.type().bytes(g.offsetB()),
                plan.a(),
                a + g.type().bytes(g.offsetA()),
                plan.b(),
                zero.address(),
                c,
                plan.c(),
                c,
                plan.c(),
                plan.algorithm().address(),
                workspace,
                plan.workspaceBytes(),
                stream);
    }

    public void close() {
        library.call("cublasLtDestroy", handle);
    }
}
