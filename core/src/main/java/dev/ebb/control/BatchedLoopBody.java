package dev.ebb.control;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Op;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The body of a loop, vectorized over a batch of examples. A carry is batched if its initial value
 * is or if an iteration makes it so. The body is therefore rewritten until the set of batched
 * carries no longer changes.
 *
 * @param params which of the body's parameters are batched
 */
record BatchedLoopBody(Op.Batching.Body body, List<Boolean> params, int constants, int carries) {

    static BatchedLoopBody of(
            Graph body, int constants, int carries, List<Value> operands, Op.Batching batching) {
        var params = new ArrayList<>(operands.stream().map(batching::differs).toList());
        while (true) {
            var stacked = new ArrayList<>(Collections.nCopies(body.results().size(), false));
            for (int i = 0; i < carries; i++) stacked.set(i, params.get(constants + i));
            var all = batching.body(body, params, stacked);
            boolean settled = true;
            for (int i = 0; i < carries; i++) {
                if (all.differs().get(i) && !params.get(constants + i)) {
                    params.set(constants + i, true);
                    settled = false;
                }
            }
            if (settled) return new BatchedLoopBody(all, List.copyOf(params), constants, carries);
        }
    }

    /**
     * The operands of the batched loop: initial carries get the batch axis if their carry is
     * batched; for slices it comes after the axis of the iterations.
     */
    List<Value> operands(List<Value> operands, Op.Batching batching) {
        var here = new ArrayList<Value>();
        for (int i = 0; i < operands.size(); i++) {
            var v = operands.get(i);
            if (i >= constants + carries && params.get(i))
                here.add(batching.swapped(batching.of(v)));
            else here.add(params.get(i) ? batching.stacked(v) : batching.of(v));
        }
        return here;
    }
}
