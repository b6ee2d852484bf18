package dev.ebb.tensor;

import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The arguments of a derivative rule: the operands, the results and the cotangents of the results
 * of one node, as tensors. A contribution to an operand is summed over the axes along which that
 * operand was broadcast.
 */
public final class Rule {
    private final Node node;
    private final Adjoints adjoints;
    private final Recording recording;

    private Rule(Node node, Adjoints adjoints, Recording recording) {
        this.node = node;
        this.adjoints = adjoints;
        this.recording = recording;
    }

    /** Records {@code vjp} of {@code node} into the backward half. */
    public static void record(Node node, Adjoints adjoints, Consumer<Rule> vjp) {
        var captured =
                ScopedValue.where(Numbers.CURRENT, Optional.empty())
                        .call(
                                () ->
                                        Recording.into(
                                                adjoints.graph(),
                                                r -> {
                                                    vjp.accept(new Rule(node, adjoints, r));
                                                    return r.captured();
                                                }));
        if (!captured.isEmpty()) {
            throw new IllegalStateException(
                    "the derivative of %s uses tensors other than its operands: %s"
                            .formatted(node.op().name(), captured));
        }
    }

    /** How many operands the node has. */
    public int operands() {
        return node.inputs().size();
    }

    public Tensor in(int i) {
        return recording.tensor(node.inputs().get(i));
    }

    public Tensor out(int i) {
        return recording.tensor(node.outputs().get(i));
    }

    /** The cotangent of output {@code i}; zeros if none was added. */
    public Tensor dout(int i) {
        return recording.tensor(adjoints.of(node.outputs().get(i)));
    }

    public boolean reached(int i) {
        return adjoints.reached(node.outputs().get(i));
    }

    /** Whether the cotangent of operand {@code i} is needed. */
    public boolean wants(int i) {
        return adjoints.wanted(node.inputs().get(i));
    }

    /** Adds {@code cotangent} to operand {@code i}. */
    public void add(int i, Tensor cotangent) {
        var input = node.inputs().get(i);
        adjoints.add(
                input,
                recording.value(unbroadcast(cotangent, input.type().shape()), node.op().name()));
    }

    /**
     * Adds {@code cotangent} to a part of operand {@code i}; {@code assemble} makes the op that
     * assembles such parts into a tensor of zeros.
     */
    public void addPart(
            int i, View.Part part, Tensor cotangent, Function<List<View.Part>, Op> assemble) {
        var value = recording.value(cotangent, node.op().name());
        adjoints.addPart(node.inputs().get(i), part, value, assemble);
    }

    /** Sums over the axes along which an operand of shape {@code to} was broadcast. */
    static Tensor unbroadcast(Tensor dx, Shape to) {
        if (dx.shape().equals(to)) return dx;
        int lead = dx.rank() - to.rank();
        var axes =
                IntStream.range(0, dx.rank())
                        .filter(i -> i < lead || to.dim(i - lead) != dx.shape().dim(i))
                        .boxed()
                        .toList();
        return dx.sum(axes, false).reshape(to);
    }
}
