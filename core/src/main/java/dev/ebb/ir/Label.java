package dev.ebb.ir;

import java.util.List;

/**
 * Gives its operand a name and does nothing else. It never becomes a kernel: before planning, the
 * name becomes a label of the node that computes the operand.
 */
public record Label(String text) implements Op {

    public Label {
        if (text.isBlank())
            throw new IllegalArgumentException(
                    "a name must not be blank: policies select tensors by their names");
    }

    @Override
    public String name() {
        return "name \"" + text + "\"";
    }

    @Override
    public List<Type> infer(List<Type> inputs) {
        return inputs;
    }

    @Override
    public Kernel kernel(List<Type> inputs) {
        var shape = inputs.getFirst().shape();
        return Kernel.Map.of(shape, List.of(View.contiguous(shape)), Scalar.arg(0));
    }

    @Override
    public void pullback(Node node, Adjoints adjoints) {
        adjoints.add(node.inputs().getFirst(), adjoints.of(node.outputs().getFirst()));
    }

    @Override
    public void batch(Node node, Op.Batching batching) {
        var x = node.inputs().getFirst();
        var here = batching.graph().emit(this, batching.of(x));
        batching.put(node.outputs().getFirst(), here, batching.differs(x));
    }
}
