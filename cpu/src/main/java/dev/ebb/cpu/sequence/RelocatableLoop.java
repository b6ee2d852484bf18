package dev.ebb.cpu.sequence;

import dev.ebb.cpu.tile.OperationList;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;

import java.util.Collections;
import java.util.List;

/**
 * Decides which maps are compiled as a loop with addresses as arguments: those with too many
 * elements to unroll but too few to be worth binding a kernel. Every operand has the length of the
 * results, or is a scalar.
 */
final class RelocatableLoop {
    /** From this number of elements on, vectors and workers are worth binding a kernel. */
    private static final long MOST = 4096;

    private RelocatableLoop() {}

    static boolean isLoop(Node node) {
        if (!(node.kernel() instanceof Kernel.Map k)) return false;
        long n = k.shape().size();
        if (n < 2 || n > MOST || UnrollLimits.bytes(node, node.outputs().size()) >= 0) return false;
        var in = node.inputTypes();
        var out = node.outputTypes();
        for (int i = 0; i < in.size(); i++) {
            long size = in.get(i).size();
            boolean whole = size == n && k.operands().get(i).isContiguous(k.shape());
            if (!whole && size != 1) return false;
        }
        if (!in.stream().allMatch(RelocatableLoop::isRead)) return false;
        if (!out.stream().allMatch(t -> isRead(t) && t.size() == n)) return false;
        long functions = UnrollLimits.functions(single(node), dtypes(in), dtypes(out));
        return functions >= 0
                && functions <= UnrollLimits.MOST_FUNCTIONS
                && !isPlaced(k, dtypes(in));
    }

    /** The computation of {@code node} at one element. */
    static Kernel.Map single(Node node) {
        var k = (Kernel.Map) node.kernel();
        var views = Collections.nCopies(k.operands().size(), new View(0, List.of(1L)));
        return new Kernel.Map(Shape.of(1), views, k.bodies());
    }

    private static List<DType> dtypes(List<Type> types) {
        return types.stream().map(Type::dtype).toList();
    }

    private static boolean isRead(Type type) {
        return switch (type.dtype()) {
            case F32, F64, I32, I64, BOOL -> true;
            case BF16, F16, U8, BIT -> false;
        };
    }

    /** Whether a body uses the index of the element. */
    private static boolean isPlaced(Kernel.Map k, List<DType> in) {
        return OperationList.of(k.bodies(), in).operations().stream()
                .anyMatch(
                        o ->
                                o.form() instanceof Scalar.Index
                                        || o.form() instanceof Scalar.Position);
    }
}
