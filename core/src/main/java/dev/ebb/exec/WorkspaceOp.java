package dev.ebb.exec;

import dev.ebb.ir.Adjoints;
import dev.ebb.ir.DType;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.OpDecorator;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;

import java.util.ArrayList;
import java.util.List;

/** An op with the workspace that its kernel needs as one more output, which no op reads. */
public record WorkspaceOp(Op op, long bytes) implements OpDecorator {
    /** Whether the last output of {@code node} is workspace. */
    public static boolean isIn(Node node) {
        return node.op() instanceof WorkspaceOp;
    }

    private static final int LINE = 64;

    public Type scratch() {
        if (bytes <= Integer.MAX_VALUE) return new Type(DType.U8, Shape.of((int) bytes));
        // the size of an axis is an int: two axes, rows of as few cache lines as will do
        int row = LINE;
        while (Math.ceilDiv(bytes, row) > Integer.MAX_VALUE) row *= 2;
        return new Type(DType.U8, Shape.of((int) Math.ceilDiv(bytes, row), row));
    }

    @Override
    public List<Type> infer(List<Type> inputs) {
        var types = new ArrayList<>(op.infer(inputs));
        types.add(scratch());
        return types;
    }

    @Override
    public void pullback(Node node, Adjoints adjoints) {
        throw new IllegalStateException("derivatives are taken before a device adds its workspace");
    }
}
