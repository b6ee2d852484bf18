package dev.ebb.control;

import dev.ebb.grad.Reverse;
import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Control;
import dev.ebb.ir.Fill;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * A branch as one node. The first input is the predicate; both branches take the other inputs. The
 * backward half reads the same predicate, so it takes the same branch; the branch not taken costs
 * nothing. If a branch has ops that run only once, both branches return the results of these ops as
 * their last results: first those of {@code yes}, then those of {@code no}, with zeros for the
 * branch not taken.
 */
public record CondOp(Graph yes, Graph no) implements Op {

    public CondOp {
        var first = yes.results().stream().map(Value::type).toList();
        var second = no.results().stream().map(Value::type).toList();
        if (!first.equals(second)) {
            throw new ShapeException(
                    "the two branches give %s and %s; both must give the same types"
                            .formatted(first, second));
        }
    }

    /**
     * A branch node whose branches also return the results of their ops that run only once, since
     * the derivative reads them and must not run those ops again.
     */
    public static CondOp of(Graph yes, Graph no) {
        return new CondOp(
                filled(yes, List.of(), RunOnceOps.results(no)),
                filled(no, RunOnceOps.results(yes), List.of()));
    }

    /**
     * {@code branch} with the results of its run-once ops appended, between zeros that stand for
     * those of the other branch.
     */
    private static Graph filled(Graph branch, List<Value> before, List<Value> after) {
        var g = new Graph.Builder();
        var here = g.inline(branch, branch.params().stream().map(p -> g.param(p.type())).toList());
        var results = new ArrayList<>(branch.results().stream().map(here::at).toList());
        for (Value v : before) results.add(g.emit(new Fill(v.type(), 0)));
        for (Value v : RunOnceOps.results(branch)) results.add(here.at(v));
        for (Value v : after) results.add(g.emit(new Fill(v.type(), 0)));
        return g.build(results);
    }

    @Override
    public Set<Trait> traits() {
        var all = new HashSet<>(yes.traits());
        all.addAll(no.traits());
        return all;
    }

    @Override
    public String name() {
        return "cond";
    }

    @Override
    public List<Type> infer(List<Type> inputs) {
        if (!inputs.getFirst().dtype().isTruth() || inputs.getFirst().shape().rank() != 0) {
            throw new ShapeException(
                    "the condition of a branch must be one truth value, not "
                            + inputs.getFirst()
                            + "; reduce it with any() or all()");
        }
        return yes.results().stream().map(Value::type).toList();
    }

    @Override
    public Kernel kernel(List<Type> inputs) {
        return new Control.Cond(yes, no);
    }

    /**
     * Examples that may take different branches, and branches with effects, are processed one after
     * the other.
     */
    @Override
    public void batch(Node node, Op.Batching batching) {
        if (batching.differs(node.inputs().getFirst()) || Trait.once(traits())) {
            batching.oneByOne(node);
            return;
        }
        var operands = node.inputs().subList(1, node.inputs().size());
        var params = operands.stream().map(batching::differs).toList();
        var all = Collections.nCopies(yes.results().size(), true);
        var op =
                new CondOp(
                        batching.body(yes, params, all).graph(),
                        batching.body(no, params, all).graph());
        var outputs = batching.graph().emit(op, node.inputs().stream().map(batching::of).toList());
        for (int i = 0; i < outputs.size(); i++)
            batching.put(node.outputs().get(i), outputs.get(i), true);
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
        var first = RunOnceOps.results(yes);
        var second = RunOnceOps.results(no);
        int kept = first.size() + second.size();
        inputs.addAll(node.outputs().subList(node.outputs().size() - kept, node.outputs().size()));
        var back =
                new CondOp(pulled(yes, wrt, List.of(), second), pulled(no, wrt, first, List.of()));
        var cotangents = adjoints.graph().emit(back, inputs);
        for (int i = 0; i < wrt.size(); i++)
            adjoints.add(node.inputs().get(wrt.get(i) + 1), cotangents.get(i));
    }

    /** The pullback of a branch; it ignores the run-once results of the other branch. */
    private static Graph pulled(
            Graph branch, List<Integer> wrt, List<Value> before, List<Value> after) {
        var both = RunOnceOps.withoutOps(Reverse.pullback(branch, wrt), branch);
        int own = both.params().size() - RunOnceOps.results(branch).size();
        var g = new Graph.Builder();
        var arguments = new ArrayList<Value>();
        for (Value p : both.params().subList(0, own)) arguments.add(g.param(p.type()));
        before.forEach(v -> g.param(v.type()));
        for (Value p : both.params().subList(own, both.params().size()))
            arguments.add(g.param(p.type()));
        after.forEach(v -> g.param(v.type()));
        var here = g.inline(both, arguments);
        return g.build(
                both.results().subList(branch.results().size(), both.results().size()).stream()
                        .map(here::at)
                        .toList());
    }
}
