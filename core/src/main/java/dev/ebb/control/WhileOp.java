package dev.ebb.control;

import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.IterationCosts;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A loop of unknown length as one node. Inputs: constants, then first carries; outputs: last
 * carries, then the number of iterations. Its derivative is that of a counted loop with the
 * recorded number of iterations. If the body has ops that run only once, it returns their results
 * after its carries; these results, and then the carries at the start of each iteration, are
 * stacked outputs after the number of iterations.
 */
public record WhileOp(Graph condition, Graph body, int limit, int constants, int carries)
        implements Op {

    public WhileOp {
        var asked = condition.results().getFirst().type();
        if (!asked.dtype().isTruth() || asked.shape().rank() != 0) {
            throw new ShapeException(
                    "a loop's condition must give one truth value, not "
                            + asked
                            + "; compare, and reduce with any() or all()");
        }
    }

    private ScanOp counted() {
        return new ScanOp(
                body,
                limit,
                constants,
                carries,
                false,
                true,
                // carries are stacked from the start if the iterations must not run again
                Trait.once(body.traits()),
                IterationCosts.EVEN,
                Optional.empty());
    }

    @Override
    public Set<Trait> traits() {
        var all = new HashSet<>(body.traits());
        all.addAll(condition.traits());
        return all;
    }

    @Override
    public String name() {
        return "while(" + limit + ")";
    }

    @Override
    public List<Type> infer(List<Type> inputs) {
        var count = new Type(DType.I64, Shape.scalar());
        var all = new ArrayList<Type>();
        all.add(count);
        all.addAll(inputs);
        var types = new ArrayList<>(counted().infer(all));
        types.add(carries, count);
        return types;
    }

    @Override
    public Kernel kernel(List<Type> inputs) {
        var iterations = (Control.Scan) counted().kernel(inputs);
        return new Control.While(
                condition,
                iterations.body(),
                limit,
                constants,
                carries,
                iterations.checkpointing());
    }

    /**
     * Examples that end after different numbers of iterations are processed one after the other.
     */
    @Override
    public void batch(Node node, Op.Batching batching) {
        var iterations = BatchedLoopBody.of(body, constants, carries, node.inputs(), batching);
        var asked = batching.body(condition, iterations.params(), List.of(false));
        if (asked.differs().getFirst() || Trait.once(traits())) {
            batching.oneByOne(node);
            return;
        }
        var op = new WhileOp(asked.graph(), iterations.body().graph(), limit, constants, carries);
        var outputs = batching.graph().emit(op, iterations.operands(node.inputs(), batching));
        for (int i = 0; i < outputs.size(); i++) {
            batching.put(
                    node.outputs().get(i),
                    outputs.get(i),
                    i < carries && iterations.params().get(constants + i));
        }
    }

    @Override
    public void pullback(Node node, Adjoints adjoints) {
        var inputs = new ArrayList<Value>();
        inputs.add(node.outputs().get(carries));
        inputs.addAll(node.inputs());
        var outputs = new ArrayList<>(node.outputs());
        outputs.remove(carries);
        var loop = counted();
        loop.pullback(node.with(loop, inputs, outputs), adjoints);
    }
}
