package dev.ebb;

import dev.ebb.grad.Reverse;
import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Control;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A branch as one node. The first input is the decision; both branches take the others. The
 * backward half reads the same decision, so it takes the same branch; the branch not taken costs
 * nothing.
 */
record CondOp(Graph yes, Graph no) implements Op {

    CondOp {
        var first = yes.results().stream().map(Value::type).toList();
        var second = no.results().stream().map(Value::type).toList();
        if (!first.equals(second)) {
            throw new ShapeException(
                    "the two branches give "
                            + first
                            + " and "
                            + second
                            + "; both must give the same types");
        }
    }

    @Override
    public String name() {
        return "cond";
    }

    @Override
    public List<Type> infer(List<Type> inputs) {
        if (!inputs.getFirst().dtype().isTruth() || inputs.getFirst().shape().rank() != 0) {
            throw new ShapeException(
                    "a branch is decided by one truth value, not by "
                            + inputs.getFirst()
                            + "; reduce it with any() or all()");
        }
        return yes.results().stream().map(Value::type).toList();
    }

    @Override
    public Kernel kernel(List<Type> inputs) {
        return new Control.Cond(yes, no);
    }

    @Override
    public void pullback(Node node, Adjoints adjoints) {
        var wrt =
                IntStream.range(0, yes.params().size())
                        .filter(
                                i ->
                                        yes.params().get(i).type().dtype().isFloat()
                                                && adjoints.wanted(node.inputs().get(i + 1)))
                        .boxed()
                        .toList();
        var inputs = new ArrayList<>(node.inputs());
        for (Value out : node.outputs()) inputs.add(adjoints.of(out));
        var cotangents =
                adjoints.graph().emit(new CondOp(pulled(yes, wrt), pulled(no, wrt)), inputs);
        for (int i = 0; i < wrt.size(); i++)
            adjoints.add(node.inputs().get(wrt.get(i) + 1), cotangents.get(i));
    }

    private static Graph pulled(Graph branch, List<Integer> wrt) {
        var both = Reverse.pullback(branch, wrt);
        var g = new Graph.Builder();
        var here = g.inline(both, both.params().stream().map(p -> g.param(p.type())).toList());
        return g.build(
                both.results().subList(branch.results().size(), both.results().size()).stream()
                        .map(here::at)
                        .toList());
    }
}
