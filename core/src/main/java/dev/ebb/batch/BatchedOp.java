package dev.ebb.batch;

import dev.ebb.grad.Cotangents;
import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.tensor.op.Axes;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * {@code op} applied to a batch of {@code size} examples. Its derivative is the derivative of the
 * op for one example, vectorized in the same way; the cotangent of an operand that all examples
 * share is summed over them.
 *
 * @param along which operands are batched: their first axis has one slice per example
 */
record BatchedOp(Op op, int size, List<Boolean> along) implements Op {

    BatchedOp {
        along = List.copyOf(along);
    }

    @Override
    public String name() {
        return op.name();
    }

    @Override
    public Set<Trait> traits() {
        return op.traits();
    }

    private List<Type> single(List<Type> inputs) {
        var types = new ArrayList<Type>();
        for (int i = 0; i < inputs.size(); i++) {
            var type = inputs.get(i);
            if (!along.get(i)) {
                types.add(type);
                continue;
            }
            if (type.shape().rank() == 0 || type.shape().dim(0) != size) {
                throw new ShapeException(
                        op.name() + " of " + size + " examples got " + type + " for all of them");
            }
            types.add(type.with(type.shape().reduce(List.of(0), false)));
        }
        return types;
    }

    @Override
    public List<Type> infer(List<Type> inputs) {
        return op.infer(single(inputs)).stream().map(t -> BatchedForms.stacked(t, size)).toList();
    }

    /**
     * The single kernel for the batch, if there is one; {@code single} are the operand types of one
     * example.
     */
    Optional<Kernel> form(List<Type> single) {
        return new BatchedForms(size, along, single, op.infer(single)).of(op.kernel(single));
    }

    @Override
    public Kernel kernel(List<Type> inputs) {
        return form(single(inputs)).orElseThrow();
    }

    @Override
    public void batch(Node node, Op.Batching batching) {
        batching.together(node);
    }

    @Override
    public void pullback(Node node, Adjoints adjoints) {
        var g = new Graph.Builder();
        var types = single(node.inputTypes());
        var inputs = types.stream().map(g::param).toList();
        var outputs = op.infer(types).stream().map(g::param).toList();
        var operands = new ArrayList<>(node.inputs());
        operands.addAll(node.outputs());
        var wanted = new HashSet<>(outputs);
        for (int i = 0; i < inputs.size(); i++)
            if (adjoints.wanted(node.inputs().get(i))) wanted.add(inputs.get(i));
        var known = new Cotangents(g, wanted);
        for (int i = 0; i < outputs.size(); i++) {
            if (!adjoints.reached(node.outputs().get(i))) continue;
            known.add(outputs.get(i), g.param(outputs.get(i).type()));
            operands.add(adjoints.of(node.outputs().get(i)));
        }
        g.at(node.region(), true);
        op.pullback(new Node(op, inputs, outputs, node.region(), node.reverse()), known);
        var found = new ArrayList<Value>();
        var places = new ArrayList<Integer>();
        for (int i = 0; i < inputs.size(); i++) {
            if (!wanted.contains(inputs.get(i)) || !known.reached(inputs.get(i))) continue;
            places.add(i);
            found.add(known.of(inputs.get(i)));
        }
        var single = g.build(found);
        var differs = new ArrayList<>(along);
        differs.addAll(Collections.nCopies(operands.size() - along.size(), true));
        var all = Vmap.of(single, size, differs, Collections.nCopies(found.size(), true)).graph();
        var here = adjoints.graph().inline(all, operands);
        for (int i = 0; i < found.size(); i++) {
            var place = places.get(i);
            var cotangent = here.at(all.results().get(i));
            adjoints.add(
                    node.inputs().get(place),
                    along.get(place)
                            ? cotangent
                            : adjoints.graph()
                                    .emit(Axes.summed(cotangent.type().dtype()), cotangent));
        }
    }
}
