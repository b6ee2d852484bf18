package dev.ebb.science;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Value;
import dev.ebb.tensor.Differentiable;

import java.util.List;

/** Plain Java run for each of {@code count} lines of a batch, with a workspace of doubles. */
record EachLine(int count, long doubles, Body body) implements Kernel.Library {

    /** The computation for one line. */
    interface Body {
        void run(int number, List<Buffer> in, List<Buffer> out, Buffer workspace);
    }

    /**
     * An op that works line by line on operands with the same leading axes: one more leading axis
     * changes nothing, so many examples are one larger batch.
     */
    interface LineOp extends Differentiable {
        @Override
        default void batch(Node node, Op.Batching batching) {
            var stacked = node.inputs().stream().map(batching::stacked).toList();
            var outputs = batching.graph().emit(this, stacked);
            for (int i = 0; i < outputs.size(); i++) {
                Value out = node.outputs().get(i);
                batching.put(out, outputs.get(i), true);
            }
        }
    }

    @Override
    public long workspaceBytes() {
        return 8 * doubles;
    }

    @Override
    public void run(List<Buffer> in, List<Buffer> out, Buffer memory) {
        var workspace = new Buffer(DType.F64, memory.bytes() / 8, memory.segment());
        for (int i = 0; i < count; i++) body.run(i, in, out, workspace);
    }
}
