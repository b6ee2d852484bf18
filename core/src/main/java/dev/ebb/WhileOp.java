package dev.ebb;

import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Pace;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A loop of unknown length as one node. Inputs: constants, then first carries; outputs: last
 * carries, then the number of rounds. Once that number is known it is a counted loop, and its
 * derivative is that loop's.
 */
record WhileOp(Graph condition, Graph body, int limit, int constants, int carries) implements Op {

    WhileOp {
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
                body, limit, constants, carries, false, true, false, Pace.EVEN, Optional.empty());
    }

    @Override
    public String name() {
        return "while(" + limit + ")";
    }

    @Override
    public List<Type> infer(List<Type> inputs) {
        var types = new ArrayList<>(body.results().stream().map(Value::type).toList());
        types.add(new Type(DType.I64, Shape.scalar()));
        var all = new ArrayList<Type>();
        all.add(types.getLast());
        all.addAll(inputs);
        counted().infer(all);
        return types;
    }

    @Override
    public Kernel kernel(List<Type> inputs) {
        var rounds = (Control.Scan) counted().kernel(inputs);
        return new Control.While(
                condition,
                rounds.body(),
                limit,
                constants,
                carries,
                new Control.Remember.Nothing());
    }

    @Override
    public void pullback(Node node, Adjoints adjoints) {
        var inputs = new ArrayList<Value>();
        inputs.add(node.outputs().getLast());
        inputs.addAll(node.inputs());
        var loop = counted();
        loop.pullback(
                new Node(
                        loop,
                        inputs,
                        node.outputs().subList(0, carries),
                        node.region(),
                        node.reverse()),
                adjoints);
    }
}
