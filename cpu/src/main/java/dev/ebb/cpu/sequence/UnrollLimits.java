package dev.ebb.cpu.sequence;

import dev.ebb.cpu.tile.OperationList;
import dev.ebb.exec.Sequence;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Scalar.Fn2;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Decides which computations are unrolled element by element: those on few elements that cannot
 * fail. Integer divisions and indexing can fail, and stay kernels, whose errors name the op.
 */
final class UnrollLimits {
    /** The most elements of an output. */
    private static final long MOST_ELEMENTS = 16;

    /** The most scalar functions emitted for one kernel. */
    static final long MOST_FUNCTIONS = 400;

    /** Estimated bytecode size of a function. */
    static final int FUNCTION_BYTES = 14;

    private UnrollLimits() {}

    /** The estimated bytecode size of {@code work}; -1 if it is not unrolled. */
    static int bytes(Sequence.Work work) {
        return bytes(work.node(), work.outputs().size());
    }

    /** The same for {@code node} and the given number of its outputs. */
    static int bytes(Node node, int outputs) {
        var in = node.inputTypes();
        var out = node.outputTypes().subList(0, outputs);
        for (Type type : in) if (!isHeld(type.dtype())) return -1;
        for (Type type : out)
            if (!isHeld(type.dtype()) || type.size() > MOST_ELEMENTS || type.size() == 0) return -1;
        long functions =
                functions(
                        node.kernel(),
                        in.stream().map(Type::dtype).toList(),
                        out.stream().map(Type::dtype).toList());
        if (functions < 0 || functions > MOST_FUNCTIONS) return -1;
        if (accesses(node, outputs, Set.of()) > MethodSplit.MOST_ACCESSES) return -1;
        return (int) functions * FUNCTION_BYTES;
    }

    /**
     * An upper bound on the elements that {@code work} reads and writes, given that {@code held}
     * are in local variables.
     */
    static long accesses(Sequence.Work work, Set<Value> held) {
        return accesses(work.node(), work.outputs().size(), held);
    }

    private static long accesses(Node node, int outputs, Set<Value> held) {
        long all = 0;
        long positions = positions(node.kernel());
        for (Value v : Set.copyOf(node.inputs()))
            if (!held.contains(v)) all += Math.min(v.type().size(), positions);
        for (Value v : node.outputs().subList(0, outputs)) all += v.type().size();
        return all;
    }

    /** An upper bound on the elements of one input that an unrolled kernel reads. */
    private static long positions(Kernel kernel) {
        return switch (kernel) {
            case Kernel.Map k -> k.shape().size();
            case Kernel.Fold k -> k.shape().size();
            case Kernel.Rows k -> k.shape().size();
            case Kernel.Assemble k -> k.shape().size();
            case Kernel.Cut _ -> MOST_ELEMENTS;
            case Kernel.Contract _,
                    Kernel.Gather _,
                    Kernel.Scatter _,
                    Kernel.Cumulate _,
                    Kernel.Sort _,
                    Kernel.Opaque _ ->
                    Long.MAX_VALUE;
        };
    }

    private static boolean isHeld(DType dtype) {
        return switch (dtype) {
            case F32, F64, I32, I64, BOOL, BIT -> true;
            case BF16, F16, U8 -> false;
        };
    }

    static long functions(Kernel kernel, List<DType> in, List<DType> out) {
        return switch (kernel) {
            case Kernel.Map k -> times(k.shape().size(), k.bodies(), in);
            case Kernel.Fold k -> {
                boolean fits =
                        k.bodies().size() == 1
                                && k.shape().size() > 0
                                && k.shape().size() <= FoldOrder.MOST
                                && isFold(k.body().type(in), out.getFirst());
                yield fits ? times(k.shape().size(), List.of(k.body()), in) : -1;
            }
            case Kernel.Rows k -> rows(k, in, out.getFirst());
            case Kernel.Contract k -> {
                var type = in.getFirst();
                boolean fits =
                        (type == DType.F32 || type == DType.F64)
                                && in.get(1) == type
                                && k.k() <= FoldOrder.MOST;
                if (!fits) yield -1;
                var types = new ArrayList<>(List.of(type));
                types.addAll(in.subList(2, in.size()));
                long size = k.batch().size() * k.m() * k.n();
                long after = times(size, List.of(k.epilogue()), types);
                yield after < 0 ? -1 : after + size * k.k() * 3;
            }
            case Kernel.Assemble k -> k.shape().size();
            case Kernel.Cut _ -> MOST_ELEMENTS;
            case Kernel.Gather _,
                    Kernel.Scatter _,
                    Kernel.Cumulate _,
                    Kernel.Sort _,
                    Kernel.Opaque _ ->
                    -1;
        };
    }

    private static boolean isFold(DType type, DType out) {
        return type == out && (type == DType.F32 || type == DType.F64);
    }

    private static long rows(Kernel.Rows k, List<DType> in, DType out) {
        if (k.shape().size() == 0 || k.shape().size() > FoldOrder.MOST) return -1;
        if (k.results().size() > 1) return -1;
        var types = k.types(in);
        var bodies = new ArrayList<Scalar>();
        for (var number : k.numbers()) bodies.add(number.body());
        switch (k.result()) {
            case RowParts.Elements(var body) -> bodies.add(body);
            case RowParts.RowNumber(int index) -> {
                if (types.get(in.size() + index) != out) return -1;
            }
            case RowParts.Columns(_, var body) -> {
                if (!isFold(body.type(types), out)) return -1;
                bodies.add(body);
            }
        }
        return times(k.shape().size(), bodies, types);
    }

    /**
     * The number of functions of {@code bodies} at this number of positions, including the loads of
     * arguments.
     */
    private static long times(long positions, List<Scalar> bodies, List<DType> types) {
        var line = OperationList.of(bodies, types);
        for (var operation : line.operations()) {
            if (operation.form() instanceof Scalar.Bin(var fn, _, _)
                    && (fn == Fn2.DIV || fn == Fn2.REM)
                    && !operation.type().isFloat()) return -1;
        }
        return positions * (line.operations().size() + 1L);
    }
}
